package permission_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/permission"
)

// secret is what no command of the table may print.
const secret = "CANARY-4711"

// jail is a home directory with a secret, a workspace that is a repository, and
// programs of many names that leave a mark when they are started.
type jail struct {
	top, work, home, bin, mark string
	policy                     permission.Policy
}

func newJail(t *testing.T) jail {
	t.Helper()
	j := jail{top: t.TempDir()}
	j.work, j.home, j.bin, j.mark = filepath.Join(j.top, "work"), filepath.Join(j.top, "home"), filepath.Join(j.top, "bin"), filepath.Join(j.top, "mark")
	for name, text := range map[string]string{
		"home/.netrc": secret, "home/.ssh/id": secret, "home/.docker/config.json": `{"a":"` + secret + `"}`, "home/notes.txt": "notes", "work/a": "b\na\n", "work/b.json": "{}",
		"work/list": "../home/.netrc\x00", "work/lines": "../home/.netrc\n", "work/sub/c": "c", "home/script.sed": "p", "empty/x": "", "work/--output=x": "",
	} {
		j.write(t, name, text, 0o600)
	}
	for _, name := range strings.Fields("pager less more most vi vim nano emacs editor sensible-editor sensible-pager ssh gzip gunzip zcat bzip2 xz zstd pr lpr evil dot mail browser xdg-open lesspipe") {
		j.write(t, "bin/"+name, "#!/bin/sh\necho started >> "+j.mark+"\n", 0o700)
	}
	for _, line := range []string{"git init -q .", "git add .", "git -c user.name=a -c user.email=a@b commit -qm x", "git status"} {
		j.run(t, j.work, line)
	}
	j.policy = permission.Policy{
		Mode: permission.Ask, Root: j.work, Home: j.home, ReadOnlyCommands: true,
		Repository: func(dir string) string {
			if dir == j.work {
				return j.work
			}
			return ""
		},
		Nested: func(string) bool { return false },
		Places: permission.Places{Secrets: []string{j.home + "/.netrc", j.home + "/.ssh", j.home + "/.docker"}},
	}
	return j
}

func (j jail) write(t *testing.T, name, text string, mode fs.FileMode) {
	t.Helper()
	file := filepath.Join(j.top, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// run runs a script as the shell tool would, and returns what it says.
func (j jail) run(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("../home/.netrc\x00")
	cmd.Env = []string{
		"HOME=" + j.home, "PATH=" + j.bin + ":" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "PAGER=evil", "GIT_PAGER=evil", "EDITOR=evil", "GIT_EDITOR=evil", "VISUAL=evil", "BROWSER=evil", "LESSOPEN=|evil %s", "MANPAGER=evil", "GOTOOLCHAIN=local", "GOCACHE=" + t.TempDir(), "XDG_CONFIG_HOME=" + t.TempDir(), // go fills its cache and counts its runs when it reads
	}
	out, _ := cmd.CombinedOutput() // most of what is tried fails
	if ctx.Err() != nil {
		t.Errorf("it does not end: %s", script)
	}
	return string(out)
}

// changed lists the files below the jail that are not as in before, which it
// updates. Git refreshes its index when it reads.
func (j jail) changed(t *testing.T, before map[string]string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(j.top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".git/index") {
			return err
		}
		text, err := os.ReadFile(name)
		if had, ok := before[name]; !ok || had != string(text) {
			names = append(names, name)
		}
		before[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// usage are arguments that a command may be given, whatever it makes of them.
var usage = []string{
	"", "~", "~/.netrc", "a", "a b.json", ".", "*", "~/*", "~/.*", "../empty ~", "-N ../empty ~", "-r ~ ../empty", "-rN ../empty ../home", "--files0-from=-", "--files0-from=list", "--files0-from list", "--files0=list", "-o x a", "-ox a", "-ao x", "--output=x a", "--outp x a",
	"--compress-program=evil a", "-S1 --compress-program evil a", "-f lines", "--file=lines", "--files-from=lines", "--from-file=lines a", "-m lines a", "-C -m a", "-L ~ . b.json", "--pre=evil c .", "--pre evil c", "--hostname-bin=evil --hyperlink-format=default c", "-z c .", "-Z a", "-l a b.json", "--paginate a b.json",
	"-exec evil ;", ". -exec evil {} +", ". -delete", ". -fprint x", ". -fls x", "-files0-from list", "-s 2020-01-01", "-w x", "-n 'w x' a", "-n 'r ../home/.netrc' a", "'1e evil' a", "-i s/a/b/ a", "-e p -e 'w x' a", "-f ../home/script.sed a", "-R", "-r CANARY ..", "-R CANARY", "-d recurse CANARY ..", "CANARY ..", "CANARY ~", "CANARY",
	`-n 'import "config" as $c {search:"../home/.docker"}; $c'`, `-n --slurpfile x ../home/.docker/config.json '$x'`, `. ../home/.docker/config.json`, "--random-source=../home/.netrc a", "-T sub a", "--config=x", "--version",
	"env", "env -w A=b", "doc fmt.Println", "doc -http", "-v x evil", "-v evil", "evil", "-V ls",
}

// gitUsage are those of git.
var gitUsage = []string{
	"status", "diff", "log", "show HEAD:a", "diff --no-index ../empty ~", "diff --no-index ../empty ../home", "diff ../empty ../home", "diff --output=x", "log -p --output x", "diff --ext-diff", "log --textconv -p", "grep --no-index CANARY ..", "grep --no-index CANARY", "grep -Oevil b", "grep --open-files-in-pager=evil b", "grep b", "-p log", "--paginate log",
	"cat-file --filters HEAD:a", "blame --contents ../home/.netrc a", "branch x", "tag x", "stash", "stash list", "stash show -p", "reflog", "reflog expire --all", "config -l", "config a.b c", "config -e", "config --file ../home/.netrc -l", "worktree list", "worktree add ../x", "submodule status", "submodule foreach evil", "notes list", "notes add -m x", "remote -v", "remote add a b",
	"-c core.fsmonitor=evil status", "-c core.pager=evil -p log", "-C ../home grep CANARY", "ls-files -X ../home/.netrc -o", "for-each-ref", "rev-list HEAD", "range-diff HEAD HEAD HEAD", "symbolic-ref HEAD refs/heads/x", "check-ignore -v a", "difftool -y HEAD", "shortlog HEAD", "whatchanged -1", "version",
}

// What the table says only reads prints no secret, writes nothing and starts nothing.
func TestTheTableHoldsInAJail(t *testing.T) {
	j := newJail(t)
	before := map[string]string{}
	j.changed(t, before)
	for _, line := range permission.ReadOnlyCommands() {
		names, _, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(line, "true false : ") {
			names = line
		}
		for name := range strings.FieldsSeq(names) {
			if _, err := exec.LookPath(name); err != nil && name != "shift" && name != "wait" || name == "sleep" {
				continue // what is not here is proved elsewhere
			}
			var script []string
			list := usage
			if name == "git" {
				list = append(gitUsage, usage...)
			}
			for _, args := range list {
				if name == "tail" && strings.HasPrefix(args, "-f ") {
					continue // it would follow the file
				}
				commands := []string{name + " " + args, "F=" + strings.ReplaceAll(args, " ", `\ `) + "; " + name + " $F"}
				if strings.ContainsAny(args, "C*") || args == "." {
					commands = append(commands, "cd ~ && "+name+" "+args)
				} else if args == "" {
					commands = append(commands, "cat lines | xargs "+name)
				}
				for _, command := range commands {
					if j.policy.Decide("bash", false, bash(command)) == allow {
						script = append(script, command)
					}
				}
			}
			said := j.run(t, j.work, "( "+strings.Join(script, "\n) <list\n( ")+"\n) <list")
			if at := strings.Index(said, secret); at >= 0 {
				t.Errorf("%s prints the secret: %q; of\n%s", name, said[max(0, at-100):at], strings.Join(script, "\n"))
			}
			if names := j.changed(t, before); names != nil {
				t.Errorf("%s changes %q; of\n%s", name, names, strings.Join(script, "\n"))
			}
		}
	}
}

// The jail notices what it is there to notice.
func TestTheJailHasItsCanaries(t *testing.T) {
	j := newJail(t)
	before := map[string]string{}
	j.changed(t, before)
	if said := j.run(t, j.work, "cat ../home/.netrc"); !strings.Contains(said, secret) {
		t.Errorf("cat says %q", said)
	}
	for _, script := range []string{"less a", "sort -o x a", "git log -p --output=y"} {
		j.run(t, j.work, script)
		if j.changed(t, before) == nil {
			t.Errorf("%q leaves no mark", script)
		}
	}
}
