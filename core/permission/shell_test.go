package permission_test

import (
	"strings"
	"testing"

	"reasonix/core/permission"
)

// fresh stands for an ask that no posture, grant or rule answers.
const fresh = permission.Decision(9)

type shellCase struct {
	name, policy, command string
	want                  permission.Decision
}

func judge(t *testing.T, cases []shellCase) {
	t.Helper()
	for _, c := range cases {
		p := policy(t, c.policy)
		why := p.Explain("bash", false, bash(c.command))
		got := why.Decision
		if d := p.Decide("bash", false, bash(c.command)); d != got {
			t.Errorf("%s: Decide says %v, Explain %v", c.name, d, got)
		}
		if why.Fresh {
			got = fresh
		}
		if got != c.want {
			t.Errorf("%s: [%s] %q: %v, want %v (9 is fresh): %s", c.name, c.policy, c.command, got, c.want, why.Why)
		}
	}
}

const gitRM = "allow Bash(git *); deny Bash(rm *)"

func TestPM01AChainDoesNotRideOnAnAllow(t *testing.T) {
	judge(t, []shellCase{
		{"a chain does not ride on an allow", gitRM, "git status && touch X", ask},
		{"a chain does not hide a deny", gitRM, "git status && rm -rf d", deny},
		{"all parts allowed", gitRM, "git status && git diff | git apply", allow},
	})
}

func TestPM02EverySeparatorIsSeen(t *testing.T) {
	judge(t, []shellCase{
		{"semicolon", gitRM, "git status; touch X", ask},
		{"pipe", gitRM, "git status | touch X", ask},
		{"or", gitRM, "git status || touch X", ask},
		{"background", gitRM, "git status & touch X", ask},
		{"newline", gitRM, "git status\ntouch X", ask},
		{"pipe both", gitRM, "git status |& touch X", ask},
		{"compound", gitRM, "if true; then touch X; fi", ask},
		{"compound deny", gitRM, "for f in *; do rm $f; done", deny},
		{"function", gitRM, "git() { git diff; }; git status", ask},
		{"case", gitRM, "case a in *) touch X;; esac", ask},
		{"coprocess", gitRM, "git status; coproc rm d", deny},
		{"time", gitRM, "time rm d", deny},
		{"negated", gitRM, "! rm d", deny},
		{"group", gitRM, "{ git status; rm d; }", deny},
		{"subshell", gitRM, "(git status; rm d)", deny},
		{"until", gitRM, "until rm d; do git status; done", deny},
		{"select", gitRM, "select f in a; do rm $f; done", deny},
		{"function called", "mode allow; deny Bash(rm *)", "f() { rm d; }; f", deny},
	})
}

func TestPM03NestedCommandsAreJudged(t *testing.T) {
	judge(t, []shellCase{
		{"substitution", gitRM, "git status $(touch X)", ask},
		{"backticks", gitRM, "git status `touch X`", ask},
		{"process substitution", gitRM, "git diff <(touch X)", ask},
		{"double quotes", gitRM, `git status "$(touch X)"`, ask},
		{"default value", gitRM, "git status ${A:-$(touch X)}", ask},
		{"heredoc", gitRM, "git apply <<E\n$(touch X)\nE", ask},
		{"deny inside", gitRM, `git status "$(rm -r d)"`, deny},
		{"single quotes are text", gitRM, "git commit -m '$(touch X)'", allow},
		{"quoted heredoc is text", gitRM, "git apply <<'E'\n$(touch X)\nE", allow},
		{"covered inside", gitRM, "git log $(git rev-parse HEAD)", allow},
		{"nested twice", gitRM, "git log $(git show $(rm d))", deny},
		{"written to a process", gitRM, "git log > >(rm d)", deny},
		{"in a here-string", gitRM, `git apply <<< "$(rm d)"`, deny},
		{"in an assignment", gitRM, "A=$(rm d) git log", deny},
		{"in an array", gitRM, "a=($(rm d)); git log", deny},
		{"in arithmetic", gitRM, "git log $(( $(rm d) + 1 ))", deny},
		{"in a subscript", gitRM, "git log ${a[$(rm d)]}", deny},
		{"in a test", gitRM, "[[ -n $(rm d) ]] && git log", deny},
		{"in a case", gitRM, "case $(rm d) in *) git log;; esac", deny},
		{"in a target", gitRM, "git log > $(rm d)", deny},
	})
}

func TestPM04WrappersAreSeenThrough(t *testing.T) {
	judge(t, []shellCase{
		{"assignment", "deny Bash(rm *); ask Bash(git *); mode allow", "A=1 git push", ask},
		{"env", gitRM, "env rm -r d", deny},
		{"env with assignment", gitRM, "env A=1 rm -r d", deny},
		{"command", gitRM, "command rm d", deny},
		{"sudo", gitRM, "sudo -u root rm d", deny},
		{"nice", gitRM, "nice -n 5 rm d", deny},
		{"xargs", gitRM, "git ls-files | xargs rm", deny},
		{"bash -c", gitRM, "bash -c 'rm -r d'", deny},
		{"bash -lc", gitRM, "bash -lc 'cd x && rm -r d'", deny},
		{"eval", gitRM, `eval "rm -r d"`, deny},
		{"find", gitRM, "find . -exec rm {} +", deny},
		{"find's own arguments", gitRM, "find . -name rm", ask},
		{"wrapper in wrapper", gitRM, "sudo env bash -c 'nohup rm d'", deny},
		{"an allowed program does not carry assignments", gitRM, "GIT_SSH_COMMAND=x git fetch", ask},
		{"a wrapper's rule does not allow what it starts", "allow Bash(xargs:*)", "xargs rm", ask},
		{"unless it is spelled out", "allow Bash(xargs grep:*)", "xargs grep x", allow},
		{"a shell's rule does not allow scripts", "allow Bash(bash:*)", "bash -c 'rm d'", ask},
		{"a time limit changes nothing", "allow Bash(go test:*)", "timeout 60 go test ./...", allow},
		{"with a harmless variable neither", "allow Bash(go test:*)", "CI=1 timeout 60 go test", allow},
		{"git -C", gitRM + "; ask Bash(git push:*)", "git -C x push", ask},
		{"exec", gitRM, "exec rm d", deny},
		{"setsid", gitRM, "setsid -f rm d", deny},
		{"stdbuf", gitRM, "stdbuf -oL rm d", deny},
		{"ionice", gitRM, "ionice -c 3 rm d", deny},
		{"builtin", gitRM, "builtin eval rm d", deny},
		{"path of a wrapper", gitRM, "/usr/bin/env rm d", deny},
		{"some other timeout", "allow Bash(go test:*)", "./timeout 60 go test", ask},
		{"timeout with options", "allow Bash(go test:*)", "timeout -s KILL -k 5 60 go test", allow},
		{"timeout of a variable length", "allow Bash(go test:*)", "timeout $T go test", ask},
		{"env with a harmless variable", "allow Bash(go test:*)", "env -u B LANG=C go test", allow},
		{"env that sets the path", "allow Bash(go test:*)", "env PATH=. go test", ask},
		{"env that splits", "allow Bash(go test:*)", "env A=$X go test", ask},
		{"env -S", gitRM, "env -S 'rm d'", deny},
		{"xargs of what is allowed", "allow Bash(grep:*)", "xargs -0 -n 1 grep x", allow},
		{"xargs with a placeholder", "allow Bash(git log:*)", "xargs -I{} git {} x", ask},
		{"xargs with a placeholder for the program", gitRM, "xargs -I{} {} d", fresh},
		{"xargs a shell", gitRM, "xargs -I{} sh -c 'rm {}'", deny},
		{"find of what is allowed", "allow Bash(find:*); allow Bash(grep:*)", "find . -exec grep x {} +", allow},
		{"find of what is not", "allow Bash(find:*)", "find . -exec grep x {} +", ask},
		{"find -execdir", gitRM, "find . -execdir rm {} ';'", deny},
		{"find -ok", gitRM, "find . -ok rm {} \\;", deny},
		{"find twice", gitRM, "find . -exec git add {} + -exec rm {} +", deny},
		{"find with more to come", "allow Bash(find:*); deny Bash(rm *)", "find . $X", fresh},
		{"bash -c of what is allowed", gitRM, "bash -c 'git status && git log'", allow},
		{"bash -c of what is not", gitRM, "bash -c 'git status && ls'", ask},
		{"bash -c of a variable", gitRM, `bash -c "$X"`, fresh},
		{"bash -c of part of one", gitRM, `bash -c "rm $X"`, deny},
		{"bash with an unknown option", gitRM, "bash --rcfile x -c 'git log'", ask},
		{"bash of a here-document", gitRM, "bash <<'E'\nrm d\nE", deny},
		{"bash of a harmless one", gitRM, "bash <<'E'\ngit log\nE", allow},
		{"bash of one with expansions", gitRM, "bash <<E\ngit log $X\nE", fresh},
		{"bash of a here-string", gitRM, "bash <<< 'rm d'", deny},
		{"bash of a pipe", gitRM, "git show HEAD:x | bash", fresh},
		{"bash of a pipe beside a here-document", gitRM, "{ git log | bash; } <<E\ngit log\nE", fresh},
		{"bash of a file", gitRM, "bash x.sh", ask},
		{"sudo bash of a here-document", gitRM, "sudo bash <<'E'\nrm d\nE", deny},
		{"sudo bash of a pipe", gitRM, "git log | sudo bash", fresh},
		{"eval of what is allowed", gitRM, "eval git status", allow},
		{"eval of a variable", gitRM, "eval $X", fresh},
		{"eval of quotes", gitRM, `eval 'r"m" d'`, deny},
		{"eval in eval", gitRM, "eval eval 'rm d'", deny},
		{"source", gitRM, "source x.sh", ask},
		{"trap", gitRM, "trap 'rm d' EXIT", deny},
		{"alias", gitRM, "alias x='rm d'", deny},
		{"ssh", gitRM, "ssh host 'rm d'", deny},
		{"docker exec", gitRM, "docker exec web rm d", deny},
		{"docker has a verb of that name", "mode allow; deny Bash(rm *)", "docker rm web", allow},
		{"busybox", gitRM, "busybox rm d", deny},
		{"a script in a script in a script", gitRM, `bash -c "sh -c 'eval \"rm d\"'"`, deny},
		{"a dangerous variable", "allow Bash(go test:*)", "LD_PRELOAD=x go test", ask},
		{"and another", "allow Bash(go test:*)", "export PATH=x; go test", ask},
		{"and by a loop", "allow Bash(go test:*)", "for PATH in x; do go test; done", ask},
		{"and by read", "allow Bash(go test:*); allow Bash(read:*)", "read PATH; go test", ask},
		{"and by printf", "allow Bash(go test:*); allow Bash(printf:*)", "printf -v PATH x; go test", ask},
		{"and by a default", "allow Bash(go test:*); allow Bash(echo:*)", "echo ${PATH:=x}; go test", ask},
		{"a harmless variable alone", "allow Bash(go test:*)", "X=1; export CI=2; go test", allow},
	})
}

func TestPM06FlagsAndWordBoundaries(t *testing.T) {
	judge(t, []shellCase{
		{"flags", "ask Bash(kill *); mode allow", "kill -9 1", ask},
		{"word boundary", "allow Bash(ls *)", "lsof", ask},
		{"the program alone", "allow Bash(ls *)", "ls", allow},
		{"an exact rule takes no more words", "allow Bash(git push)", "git push --force", ask},
		{"an exact rule", "allow Bash(git push)", "git  push", allow},
		{"one argument with a blank is one word", "allow Bash(rm a b)", `rm "a b"`, ask},
		{"a flag before the verb", "ask Bash(git push:*); mode allow", "git --no-pager push", ask},
		{"an exact rule for deny", "deny Bash(git push); mode allow", "git push --force", allow},
		{"a prefix for deny", "deny Bash(git push:*); mode allow", "git push --force", deny},
		{"a prefix is of words", "deny Bash(git push:*); mode allow", "git pushx", allow},
		{"letters in another order", "deny Bash(rm -rf*); mode allow", "rm -fr d", deny},
		{"letters apart", "deny Bash(rm -rf*); mode allow", "rm -r -f d", deny},
		{"letters with others", "deny Bash(rm -rf:*); mode allow", "rm -vrf d", deny},
		{"letters behind a name", "deny Bash(rm -rf*); mode allow", "rm d -rf", deny},
		{"long options", "deny Bash(rm -rf*); mode allow", "rm --recursive --force d", deny},
		{"one of the letters", "deny Bash(rm -rf*); mode allow", "rm -r d", allow},
		{"letters that are a name", "deny Bash(rm -rf*); mode allow", "rm -- -rf", allow},
	})
}

func TestPM07NoNeedlessAsking(t *testing.T) {
	judge(t, []shellCase{
		{"variable under a star", "allow Bash(mkdir -p /tmp/x-*)", "mkdir -p /tmp/x-$PPID", allow},
		{"variable as an argument", "allow Bash(echo *)", "echo $HOME", allow},
		{"mode allow with a deny list", "mode allow; deny Bash(rm -rf*)", "echo $HOME && ls *.go", allow},
		{"a glob", "mode allow; deny Bash(rm -rf*)", "rm *.o", allow},
		{"a quoted variable in a longer word", "mode allow; deny Bash(rm -rf*)", `rm "$D/x"`, allow},
		{"a variable under a prefix", "allow Bash(go test:*)", `go test "$P" $Q`, allow},
		{"a script with control flow", "allow Bash(go test:*); allow Bash(echo:*)", "for p in a b; do if go test ./$p; then echo ok; fi; done", allow},
		{"a redirection to nowhere", "allow Bash(go test:*)", "go test > /dev/null 2>&1", allow},
	})
}

func TestPM13AMixedPipeTakesTheStricter(t *testing.T) {
	judge(t, []shellCase{
		{"mixed verdicts", "allow Bash(npx *); mode deny", "npx tsc | head", deny},
		{"asked where the fallback asks", "allow Bash(npx *); mode ask", "npx tsc | head", ask},
	})
}

func TestPM17QuotingHidesNothing(t *testing.T) {
	judge(t, []shellCase{
		{"backslash", gitRM, `r\m d`, deny},
		{"quotes", gitRM, `"r"m d`, deny},
		{"ANSI-C", gitRM, `$'\x72m' d`, deny},
		{"variable", "mode allow; deny Bash(rm *)", "R=rm; $R d", fresh},
		{"path", gitRM, "/bin/rm d", deny},
		{"leading backslash", gitRM, `\rm d`, deny},
		{"glob", "mode allow; deny Bash(rm *)", "/bin/r? d", fresh},
		{"braces", "mode allow; deny Bash(rm *)", "{rm,-rf,d}", fresh},
		{"a made-up argument of a denied verb", "mode allow; deny Bash(git push:*)", "git $X", fresh},
		{"but not of another", "mode allow; deny Bash(git push:*)", "git log $X", allow},
		{"an allow needs the program as written", gitRM, "./git status", ask},
		{"nor a made-up program", "allow Bash(git:*)", "$G status", ask},
		{"half a quote", gitRM, `r"m" d`, deny},
		{"empty quotes", gitRM, `r''m d`, deny},
		{"octal", gitRM, `$'\162m' d`, deny},
		{"a line that goes on", gitRM, "r\\\nm d", deny},
		{"substitution", gitRM, "$(echo rm) d", fresh},
		{"default value", gitRM, "${X:-rm} d", fresh},
		{"array", gitRM, "a=(rm d); ${a[@]}", fresh},
		{"indirection", gitRM, "X=rm Y=X; ${!Y} d", fresh},
		{"a value that is expanded again", "allow Bash(echo:*)", "x='$(rm d)'; echo ${x@P}", ask},
		{"a value that is computed with", "allow Bash(echo:*)", "x='a[$(rm d)]'; echo $((x))", ask},
		{"a name that is evaluated", "allow Bash(test:*)", "test -v 'a[$(rm d)]'", ask},
		{"words that become flags", "mode allow; deny Bash(rm -rf*)", "rm $X d", fresh},
		{"a glob that may be a flag", "mode allow; deny Bash(rm -rf*)", "rm *", fresh},
		{"the prefix of a word", gitRM, "rm$X d", fresh},
		{"an end inside quotes", "mode allow; deny Bash(rm *)", `$'rm\0junk' d`, fresh},
		{"a number in braces", "mode allow; deny Bash(rm *)", `$'\x{72}m' d`, fresh},
		{"an octal too large", "mode allow; deny Bash(rm *)", `$'rm\400junk' d`, fresh},
		{"no escape", gitRM, `$'\git' status`, ask},
		{"no number", gitRM, `$'\xgit' status`, ask},
		{"a short number", gitRM, `$'\u72m' d`, deny},
		{"a path of another shell", "mode allow; deny Bash(rm *)", "=rm d", fresh},
		{"a pattern that another shell runs", "mode allow; deny Bash(rm *)", "ls *(e:'rm d':)", fresh},
		{"a builtin's name with a path is no builtin", "allow Bash(git *)", "/eval 'git x'", ask},
		{"braces around quotes", gitRM, `{r"m",d}`, fresh},
	})
}

func TestPM19RedirectionsAreEdits(t *testing.T) {
	judge(t, []shellCase{
		{"redirection", gitRM, "git diff > /etc/passwd", deny},
		{"append", gitRM, "git diff >> x", ask},
		{"descriptors are no files", gitRM, "git diff 2>&1 >/dev/null </dev/null", allow},
	})
}

func TestRulesAboutCommands(t *testing.T) {
	judge(t, []shellCase{
		{"syntax error", gitRM, "git status (", fresh},
		{"syntax error with mode allow", "mode allow; deny Bash(rm *)", "rm d; fi", fresh},
		{"bare allow", "allow Bash", "anything > at all; $X", allow},
		{"bare allow with a carved deny", "allow Bash; deny Bash(rm -rf*)", "cd / && rm -rf *", deny},
		{"ask beats allow", "allow Bash; ask Bash(git push:*)", "git push", ask},
		{"deny beats ask", "ask Bash; deny Bash(git push:*)", "git push", deny},
		{"the whole script as written", "allow Bash(a && b > c)", "a && b > c", allow},
		{"literal", "allow bash=ls *.go", "ls *.go", allow},
		{"literal is literal", "allow bash=ls *.go", "ls x.go", ask},
		{"empty", gitRM, "", ask},
		{"comment", gitRM, "# git status", ask},
	})
}

// What bash takes for an argument may be a command to PowerShell.
func TestPowerShellIsReadOnlyWhenPlain(t *testing.T) {
	p := policy(t, "allow Bash(git *); deny Bash(rm *)")
	p.PowerShell = true
	for command, want := range map[string]permission.Decision{
		"git status": allow, "rm x": deny, "git log @(rm x)": ask, "git log; rm x": ask, "iex 'rm x'": ask, "dir": ask,
	} {
		if got := p.Decide("bash", false, bash(command)); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}

// Wrappers in wrappers and scripts in scripts are taken apart in linear time.
func TestNestingIsBounded(t *testing.T) {
	p := policy(t, "allow Bash(git *); deny Bash(rm *)")
	for name, c := range map[string]struct {
		command string
		want    permission.Decision
	}{
		"wrappers":           {strings.Repeat("sudo ", 2000) + "rm x", deny},
		"wrappers, harmless": {strings.Repeat("env ", 2000) + "ls", ask},
		"evals":              {strings.Repeat("eval ", 50) + "'rm x' 'c d'", deny},
		"find":               {"find " + strings.Repeat("-exec env ", 6000) + "ls", ask},
		"braces":             {"git " + strings.Repeat("{a,b}", 10000), allow},
		"sequences":          {"git {1..999999999}", allow},
		"loops":              {strings.Repeat("for a in b; do ", 3000) + "git x" + strings.Repeat("; done", 3000), ask},
		"steps":              {strings.Repeat("git x;", 10000), allow},
		"too long":           {"git " + strings.Repeat("x", 1<<20), ask},
	} {
		if got := p.Decide("bash", false, bash(c.command)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
