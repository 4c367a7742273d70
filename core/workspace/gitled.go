package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/durable"
	"reasonix/core/internal/gitconfig"
)

// maxGitConfig bounds, in bytes, a configuration that is read for what it leads to.
const maxGitConfig = 1 << 20

// maxIncludes bounds how many files of settings are followed.
const maxIncludes = 32

// gitLed lists what the configurations at paths, of the repository whose working tree is
// at root, have git run or read further settings from, as far as it lies in root: what is
// elsewhere is not for tools to write anyway.
func gitLed(root string, configs ...string) (led []string) {
	queue := slices.Clone(configs)
	for i := 0; i < len(queue) && i < maxIncludes; i++ {
		data, err := durable.ReadFile(queue[i], maxGitConfig)
		if err != nil {
			continue
		}
		for s := range gitconfig.Settings(data) {
			switch {
			case s.Key == "path" && (s.Section == "include" || s.Section == "includeif"):
				if file, ok := inside(root, filepath.Dir(queue[i]), s.Value); ok && !slices.Contains(queue, file) {
					led, queue = append(led, file), append(queue, file)
				}
			case s.Key == "hookspath" && s.Section == "core", s.Key == "templatedir" && s.Section == "init":
				if dir, ok := inside(root, root, s.Value); ok {
					led = append(led, dir)
				}
			case runsProgram(s):
				led = append(led, programsIn(root, s.Value)...)
			}
		}
	}
	return led
}

// runsProgram reports whether git runs the value of s.
func runsProgram(s gitconfig.Setting) bool {
	switch s.Key {
	case "command", "textconv", "driver", "clean", "smudge", "process", "cmd", "program", "helper", "editor", "pager", "askpass", "sshcommand",
		"fsmonitor", "gitproxy", "external", "difffilter", "packobjectshook", "recursive", "alternaterefscommand", "helpercommand",
		"uploadpack", "receivepack", "defaultkeycommand", "update", "smtpserver", "sendmailcmd", "tocmd", "cccmd", "headercmd":
		return true
	case "path": // of the program that shows differences, merges, browses or reads manuals
		return s.Section == "difftool" || s.Section == "mergetool" || s.Section == "browser" || s.Section == "man"
	case "url", "pushurl": // ext::PROGRAM
		return strings.HasPrefix(s.Value, "ext::")
	}
	return s.Section == "alias" || s.Section == "pager"
}

// programsIn lists the files below root that a command names, and those that it would
// start if they were there.
func programsIn(root, command string) (files []string) {
	for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;&|()<>=!", r) }) {
		file, ok := inside(root, root, word)
		info, err := os.Lstat(file)
		if ok && (err == nil && !info.IsDir() || errors.Is(err, fs.ErrNotExist) && script(word)) {
			files = append(files, file)
		}
	}
	return files
}

// script reports whether a word of a command looks like the path of a program: ./x, or
// what has an extension below a directory.
func script(word string) bool {
	return !strings.ContainsAny(word, "%$*?{}:") && (strings.HasPrefix(word, "./") || strings.Contains(word, "/") && filepath.Ext(word) != "")
}

// inside resolves name, relative to dir, to what lies below root.
func inside(root, dir, name string) (string, bool) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", false
	}
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	return path, path != root && contains(root, path)
}
