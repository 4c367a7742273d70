package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An expander turns what a person writes for a path into an absolute path.
type expander struct {
	environ         map[string]string
	home, workspace string // of reasonix; of the project
}

// expand resolves ~, $VAR, ${VAR} and ${VAR:-default}, and puts a relative path
// on its base: the workspace, or <home> for the user's own file. What cannot be
// resolved is refused, so that no directory called ~ is ever made, and no list has
// an empty path. A program to look up on PATH keeps its bare name.
func (x expander) expand(k Key, s string, layer Layer) (string, error) {
	if s == "" && k.Kind != KindStrings {
		return "", nil
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) >= 0 {
		return "", errors.New(`want a path without control characters: write a Windows path in single quotes: 'C:\new'`)
	}
	if k.Path == "tools.shell.path" && !strings.ContainsAny(s, `/\~$`) {
		return s, nil
	}
	path, err := x.variables(s)
	if err != nil {
		return "", err
	}
	if path, err = x.tilde(path); err != nil {
		return "", err
	}
	if path == "" {
		return "", errors.New("want a path: this one is empty")
	}
	return x.absolute(k, path, layer)
}

// absolute puts a relative path on its base. What must not be read is named
// absolutely: a rule that moves with the working directory protects nothing.
func (x expander) absolute(k Key, path string, layer Layer) (string, error) {
	switch {
	case filepath.IsAbs(path) || drivePath(path):
		return filepath.Clean(path), nil
	case os.IsPathSeparator(path[0]): // Windows: on the current drive
		return filepath.Join(filepath.VolumeName(x.workspace), path), nil
	case k.Path == "sandbox.forbid_read":
		return "", errors.New("want an absolute path, or one that begins with ~/ or a variable")
	}
	base := x.workspace
	if layer == LayerUser && !strings.HasPrefix(k.Path, "sandbox.") {
		base = x.home
	}
	if base == "" {
		return "", errors.New("want an absolute path: there is no directory it could be relative to")
	}
	return filepath.Join(base, filepath.FromSlash(path)), nil
}

// inside reports whether path lies in dir, links resolved. What does not exist yet
// lies where its nearest directory does; a link that leads nowhere lies outside.
func inside(dir, path string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			rel, err := filepath.Rel(dir, filepath.Join(real, rest))
			return err == nil && filepath.IsLocal(rel)
		}
		if _, err := os.Lstat(path); err == nil || path == filepath.Dir(path) {
			return false
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
}

// drivePath reports a Windows path, which a file shared between systems may hold.
func drivePath(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

func (x expander) tilde(s string) (string, error) {
	if !strings.HasPrefix(s, "~") {
		return s, nil
	}
	if len(s) > 1 && s[1] != '/' && s[1] != '\\' {
		return "", errors.New("want ~/ for your own home directory; others need a full path")
	}
	home, err := x.variable("HOME")
	if err != nil {
		return "", err
	}
	return filepath.Join(home, s[1:]), nil
}

func (x expander) variables(s string) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, fallback, rest, err := cutVariable(after)
		if err != nil {
			return "", err
		}
		value, err := x.variable(name)
		if err != nil && fallback == nil {
			return "", err
		}
		if err != nil {
			value = *fallback
		}
		b.WriteString(value)
		s = rest
	}
}

// cutVariable takes NAME, {NAME} or {NAME:-default} off the front of s.
func cutVariable(s string) (name string, fallback *string, rest string, err error) {
	if strings.HasPrefix(s, "{") {
		inner, rest, ok := strings.Cut(s[1:], "}")
		if !ok {
			return "", nil, "", errors.New("want } after ${")
		}
		name, def, has := strings.Cut(inner, ":-")
		if has {
			fallback = &def
		}
		if !variableName(name) {
			return "", nil, "", fmt.Errorf("want a variable's name in ${%s}", inner)
		}
		return name, fallback, rest, nil
	}
	end := 0
	for end < len(s) && variableName(s[:end+1]) {
		end++
	}
	if end == 0 {
		return "", nil, "", errors.New("want a variable's name after $")
	}
	return s[:end], nil, s[end:], nil
}

// variableName reports whether s can name an environment variable.
func variableName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func (x expander) variable(name string) (string, error) {
	value := x.environ[name]
	if value == "" && name == "HOME" {
		value = x.environ["USERPROFILE"]
	}
	if value == "" {
		return "", fmt.Errorf("want a variable that is set: %s is not", name)
	}
	return value, nil
}
