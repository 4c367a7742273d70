package permission_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/permission"
)

func TestSuggestionsForCommands(t *testing.T) {
	for _, c := range []struct {
		name, policy, command string
		exact, prefix         []string
	}{
		{"exactly and by verb", "mode ask", "go test ./...", []string{"Bash(go test ./...)"}, []string{"Bash(go test:*)"}},
		{"a line per part", "mode ask", "go test ./... && make docs", []string{"Bash(go test ./...)", "Bash(make docs)"}, []string{"Bash(go test:*)", "Bash(make docs)"}},
		{"only what nothing covers", "allow Bash(go test:*)", "go test ./... && go vet ./...", []string{"Bash(go vet ./...)"}, []string{"Bash(go vet:*)"}},
		{"the same part once", "mode ask", "make x; make x", []string{"Bash(make x)"}, nil},
		{"a redirection", "allow Bash(go test:*)", "go test > out/log.txt", []string{"Edit(out/log.txt)"}, nil},
		{"from its directory", "allow Bash(go test:*); allow Bash(cd *)", "cd sub && go test > log.txt", []string{"Edit(sub/log.txt)"}, nil},
		{"a package script", "mode ask", "npm run test -- -x", []string{"Bash(npm run test -- -x)"}, []string{"Bash(npm run test:*)"}},
		{"inside a wrapper", "mode ask", "timeout 60 go test ./...", []string{"Bash(go test ./...)"}, []string{"Bash(go test:*)"}},
		{"inside a script", "mode ask", "bash -c 'go test ./... && make'", []string{"Bash(go test ./...)", "Bash(make)"}, []string{"Bash(go test:*)", "Bash(make)"}},
		{"with options before the verb", "mode ask", "git -C sub status", []string{"Bash(git -C sub status)"}, []string{"Bash(git status:*)"}},
		{"a glob is written down", "mode ask", "rm *.o", []string{"bash=rm *.o"}, nil},
		{"a loop", "mode ask", "for f in a b; do go vet $f; done", []string{"Bash(go vet $f)"}, []string{"Bash(go vet:*)"}},
		{"PM-18 an interpreter", "mode ask", "python3 x.py", []string{"Bash(python3 x.py)"}, nil},
		{"PM-18 sudo", "mode ask", "sudo rm x", []string{"Bash(sudo rm x)"}, nil},
		{"PM-18 bare git", "mode ask", "git", []string{"Bash(git)"}, nil},
		{"PM-18 a verb that reaches far", "mode ask", "git push origin main", []string{"Bash(git push origin main)"}, nil},
		{"PM-18 a script that is written down", "mode ask", "python3 - <<'E'\nprint(1)\nE", []string{"Bash(python3 -\nprint(1))"}, nil},
		{"PM-18 a script that is not", "mode ask", "cat x | python3", nil, nil},
		{"a program made at run time", "mode ask", "$X y", nil, nil},
		{"one part that no rule can speak of", "mode ask", "go test && $X", nil, nil},
		{"a file made at run time", "mode ask", "go test > $F", nil, nil},
		{"what a rule asks about", "ask Bash(go test:*)", "go test", []string{"Bash(go test)"}, []string{"Bash(go test:*)"}},
		{"and another allows", "allow Bash; ask Bash(git push:*)", "make && git push", []string{"Bash(git push)"}, nil},
		{"what is denied", "deny Bash(go test:*)", "go test", nil, nil},
		{"a fresh review", "mode ask", "git config a.b c", nil, nil},
		{"what is allowed", "mode allow", "go test", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := places(t, c.policy).Suggest("bash", bash(c.command))
			if d := cmp.Diff(c.exact, got.Exact.Rules); d != "" {
				t.Errorf("exact: -want +got\n%s", d)
			}
			if d := cmp.Diff(c.prefix, got.Prefix.Rules); d != "" {
				t.Errorf("prefix: -want +got\n%s", d)
			}
			for _, grant := range []permission.Grant{got.Exact, got.Prefix, got.Session} {
				if (len(grant.Rules) == 0) != (grant.Example == "") {
					t.Errorf("a grant is offered with an example, and none without: %+v", grant)
				}
			}
		})
	}
}

func TestSuggestionsForFiles(t *testing.T) {
	for _, c := range []struct {
		name, policy, tool, args string
		exact, session           []string
	}{
		{"relative to the workspace", "mode ask", "write_file", `{"path":"/work/docs/a.md"}`, []string{"Edit(docs/a.md)"}, []string{"Edit"}},
		{"a pattern's characters", "mode ask", "edit_file", `{"path":"a[1]*.go"}`, []string{`Edit(a\[1]\*.go)`}, []string{"Edit"}},
		{"both ends", "mode ask", "move_file", `{"source_path":"a","destination_path":"b"}`, []string{"Edit(a)", "Edit(b)"}, []string{"Edit"}},
		{"where a link leads", "mode ask", "write_file", `{"path":"in/a"}`, []string{"Edit(sub/deep/a)"}, []string{"Edit"}},
		{"protected", "mode ask", "write_file", `{"path":".envrc"}`, nil, nil},
		{"asked by a rule", "ask Edit(docs/**)", "write_file", `{"path":"docs/a"}`, []string{"Edit(docs/a)"}, []string{"Edit"}},
		{"unreadable", "mode ask", "write_file", `{"path":`, nil, []string{"Edit"}},
		{"a page", "mode ask", "web_fetch", `{"url":"https://go.dev/x"}`, []string{"web_fetch(domain:go.dev)"}, []string{"web_fetch(domain:go.dev)"}},
		{"a tool of a server", "mode ask", "mcp__a__b", `{}`, []string{"mcp__a__b"}, []string{"mcp__a__b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := places(t, c.policy)
			p.Resolve = links
			got := p.Suggest(c.tool, json.RawMessage(c.args))
			if d := cmp.Diff(c.exact, got.Exact.Rules); d != "" {
				t.Errorf("exact: -want +got\n%s", d)
			}
			if d := cmp.Diff(c.session, got.Session.Rules); d != "" {
				t.Errorf("session: -want +got\n%s", d)
			}
		})
	}
}

// commands are put together to try the properties of what is offered.
var pieces = []string{
	"go test ./...", "npm run build", "git -C sub status", "make -j4", "python3 x.py", "timeout 5 go vet", "git commit -m 'a b'", "ls *.go > out.txt", "cd sub", "A=1 go build",
	"env B=2 npm test", "bash -c 'go fmt && make'", "echo \"$X\"", "xargs grep x", "find . -name x -exec rm {} ;", "sudo apt install x", "cat <<E\nbody\nE", "for f in a b; do cargo test $f; done", "node -e 'x()'", "if make; then go list; fi",
	"gh pr list", "docker ps -a", "pytest -x", "time go test", "git log --oneline | head -3", "{ make; } >> log", "(cd a && make)",
}

// What is offered allows the call, what it allows is no more than it says, and a
// command that is added is not covered.
func TestWhatIsOfferedHoldsWhatItSays(t *testing.T) {
	var commands []string
	for _, a := range pieces {
		commands = append(commands, a)
		for _, b := range pieces {
			if !strings.Contains(a, "<<E") {
				commands = append(commands, a+" && "+b, a+"\n"+b)
			}
		}
	}
	for _, command := range commands {
		p := places(t, "mode ask")
		s := p.Suggest("bash", bash(command))
		for kind, grant := range map[string]permission.Grant{"exact": s.Exact, "prefix": s.Prefix, "session": s.Session} {
			if len(grant.Rules) == 0 {
				continue
			}
			with := p
			for _, text := range grant.Rules {
				r, err := permission.ParseRule(text)
				if err != nil || r.String() != text {
					t.Fatalf("%q: %s %q is read as %q, %v", command, kind, text, r, err)
				}
				with.Allow = append(slices.Clip(with.Allow), r)
			}
			if got := with.Decide("bash", false, bash(command)); got != allow {
				t.Errorf("%q under its own %s %q: %v", command, kind, grant.Rules, got)
			}
			for _, more := range []string{"; rm -rf /", " && rm -rf /", " | rm -rf /", "\nrm -rf /", " & rm -rf /", "; $(rm -rf /)", " > /etc/x", "; r$X", " $(rm -rf /)", " <(rm -rf /)"} {
				if strings.Contains(command, "<<E") {
					more = "\n" + strings.TrimLeft(more, " ;&|\n")
				}
				if got := with.Decide("bash", false, bash(command+more)); got == allow {
					t.Errorf("%q is allowed by the %s %q", command+more, kind, grant.Rules)
				}
			}
		}
		for _, rule := range s.Prefix.Rules {
			for _, program := range []string{"python", "bash", "sh", "sudo", "node", "env", "xargs", "git:", "npm:", "npm run:", "find"} {
				if strings.HasPrefix(rule, "Bash("+program) && strings.HasSuffix(rule, ":*)") {
					t.Errorf("%q: the prefix %s is too wide", command, rule)
				}
			}
		}
	}
}

// PM-18: no prefix is offered for what runs any code, and the exact scope is what
// was run.
func TestPM18NoPrefixForWhatRunsAnyCode(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...": "Bash(go test:*)", "git status": "Bash(git status:*)", "LANG=C go test": "Bash(go test:*)", "A=1 go test": "", "npm run lint": "Bash(npm run lint:*)", "pytest -x": "Bash(pytest:*)",
		"python3 x.py": "", "python3 -c 'x'": "", "node x.js": "", "bash x.sh": "", "sudo rm x": "", "env X=1": "", "xargs rm": "", "ssh host ls": "", "make all": "", "npx tsc": "",
		"ls -l": "", "git": "", "npm": "", "go": "", "npm run": "", "git config --get x": "", "git submodule foreach ls": "", "docker run x": "", "kubectl exec x": "", "unknown verb": "", "./go test": "", "awk x": "", "find . -name x": "",
	} {
		p := policy(t, "mode ask")
		s := p.Suggest("bash", bash(command))
		if got := strings.Join(s.Prefix.Rules, " "); got != want {
			t.Errorf("%q: the prefix %q, want %q", command, got, want)
		}
		if len(s.Exact.Rules) != 1 || strings.Contains(s.Exact.Rules[0], "*") {
			t.Errorf("%q: the exact rules %q", command, s.Exact.Rules)
			continue
		}
		p.Allow = rules(t, s.Exact.Rules[0])
		if got := p.Decide("bash", false, bash(command+" more")); got == allow {
			t.Errorf("%q: the rule %s allows more", command, s.Exact.Rules[0])
		}
	}
}
