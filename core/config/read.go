package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"reasonix/core/durable"
)

// maxText is the largest file of a configuration, in bytes.
const maxText = 1 << 20

// readText reads a file of a configuration, which must be a regular one: whoever
// gave a repository its files may have put a pipe there, or a file without an end.
func readText(path string) ([]byte, error) { return durable.ReadFile(path, maxText) }

// maxPrompt is the largest agent.system_prompt_file, in bytes. What is longer fits no
// model.
const maxPrompt = 4 << 20

func readPrompt(path string) ([]byte, error) { return durable.ReadFile(path, maxPrompt) }

// Prompt is the text of system_prompt_file, else system_prompt; "" when neither says
// anything.
func (a *Agent) Prompt() (string, error) {
	if a.SystemPromptFile == "" {
		return a.SystemPrompt, nil
	}
	text, err := readPrompt(a.SystemPromptFile)
	if err != nil {
		return "", fmt.Errorf("agent.system_prompt_file: %w", err)
	}
	return string(text), nil
}

// errLink says why a project's file does not count and is not written.
var errLink = errors.New("it is a link that does not lead to a file inside the project")

// leadsOut reports whether the project's file at path is a link that leads out of
// its directory, or nowhere: a repository must not choose among the user's files.
func leadsOut(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(dir, target)
	return err != nil || !filepath.IsLocal(rel)
}
