// Package instruction finds what people wrote for the agent: REASONIX.md,
// AGENTS.md and CLAUDE.md, the user's own and those of the project, from the
// repository's root down to the working directory. It reads files and nothing
// else; it follows "@file" lines, but never out of the directory tree that the
// instructions belong to, not through a link either. The composition root loads
// them once per session and package prompt puts them into the system text.
package instruction

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says whose instructions a file holds.
type Scope string

// The two scopes; a project's instructions come later and so win.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Limits of what is read. Text beyond them is left out and a Note says so.
const (
	MaxFile  = 64 << 10  // bytes of one file, imports included
	MaxTotal = 256 << 10 // bytes of all files
	MaxDepth = 5         // files that import files
)

// File is one instruction file, imports resolved.
type File struct {
	Path  string // absolute, with forward slashes
	Name  string // what to call it: relative to the project, or its base name
	Scope Scope
	Text  string // UTF-8 with LF line ends, without a byte order mark
	Hash  string // SHA-256 of Text in hex
}

// Note is something the user should hear about the search.
type Note struct {
	Code string // near_miss, import_missing, import_outside, import_cycle, import_depth, too_large, not_text, unreadable
	Path string // absolute, with forward slashes
	Text string // an English sentence
}

// Options say where to look. All paths are absolute.
type Options struct {
	Home string // the user's directory; empty is none
	Dir  string // the workspace
}

// Found is the result of Load: the files weakest first, so that what is read
// later may overrule, and notes in the order they came up.
type Found struct {
	Files []File
	Notes []Note
	// Repeated are the files left out because a stronger one has the same text.
	Repeated []File
}

// Names are the file names that are read, in their order within a directory. The
// ".local.md" variants are for what a person does not commit.
func Names() []string {
	return []string{
		"REASONIX.md", "AGENTS.md", "CLAUDE.md",
		"REASONIX.local.md", "AGENTS.local.md", "CLAUDE.local.md",
	}
}

// Load reads the user's and then the project's instructions. It does not fail: a
// file that cannot be read becomes a Note. Of files with equal text the strongest
// is kept.
func Load(o Options) Found {
	var l loader
	if o.Home != "" {
		l.directory(o.Home, o.Home, User)
	}
	if o.Dir != "" {
		top := repository(o.Dir)
		for _, dir := range between(top, o.Dir) {
			l.directory(top, dir, Project)
		}
	}
	files, repeated := l.distinct()
	return Found{Files: files, Notes: l.notes, Repeated: repeated}
}

// repository returns the nearest directory at or above dir that holds .git, or
// dir itself.
func repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// between lists the directories from top down to dir.
func between(top, dir string) []string {
	dirs := []string{dir}
	for dir != top {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

type loader struct {
	files []File
	notes []Note
	total int
}

func (l *loader) note(code, path, text string) {
	l.notes = append(l.notes, Note{Code: code, Path: filepath.ToSlash(path), Text: text})
}

// directory reads the instruction files of dir. Nothing outside of top is opened
// for a project, whose files and links are not the user's own; the user's files
// may themselves be links into a directory of dotfiles.
func (l *loader) directory(top, dir string, scope Scope) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return // no such directory: nothing to read
	}
	defer root.Close()
	found := false
	for _, name := range Names() {
		r := reader{l: l, root: root, top: top, scope: scope}
		text, ok := r.read(filepath.Join(dir, name), 0)
		found = found || ok
		if text = strings.TrimSpace(text); text != "" {
			l.add(top, filepath.Join(dir, name), scope, text)
		}
	}
	if !found {
		l.nearMisses(dir)
	}
}

func (l *loader) add(top, path string, scope Scope, text string) {
	if l.total+len(text) > MaxTotal {
		l.note("too_large", path, fmt.Sprintf("%s is left out: the instructions together exceed %d KB", filepath.ToSlash(path), MaxTotal>>10))
		return
	}
	l.total += len(text)
	name, err := filepath.Rel(top, path)
	if err != nil || scope == User {
		name = filepath.Base(path)
	}
	sum := sha256.Sum256([]byte(text))
	l.files = append(l.files, File{
		Path: filepath.ToSlash(path), Name: filepath.ToSlash(name),
		Scope: scope, Text: text, Hash: hex.EncodeToString(sum[:]),
	})
}

// distinct parts the files from those whose text a stronger one repeats, as when
// CLAUDE.md is a link to AGENTS.md.
func (l *loader) distinct() (files, repeated []File) {
	last := map[string]int{}
	for i, f := range l.files {
		last[f.Hash] = i
	}
	for i, f := range l.files {
		if last[f.Hash] == i {
			files = append(files, f)
		} else {
			repeated = append(repeated, f)
		}
	}
	return files, repeated
}

// nearMisses names a file that was probably meant and is not read.
func (l *loader) nearMisses(dir string) {
	for _, name := range strings.Fields("AGENT.md agents.md Agents.md agent.md AGENTS.MD AGENTS.txt AGENTS CLAUDE.MD claude.md Claude.md CLAUDE.txt reasonix.md Reasonix.md REASONIX.MD REASONIX.txt") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			l.note("near_miss", path, fmt.Sprintf("%s is not read; the names are REASONIX.md, AGENTS.md and CLAUDE.md", filepath.ToSlash(path)))
		}
	}
}
