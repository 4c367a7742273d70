package permission_test

import (
	"strings"
	"testing"

	"reasonix/core/permission"
)

func TestShellCommands(t *testing.T) {
	const gitRM = "allow Bash(git *); deny Bash(rm *)"
	for _, c := range []struct {
		name, policy, command string
		want                  permission.Decision
	}{
		{"PM-01 a chain does not ride on an allow", gitRM, "git status && touch X", ask},
		{"PM-01 a chain does not hide a deny", gitRM, "git status && rm -rf d", deny},
		{"PM-01 all parts allowed", gitRM, "git status && git diff | git apply", allow},
		{"PM-02 semicolon", gitRM, "git status; touch X", ask},
		{"PM-02 pipe", gitRM, "git status | touch X", ask},
		{"PM-02 or", gitRM, "git status || touch X", ask},
		{"PM-02 background", gitRM, "git status & touch X", ask},
		{"PM-02 newline", gitRM, "git status\ntouch X", ask},
		{"PM-02 pipe both", gitRM, "git status |& touch X", ask},
		{"PM-02 compound", gitRM, "if true; then touch X; fi", ask},
		{"PM-02 compound deny", gitRM, "for f in *; do rm $f; done", deny},
		{"PM-02 function", gitRM, "git() { git diff; }; git status", ask},
		{"PM-03 substitution", gitRM, "git status $(touch X)", ask},
		{"PM-03 backticks", gitRM, "git status `touch X`", ask},
		{"PM-03 process substitution", gitRM, "git diff <(touch X)", ask},
		{"PM-03 double quotes", gitRM, `git status "$(touch X)"`, ask},
		{"PM-03 default value", gitRM, "git status ${A:-$(touch X)}", ask},
		{"PM-03 heredoc", gitRM, "git apply <<E\n$(touch X)\nE", ask},
		{"PM-03 deny inside", gitRM, `git status "$(rm -r d)"`, deny},
		{"PM-03 single quotes are text", gitRM, "git commit -m '$(touch X)'", allow},
		{"PM-03 quoted heredoc is text", gitRM, "git apply <<'E'\n$(touch X)\nE", allow},
		{"PM-03 covered inside", gitRM, "git log $(git rev-parse HEAD)", allow},
		{"PM-04 assignment", "deny Bash(rm *); ask Bash(git *); mode allow", "A=1 git push", ask},
		{"PM-04 env", gitRM, "env rm -r d", deny},
		{"PM-04 env with assignment", gitRM, "env A=1 rm -r d", deny},
		{"PM-04 command", gitRM, "command rm d", deny},
		{"PM-04 sudo", gitRM, "sudo -u root rm d", deny},
		{"PM-04 nice", gitRM, "nice -n 5 rm d", deny},
		{"PM-04 xargs", gitRM, "git ls-files | xargs rm", deny},
		{"PM-04 bash -c", gitRM, "bash -c 'rm -r d'", deny},
		{"PM-04 bash -lc", gitRM, "bash -lc 'cd x && rm -r d'", deny},
		{"PM-04 eval", gitRM, `eval "rm -r d"`, deny},
		{"PM-04 find", gitRM, "find . -exec rm {} +", deny},
		{"PM-04 find's own arguments", gitRM, "find . -name rm", ask},
		{"PM-04 wrapper in wrapper", gitRM, "sudo env bash -c 'nohup rm d'", deny},
		{"PM-04 an allowed program does not carry assignments", gitRM, "GIT_SSH_COMMAND=x git fetch", ask},
		{"PM-04 a wrapper's rule does not allow what it starts", "allow Bash(xargs:*)", "xargs rm", ask},
		{"PM-04 unless it is spelled out", "allow Bash(xargs grep:*)", "xargs grep x", allow},
		{"PM-04 a shell's rule does not allow scripts", "allow Bash(bash:*)", "bash -c 'rm d'", ask},
		{"PM-04 a time limit changes nothing", "allow Bash(go test:*)", "timeout 60 go test ./...", allow},
		{"PM-04 with a harmless variable neither", "allow Bash(go test:*)", "A=1 timeout 60 go test", allow},
		{"PM-06 flags", "ask Bash(kill *); mode allow", "kill -9 1", ask},
		{"PM-06 word boundary", "allow Bash(ls *)", "lsof", ask},
		{"PM-06 the program alone", "allow Bash(ls *)", "ls", allow},
		{"PM-06 an exact rule takes no more words", "allow Bash(git push)", "git push --force", ask},
		{"PM-06 an exact rule", "allow Bash(git push)", "git  push", allow},
		{"PM-06 one argument with a blank is one word", "allow Bash(rm a b)", `rm "a b"`, ask},
		{"PM-07 variable under a star", "allow Bash(mkdir -p /tmp/x-*)", "mkdir -p /tmp/x-$PPID", allow},
		{"PM-07 variable as an argument", "allow Bash(echo *)", "echo $HOME", allow},
		{"PM-07 mode allow with a deny list", "mode allow; deny Bash(rm -rf*)", "echo $HOME && ls *.go", allow},
		{"PM-13 mixed verdicts", "allow Bash(npx *); mode deny", "npx tsc | head", deny},
		{"PM-17 backslash", gitRM, `r\m d`, deny},
		{"PM-17 quotes", gitRM, `"r"m d`, deny},
		{"PM-17 ANSI-C", gitRM, `$'\x72m' d`, deny},
		{"PM-17 variable", "mode allow; deny Bash(rm *)", "R=rm; $R d", ask},
		{"PM-17 path", gitRM, "/bin/rm d", deny},
		{"PM-17 leading backslash", gitRM, `\rm d`, deny},
		{"PM-17 glob", "mode allow; deny Bash(rm *)", "/bin/r? d", ask},
		{"PM-17 braces", "mode allow; deny Bash(rm *)", "{rm,-rf,d}", ask},
		{"PM-17 a made-up argument of a denied verb", "mode allow; deny Bash(git push:*)", "git $X", ask},
		{"PM-17 but not of another", "mode allow; deny Bash(git push:*)", "git log $X", allow},
		{"PM-17 an allow needs the program as written", gitRM, "./git status", ask},
		{"PM-17 nor a made-up program", "allow Bash(git:*)", "$G status", ask},
		{"PM-19 redirection", gitRM, "git diff > /etc/passwd", deny},
		{"PM-19 append", gitRM, "git diff >> x", ask},
		{"PM-19 descriptors are no files", gitRM, "git diff 2>&1 >/dev/null </dev/null", allow},
		{"syntax error", gitRM, "git status (", ask},
		{"syntax error with mode allow", "mode allow; deny Bash(rm *)", "rm d; fi", ask},
		{"bare allow", "allow Bash", "anything > at all; $X", allow},
		{"bare allow with a carved deny", "allow Bash; deny Bash(rm -rf*)", "cd / && rm -rf *", deny},
		{"ask beats allow", "allow Bash; ask Bash(git push:*)", "git push", ask},
		{"deny beats ask", "ask Bash; deny Bash(git push:*)", "git push", deny},
		{"the whole script as written", "allow Bash(a && b > c)", "a && b > c", allow},
		{"literal", "allow bash=ls *.go", "ls *.go", allow},
		{"literal is literal", "allow bash=ls *.go", "ls x.go", ask},
		{"empty", gitRM, "", ask},
		{"comment", gitRM, "# git status", ask},
	} {
		if got := policy(t, c.policy).Decide("bash", false, bash(c.command)); got != c.want {
			t.Errorf("%s: [%s] %q: %v, want %v", c.name, c.policy, c.command, got, c.want)
		}
	}
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
		"find":               {"find " + strings.Repeat("-exec env ", 1000) + "ls", ask},
		"too long":           {"git " + strings.Repeat("x", 1<<20), ask},
	} {
		if got := p.Decide("bash", false, bash(c.command)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
