package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Dirs lists the directories below home that Dir names and that exist, one a workspace,
// sorted.
func Dirs(home string) ([]string, error) {
	projects := filepath.Join(home, "projects")
	entries, err := os.ReadDir(projects)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list workspaces: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(projects, e.Name(), "sessions")
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}
