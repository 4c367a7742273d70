package shell

import (
	"os"
	"runtime"
	"strings"
)

// scriptVar hands the command text to the shell: as a variable it needs no
// quoting, and it is not part of a command line that pkill -f would match.
const scriptVar = "REASONIX_SCRIPT"

// maxScriptVar is below what the kernel takes as one variable (128 KiB); longer
// commands go through a file.
const maxScriptVar = 100 << 10

// A job is one prepared call: the process to start, and the file into which its
// shell writes, at its end, where it is.
type job struct {
	argv, env []string
	dir       string
	dump      string
	files     []string // to remove
	parse     func(dump string) (dir string, exported []string, ok bool)
}

// remove deletes the job's files.
func (j *job) remove() {
	for _, f := range j.files {
		_ = os.Remove(f)
	}
}

// after returns where the job's shell ended, or before when it did not tell.
func (j *job) after(before place) place {
	data, err := os.ReadFile(j.dump)
	if err != nil {
		return before
	}
	dir, exported, ok := j.parse(string(data))
	if !ok {
		return before
	}
	return place{dir: dir, env: merge(before.env, exported)}
}

// file makes a private file of the job's with content.
func (j *job) file(temp, pattern, content string) (string, error) {
	f, err := os.CreateTemp(temp, pattern) // mode 0600
	if err != nil {
		return "", err
	}
	j.files = append(j.files, f.Name())
	if content != "" {
		_, err = f.WriteString(content)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), err
}

// prepare makes the job that runs command at a place.
func (in interpreter) prepare(command string, at place, temp string) (*job, error) {
	j := &job{dir: at.dir}
	dump, err := j.file(temp, "shell-state-*", "")
	if err != nil {
		return nil, err
	}
	j.dump = dump
	j.env = append(at.env, "PWD="+at.dir)
	if in.kind == kindPowerShell {
		err = j.powerShell(in, command, temp)
	} else {
		err = j.posix(in, command, temp)
	}
	if err != nil {
		j.remove()
		return nil, err
	}
	return j, nil
}

// posix sets the job up for a POSIX shell. The wrapper is one line, so that line
// numbers in the shell's messages are those of the command.
func (j *job) posix(in interpreter, command, temp string) error {
	script := "$" + scriptVar
	if len(command) <= maxScriptVar {
		j.env = append(j.env, scriptVar+"="+command)
	} else {
		path, err := j.file(temp, "shell-command-*", command)
		if err != nil {
			return err
		}
		script = "$(cat " + quote(slashed(path)) + ")"
	}
	quiet, save := saveState(in.kind == kindBash, quote(slashed(j.dump)))
	wrapper := "trap " + quote("{ "+quiet+" } >/dev/null 2>&1; "+save) + " EXIT; " +
		`eval "unset ` + scriptVar + ";" + script + `"; ` +
		`{ set -- "$?"; ` + quiet + " } >/dev/null 2>&1; " + save + `; exit "$1"`
	j.argv = []string{in.path, "-c", wrapper, in.name()}
	j.parse = parsePosix
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
