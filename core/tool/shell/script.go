package shell

import (
	"os"
	"runtime"
	"strings"

	"reasonix/core/durable"
)

// scriptVar hands the command text to the shell: as a variable it needs no
// quoting, and it is not part of a command line that pkill -f would match.
const scriptVar = "REASONIX_SCRIPT"

// maxScriptVar is below what the kernel takes as one variable (128 KiB); longer
// commands go through a file.
const maxScriptVar = 100 << 10

// A launch is one prepared call: the process to start, and the file into which its
// shell writes, at its end, where it is.
type launch struct {
	argv, env []string
	dir       string
	dump      string
	files     []string // to remove
	parse     func(dump string) (dir string, exported []string, ok bool)
}

// remove deletes the launch's files.
func (l *launch) remove() {
	for _, f := range l.files {
		_ = os.Remove(f)
	}
}

// maxState bounds, in bytes, what a launch tells of its end. A command can write
// into that file, or put another thing in its place.
const maxState = 16 << 20

// after returns where the launch's shell ended, or before when it did not tell.
func (l *launch) after(before place) place {
	data, err := durable.ReadFile(l.dump, maxState)
	if err != nil {
		return before
	}
	dir, exported, ok := l.parse(string(data))
	if !ok {
		return before
	}
	return place{dir: dir, env: merge(before.env, exported)}
}

// file makes a private file of the launch's with content.
func (l *launch) file(temp, pattern, content string) (string, error) {
	f, err := os.CreateTemp(temp, pattern) // mode 0600
	if err != nil {
		return "", err
	}
	l.files = append(l.files, f.Name())
	if content != "" {
		_, err = f.WriteString(content)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), err
}

// prepare makes the launch that runs command at a place.
func (in interpreter) prepare(command string, at place, temp string) (*launch, error) {
	l := &launch{dir: at.dir}
	dump, err := l.file(temp, "shell-state-*", "")
	if err != nil {
		return nil, err
	}
	l.dump = dump
	l.env = append(at.env, "PWD="+at.dir)
	if in.kind == kindPowerShell {
		err = l.powerShell(in, command, temp)
	} else {
		err = l.posix(in, command, temp)
	}
	if err != nil {
		l.remove()
		return nil, err
	}
	return l, nil
}

// posix sets the launch up for a POSIX shell. The wrapper is one line, so that line
// numbers in the shell's messages are those of the command.
func (l *launch) posix(in interpreter, command, temp string) error {
	script := "$" + scriptVar
	if len(command) <= maxScriptVar {
		l.env = append(l.env, scriptVar+"="+command)
	} else {
		path, err := l.file(temp, "shell-command-*", command)
		if err != nil {
			return err
		}
		script = "$(cat " + quote(slashed(path)) + ")"
	}
	quiet, save := saveState(in.kind == kindBash, quote(slashed(l.dump)))
	wrapper := "trap " + quote("{ "+quiet+" } >/dev/null 2>&1; "+save) + " EXIT; " +
		`eval "unset ` + scriptVar + ";" + script + `"; ` +
		`{ set -- "$?"; ` + quiet + " } >/dev/null 2>&1; " + save + `; exit "$1"`
	l.argv = []string{in.path, "-c", wrapper, in.name()}
	l.parse = parsePosix
	return nil
}

// saveState returns the commands that write a shell's directory and exported
// variables to a file, and before them those that keep the command's own tracing
// and traps out of it. They run twice when the command does not call exit: it may
// have set an EXIT trap of its own, which then runs last.
func saveState(isBash bool, file string) (quiet, save string) {
	builtin := ""
	quiet = "set +euxvf;"
	if isBash {
		// The command may have functions of these names.
		builtin = "builtin "
		quiet = "builtin set +euxvf; builtin trap - DEBUG ERR RETURN;"
	}
	pwd, path := "pwd", ""
	if runtime.GOOS == "windows" {
		pwd, path = "pwd -W", `cygpath -wp "$PATH"; `+builtin+`printf '\0'; `
	}
	return quiet, "[ -s " + file + " ] || { " +
		builtin + pwd + "; " + builtin + `printf '\0'; ` +
		builtin + "export -p; " + builtin + `printf '\0'; ` +
		path + "} >|" + file + " 2>/dev/null"
}

// quote makes s one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// parsePosix reads what saveState wrote: the directory, the exports as commands,
// and on Windows the PATH as Windows writes it, each ended by a NUL.
func parsePosix(dump string) (dir string, exported []string, ok bool) {
	parts := strings.Split(dump, "\x00")
	if len(parts) < 3 || parts[len(parts)-1] != "" {
		return "", nil, false
	}
	dir = strings.TrimSuffix(parts[0], "\n")
	exported, ok = parseExports(parts[1])
	if !ok || dir == "" {
		return "", nil, false
	}
	if len(parts) == 4 {
		exported = windowsValues(exported, strings.TrimSpace(parts[2]))
	}
	return dir, exported, true
}

// windowsValues undoes what a POSIX layer does to variables that Windows
// programs read as paths.
func windowsValues(exported []string, path string) []string {
	for i, kv := range exported {
		if strings.EqualFold(name(kv), "PATH") && path != "" {
			exported[i] = name(kv) + "=" + path
		}
	}
	return exported
}
