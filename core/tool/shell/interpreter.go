package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"reasonix/core/tool"
)

type kind int

const (
	kindNone kind = iota
	kindBash
	kindPosix
	kindPowerShell
)

// interpreter is the program that runs a session's commands.
type interpreter struct {
	kind kind
	path string
}

// String names it as the model is told: "bash". Where it is helps nobody.
func (in interpreter) String() string {
	if in.kind == kindNone {
		return "a shell"
	}
	return in.name()
}

// name is the program's name without directory and extension.
func (in interpreter) name() string {
	return strings.TrimSuffix(strings.ToLower(filepath.Base(in.path)), ".exe")
}

// kindOf tells a shell's language by its name; unknown ones are taken for POSIX
// shells.
func kindOf(path string) kind {
	switch (interpreter{path: path}).name() {
	case "bash":
		return kindBash
	case "pwsh", "powershell":
		return kindPowerShell
	}
	return kindPosix
}

// choose picks the interpreter the settings ask for.
func choose(set tool.Settings) (interpreter, error) {
	if set.ShellPath != "" {
		return explicit(set)
	}
	search := newSearch(set.Environ)
	for _, name := range candidates(set.Shell) {
		if path := search.find(name); path != "" {
			return interpreter{kind: kindOf(path), path: path}, nil
		}
	}
	return interpreter{}, fmt.Errorf("tools.shell.prefer = %q: no %s found in PATH",
		set.Shell, strings.Join(candidates(set.Shell), ", "))
}

func explicit(set tool.Settings) (interpreter, error) {
	info, err := os.Stat(set.ShellPath)
	if err != nil {
		return interpreter{}, fmt.Errorf("tools.shell.path: %w", err)
	}
	if info.IsDir() || !filepath.IsAbs(set.ShellPath) {
		return interpreter{}, fmt.Errorf("tools.shell.path: %s is not the absolute path of a program", slashed(set.ShellPath))
	}
	in := interpreter{kind: kindOf(set.ShellPath), path: set.ShellPath}
	switch set.Shell {
	case "bash":
		in.kind = kindBash
	case "powershell", "pwsh":
		in.kind = kindPowerShell
	}
	return in, nil
}

// candidates are the names to look for, best first.
func candidates(prefer string) []string {
	switch {
	case prefer != "" && prefer != "auto":
		return []string{prefer}
	case runtime.GOOS == "windows":
		return []string{"bash", "pwsh", "powershell"}
	}
	return []string{"bash", "sh"}
}

// search looks programs up in a command's environment, not ours.
type search struct {
	dirs []string
	git  bool // Git for Windows brings a bash that is not in PATH
}

func newSearch(environ []string) search {
	s := search{git: runtime.GOOS == "windows"}
	for _, kv := range environ {
		key, value, _ := strings.Cut(kv, "=")
		if key == "PATH" || s.git && strings.EqualFold(key, "PATH") {
			s.dirs = filepath.SplitList(value)
		}
	}
	if !s.git {
		s.dirs = append(s.dirs, "/bin", "/usr/bin", "/usr/local/bin")
	}
	return s
}

func (s search) find(name string) string {
	for _, dir := range s.dirs {
		if !filepath.IsAbs(dir) || s.git && name == "bash" && linuxSubsystem(dir) {
			continue
		}
		if path := executable(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	if s.git && name == "bash" {
		return s.gitBash()
	}
	return ""
}

// gitBash finds the bash beside a git in PATH: Git\cmd\git.exe, Git\bin\bash.exe.
func (s search) gitBash() string {
	for _, dir := range s.dirs {
		if filepath.IsAbs(dir) && executable(filepath.Join(dir, "git")) != "" {
			if path := executable(filepath.Join(filepath.Dir(dir), "bin", "bash")); path != "" {
				return path
			}
		}
	}
	return ""
}

// linuxSubsystem tells whether a directory's bash.exe starts a Linux that sees
// other paths than ours.
func linuxSubsystem(dir string) bool {
	switch strings.ToLower(filepath.Base(dir)) {
	case "system32", "sysnative", "windowsapps":
		return true
	}
	return false
}

// executable returns path, with the system's extension, if it is a program.
func executable(path string) string {
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return ""
	}
	return path
}
