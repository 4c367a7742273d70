package environment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// managers are programs that stand in for others, which they look up, install or
// configure when they are run: asking one for a version may write files and run
// whatever its configuration, or PATH, names.
func managers() []string {
	return strings.Fields("rustup rustup-init pyenv rbenv nodenv goenv jenv phpenv plenv tfenv asdf mise rtx volta volta-shim proto-shim vfox aqua-proxy")
}

// isShim reports whether path is a version manager under the name of a program: a
// link or a hard link to one, or a script that starts one or lies in a directory
// of shims.
func isShim(path string) bool {
	if isManager(filepath.Base(resolved(path))) || besideItsManager(path) {
		return true
	}
	text := start(path)
	if !strings.HasPrefix(text, "#!") {
		return false
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(resolved(path))} {
		if filepath.Base(dir) == "shims" {
			return true
		}
	}
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		return isManager(filepath.Base(strings.Trim(word, `"'`)))
	})
}

func isManager(name string) bool {
	return slices.Contains(managers(), strings.TrimSuffix(strings.ToLower(name), ".exe"))
}

// besideItsManager finds rustup's proxies, which are hard links or copies of it in
// one directory.
func besideItsManager(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, name := range []string{"rustup", "rustup.exe"} {
		manager, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		if err == nil && (os.SameFile(info, manager) || info.Size() == manager.Size()) {
			return true
		}
	}
	return false
}

// safePath is PATH without relative directories and those of the workspace, where
// a program that is asked would find others of a stranger's making.
func (p *prober) safePath() string {
	dirs := filepath.SplitList(getenv(p.o.Environ, "PATH"))
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !p.mayRun(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}
