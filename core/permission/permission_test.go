package permission_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/permission"
)

func rules(t testing.TB, texts ...string) []permission.Rule {
	t.Helper()
	r, err := permission.ParseRules("test", texts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func bash(command string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"command": command})
	return b
}

// policy reads "allow git:*; deny rm:*; mode allow".
func policy(t testing.TB, text string) permission.Policy {
	t.Helper()
	p := permission.Policy{Mode: permission.Ask, Root: "/work", Home: "/home/me"}
	for line := range strings.SplitSeq(text, "; ") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "allow":
			p.Allow = append(p.Allow, rules(t, rest)...)
		case "ask":
			p.Ask = append(p.Ask, rules(t, rest)...)
		case "deny":
			p.Deny = append(p.Deny, rules(t, rest)...)
		case "mode":
			d, err := permission.ParseDecision(rest)
			if err != nil {
				t.Fatal(err)
			}
			p.Mode = d
		}
	}
	return p
}

const (
	allow = permission.Allow
	ask   = permission.Ask
	deny  = permission.Deny
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

func TestFileTools(t *testing.T) {
	for _, c := range []struct {
		name, policy, tool, args string
		want                     permission.Decision
	}{
		{"relative", "allow Edit(docs/**)", "write_file", `{"path":"docs/a/b.md"}`, allow},
		{"absolute", "allow Edit(docs/**)", "edit_file", `{"file_path":"/work/docs/b.md"}`, allow},
		{"PM-11 traversal", "allow Edit(docs/**)", "edit_file", `{"path":"docs/../secret"}`, ask},
		{"PM-11 out of the workspace", "allow Edit(**)", "edit_file", `{"path":"x"}`, allow},
		{"PM-11 outside is not under a relative pattern", "allow Edit(*/**)", "edit_file", `{"path":"../x/y"}`, ask},
		{"PM-11 home", "deny Read(~/.ssh/**)", "read_file", `{"path":"/home/me/.ssh/id"}`, deny},
		{"PM-11 home as typed", "deny Read(~/.ssh/**)", "read_file", `{"path":"~/.ssh/id"}`, deny},
		{"PM-11 a denied name anywhere", "deny Read(**/.env)", "read_file", `{"path":"/srv/.env"}`, deny},
		{"PM-12 case counts", "deny Read(.env)", "read_file", `{"path":".ENV"}`, allow},
		{"a directory and all below", "deny Edit(secret/)", "write_file", `{"path":"secret/a/b"}`, deny},
		{"a star stays in its directory", "allow Edit(docs/*)", "write_file", `{"path":"docs/a/b"}`, ask},
		{"a denying star does not", "deny Edit(docs/*)", "write_file", `{"path":"docs/a/b"}`, deny},
		{"both ends of a move", "allow Edit(docs/**)", "move_file", `{"source_path":"docs/a","destination_path":"src/a"}`, ask},
		{"both ends inside", "allow Edit(docs/**)", "move_file", `{"source_path":"docs/a","destination_path":"docs/b"}`, allow},
		{"one denied end is enough", "allow Edit; deny Edit(src/**)", "move_file", `{"source_path":"docs/a","destination_path":"src/a"}`, deny},
		{"a repeated key does not hide the other", "allow Edit(docs/**)", "write_file", `{"path":"docs/a","path":"/etc/x"}`, ask},
		{"keys ignore case as decoders do", "deny Edit(src/**)", "write_file", `{"Path":"src/a"}`, deny},
		{"escapes are read", "deny Edit(src/**)", "write_file", `{"p\u0061th":"s\u0072c/a"}`, deny},
		{"a legacy tool id speaks of that tool", "allow write_file(docs/**)", "edit_file", `{"path":"docs/a"}`, ask},
		{"legacy literal", "deny read_file=a*b", "read_file", `{"path":"a*b"}`, deny},
		{"literal is no pattern", "deny read_file=a*b", "read_file", `{"path":"axb"}`, allow},
		{"readers are allowed", "mode deny; allow Bash(x)", "grep", `{"pattern":"x"}`, allow},
		{"a search pattern", "deny grep(password*)", "grep", `{"pattern":"password=x"}`, deny},
		{"no subject, bare rule only", "allow Edit(docs/**)", "write_file", `{}`, ask},
		{"malformed arguments", "allow Edit(docs/**)", "write_file", `{"path":"docs/a"`, ask},
		{"one MCP tool", "allow mcp__fs__read", "mcp__fs__read", `{}`, allow},
		{"all of a server", "deny mcp__fs", "mcp__fs__write", `{}`, deny},
		{"a server's name is not a prefix", "deny mcp__fs", "mcp__fsx__write", `{}`, ask},
		{"an unknown tool falls back", "allow Edit", "mcp__fs__write", `{"path":"x"}`, ask},
	} {
		readOnly := c.tool == "read_file" || c.tool == "grep"
		if got := policy(t, c.policy).Decide(c.tool, readOnly, json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s: [%s] %s %s: %v, want %v", c.name, c.policy, c.tool, c.args, got, c.want)
		}
	}
}

// PM-12 on a file system that folds case.
func TestPM12CaseFollowsTheFileSystem(t *testing.T) {
	p := policy(t, "deny Read(.env)")
	p.FoldCase = true
	if got := p.Decide("read_file", true, json.RawMessage(`{"path":"/WORK/.Env"}`)); got != deny {
		t.Errorf("got %v, want deny", got)
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

func TestFallback(t *testing.T) {
	for mode, want := range map[permission.Decision]permission.Decision{allow: allow, ask: ask, deny: deny} {
		p := permission.Policy{Mode: mode}
		if got := p.Decide("bash", false, bash("ls")); got != want {
			t.Errorf("writer, mode %v: %v", mode, got)
		}
		if got := p.Decide("read_file", true, nil); got != allow {
			t.Errorf("reader, mode %v: %v", mode, got)
		}
	}
}

func TestExplainNamesTheRuleAndTheParts(t *testing.T) {
	got := policy(t, "allow Bash(npx *); mode deny").Explain("bash", false, bash("npx tsc | head > x"))
	npx := rules(t, "Bash(npx:*)")[0]
	want := permission.Reason{Decision: deny, Source: permission.Fallback, Why: "no rule covers head", Parts: []permission.Part{
		{Kind: "command", Text: "npx tsc", Dir: "/work", Decision: allow, Rule: npx, Source: "test"},
		{Kind: "command", Text: "head", Dir: "/work", Decision: deny, Source: permission.Fallback},
		{Kind: "write", Text: "> x", Path: "/work/x", Dir: "/work", Decision: deny, Source: permission.Fallback},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	got = policy(t, "deny Bash(rm *)").Explain("bash", false, bash("$R d"))
	if got.Decision != ask || !got.Explicit || got.Why == "" || got.String() != "Bash(rm:*)" || got.Source != "test" {
		t.Errorf("an opaque command is asked with its reason: %+v", got)
	}
}

func TestPostures(t *testing.T) {
	fallback, explicit := permission.Reason{Decision: ask}, permission.Reason{Decision: ask, Explicit: true}
	denied := permission.Reason{Decision: deny, Explicit: true}
	for _, c := range []struct {
		posture                      permission.Posture
		fallback, explicit, whenDeny permission.Decision
	}{
		{permission.PostureAsk, ask, ask, deny},
		{permission.PostureAuto, allow, ask, deny},
		{permission.PostureYolo, allow, allow, deny},
		{"", ask, ask, deny},
	} {
		got := []permission.Decision{c.posture.Apply(fallback), c.posture.Apply(explicit), c.posture.Apply(denied)}
		if d := cmp.Diff([]permission.Decision{c.fallback, c.explicit, c.whenDeny}, got); d != "" {
			t.Errorf("%q: -want +got\n%s", c.posture, d)
		}
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{
		"Bash":               "Bash",
		" Bash( go test * )": "Bash(go test:*)",
		"Bash(go test:*)":    "Bash(go test:*)",
		"Bash(rm -rf*)":      "Bash(rm -rf*)",
		"Bash(*)":            "Bash",
		"Edit(**)":           "Edit",
		"bash=go test ./...": "bash=go test ./...",
		"Bash(a=b (c))":      "Bash(a=b (c))",
		"mcp__fs__*":         "mcp__fs__*",
	} {
		r, err := permission.ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("ParseRule(%q) = %q, %v; want %q", text, r, err, want)
		}
	}
	for _, text := range []string{"", "(x)", "Bash(x", "Edit([)", "bash=", "two words", "Bash;rm"} {
		if r, err := permission.ParseRule(text); err == nil {
			t.Errorf("ParseRule(%q) = %q, want an error", text, r)
		}
	}
}

func TestSuggestedRulesAllowTheCallAndNoMore(t *testing.T) {
	for _, command := range []string{"go test ./...", "ls *.go", "a && b > c", "echo 'x y'", "python3 x.py"} {
		rule := permission.Suggest("bash", bash(command))
		p := policy(t, "allow "+rule)
		if got := p.Decide("bash", false, bash(command)); got != allow {
			t.Errorf("%q: its own rule %s gives %v", command, rule, got)
		}
		if got := p.Decide("bash", false, bash(command+" more")); got != ask {
			t.Errorf("%q: the rule %s also allows more", command, rule)
		}
	}
	if got := permission.Suggest("edit_file", json.RawMessage(`{"path":"a[1].go"}`)); got != `Edit(a\[1].go)` {
		t.Errorf("edit: %s", got)
	}
}

// PM-18: no prefix is offered for what runs any code.
func TestPM18NoPrefixForInterpreters(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...": "Bash(go test:*)", "git status": "Bash(git status:*)",
		"python3 x.py": "", "bash -c x": "", "sudo rm x": "", "ls -l": "", "go test && rm x": "",
		"A=1 go test": "Bash(go test:*)", "$X y": "", "npm run test > x": "", "go": "",
	} {
		if got := permission.SuggestPrefix("bash", bash(command)); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestAllowingAFileDoesNotAllocate(t *testing.T) {
	p := policy(t, "allow Edit(docs/**); deny Edit(src/**); ask Bash(git push:*)")
	p.Root = filepath.ToSlash(p.Root)
	for _, args := range []string{`{"path":"docs/a.md","content":"x \" y"}`, `{"path":"/work/docs/a.md"}`} {
		raw := json.RawMessage(args)
		if n := testing.AllocsPerRun(100, func() {
			if p.Decide("write_file", false, raw) != allow {
				t.Fatal("not allowed")
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations, want none", args, n)
		}
	}
}

func BenchmarkShell(b *testing.B) {
	p := policy(b, "allow Bash(git:*); allow Bash(go test:*); allow Bash(ls:*); deny Bash(rm -rf*); ask Bash(git push:*)")
	args := bash(`cd sub && git status --short | head -20; for f in a b c; do go test -run "$f" ./...; done; ` + strings.Repeat("ls -la dir && ", 7) + "git log -1")
	b.ReportAllocs()
	for b.Loop() {
		p.Decide("bash", false, args)
	}
}

func BenchmarkFile(b *testing.B) {
	p := policy(b, "allow Edit(docs/**); deny Edit(src/**)")
	args := json.RawMessage(`{"path":"docs/a.md"}`)
	b.ReportAllocs()
	for b.Loop() {
		p.Decide("write_file", false, args)
	}
}

// A script that an allow rule covers stays covered by no rule when a denied
// command is added in any of these ways, and nothing panics.
func FuzzShell(f *testing.F) {
	for _, s := range []string{"git status", "a | b", "x $(y)", "bash -c 'a b'", `$'\x41\u0042'`, "eval 'rm x'", "<<E\nx\nE", "{a,b} c"} {
		f.Add(s)
	}
	p := policy(f, "allow Bash(git:*); deny Bash(rm:*); ask Bash(git push:*)")
	f.Fuzz(func(t *testing.T, s string) {
		got := p.Explain("bash", false, bash(s))
		if d := p.Decide("bash", false, bash(s)); d != got.Decision {
			t.Errorf("%q: Decide %v, Explain %v", s, d, got.Decision)
		}
		if got.Decision != allow {
			return
		}
		for _, sep := range []string{"; ", " && ", " | ", "\n"} {
			if d := p.Decide("bash", false, bash("rm x"+sep+s)); d != deny {
				t.Errorf("%q after a denied command: %v", s, d)
			}
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"path":"docs/a"}`)
	f.Add(`{"a":{"path":"x"},"path":"docs/\u0061"}`)
	p := policy(f, "allow Edit(docs/**)")
	f.Fuzz(func(t *testing.T, args string) {
		if p.Decide("write_file", false, json.RawMessage(args)) != allow {
			return
		}
		var got struct{ Path *string }
		if json.Unmarshal([]byte(args), &got) == nil && got.Path != nil && !strings.HasPrefix(strings.TrimPrefix(*got.Path, "/work/"), "docs") {
			if rel, err := filepath.Rel("/work", filepath.Join("/work", *got.Path)); err != nil || !strings.HasPrefix(rel, "docs") {
				t.Errorf("allowed although the tool would write %q", *got.Path)
			}
		}
	})
}
