package permissions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// explained is the answer of explain as a script reads it.
type explained struct {
	Verdict, Policy, Rule, Source, Why, Dir, Mode, Posture string
	Fresh, Headless                                        bool
	Outcomes                                               map[string]string
	Parts                                                  []explainedPart
	Suggest                                                []string
	SuggestPrefix                                          []string `json:"suggest_prefix"`
	Release                                                []string
}

type explainedPart struct {
	Kind, Text, Dir, Path, Verdict, Policy, Rule, Source, Why string
	Depth                                                     int
	Fresh                                                     bool
}

func TestPM01ExplainNamesThePartThatIsNotAllowed(t *testing.T) {
	d := newDesk(t, "", "")
	got := d.text("explain", "--allow", "Bash(git:*)", "--", "git commit -m x && touch X")
	want := `ask

  allow  git commit -m x  Bash(git:*)  --allow
  ask    touch X          no rule; permissions.mode is ask

because    no rule covers touch X
directory  WORK
postures   ask: ask, auto: allow, yolo: allow
headless   allow, with --on-ask deny: deny
to allow   Bash(touch X)
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The verdicts of the field cases; what core/permission does with each is its own
// tests' matter.
func TestExplainVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		verdict string
		parts   []string // VERDICT TEXT
	}{
		"PM-01 a chain rides on an allow": {
			[]string{"--allow", "Bash(git:*)", "--", "git commit && touch X"}, "ask", []string{"allow git commit", "ask touch X"},
		},
		"PM-01 a chain with a denied command": {
			[]string{"--allow", "Bash(git:*)", "--deny", "Bash(rm *)", "--", "git commit && rm -rf d"}, "deny", []string{"allow git commit", "deny rm -rf d"},
		},
		"PM-02 another separator": {
			[]string{"--allow", "Bash(git:*)", "--", "if git commit; then touch X; fi"}, "ask", []string{"allow git commit", "ask touch X"},
		},
		"PM-03 a substitution": {
			[]string{"--allow", "Bash(git:*)", "--", "git commit -m \"$(touch X)\""}, "ask", []string{"allow git commit -m \"$(touch X)\"", "ask touch X"},
		},
		"PM-03 in single quotes it is none": {
			[]string{"--allow", "Bash(git:*)", "--", "git commit -m '$(touch X)'"}, "allow", []string{"allow git commit -m '$(touch X)'"},
		},
		"PM-04 a wrapper": {
			[]string{"--deny", "Bash(rm:*)", "--", "timeout 5 rm -r d"}, "deny", []string{"deny rm -r d"},
		},
		"PM-06 a word and not its beginning": {
			[]string{"--allow", "Bash(mk:*)", "--", "mkdir d"}, "ask", []string{"ask mkdir d"},
		},
		"PM-17 a name in quotes": {
			[]string{"--deny", "Bash(rm:*)", "--", `"r"m d`}, "deny", []string{`deny "r"m d`},
		},
		"the older form of a prefix": {
			[]string{"--allow", "Bash(go test *)", "--", "go test ./..."}, "allow", []string{"allow go test ./..."},
		},
		"the mode decides what no rule does": {
			[]string{"--mode", "deny", "--", "touch X"}, "deny", []string{"deny touch X"},
		},
		"auto allows what no rule asks about": {
			[]string{"--permission-mode", "auto", "--", "touch X"}, "allow", []string{"allow touch X"},
		},
		"auto asks what a rule asks about": {
			[]string{"--permission-mode", "auto", "--ask", "Bash(touch:*)", "--", "touch X"}, "ask", []string{"ask touch X"},
		},
		"yolo asks nothing": {
			[]string{"--permission-mode", "yolo", "--ask", "Bash(touch:*)", "--", "touch X"}, "allow", []string{"allow touch X"},
		},
		"a deny rule holds in yolo": {
			[]string{"--permission-mode", "yolo", "--deny", "Bash(touch:*)", "--", "touch X"}, "deny", []string{"deny touch X"},
		},
		"headless allows what would be asked": {
			[]string{"--headless", "--ask", "Bash(touch:*)", "--", "touch X"}, "allow", []string{"allow touch X"},
		},
		"a file tool": {
			[]string{"--allow", "Edit(docs/**)", "--tool", "edit_file", "--path", "docs/a/b.md"}, "allow", []string{"allow edit_file"},
		},
		"a file tool elsewhere": {
			[]string{"--allow", "Edit(docs/**)", "--tool", "edit_file", "--path", "src/a.go"}, "ask", []string{"ask edit_file"},
		},
		"a reader needs no rule": {
			[]string{"--tool", "read_file", "--path", "src/a.go"}, "allow", []string{"allow read_file"},
		},
		"both ends of a move": {
			[]string{"--allow", "Edit(docs/**)", "--tool", "move_file", "--path", "docs/a.md", "--path", "src/a.md"}, "ask", []string{"ask move_file"},
		},
		"arguments as they are": {
			[]string{"--deny", "web_fetch(domain:*.example.com)", "--tool", "web_fetch", "--args", `{"url":"https://a.example.com/x"}`}, "deny", []string{"deny web_fetch"},
		},
		"a tool of a server": {
			[]string{"--allow", "mcp__docs", "--tool", "mcp__docs__search"}, "allow", []string{"allow mcp__docs__search"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got explained
			newDesk(t, "", "").read(0, &got, append([]string{"explain"}, c.args...)...)
			var parts []string
			for _, p := range got.Parts {
				parts = append(parts, p.Verdict+" "+p.Text)
			}
			if diff := cmp.Diff(c.parts, parts); diff != "" || got.Verdict != c.verdict {
				t.Errorf("%s, want %s\n%s", got.Verdict, c.verdict, diff)
			}
		})
	}
}

func TestExplainKeepsWhatTheRulesSayBesideWhatHappens(t *testing.T) {
	var got explained
	newDesk(t, "", "").read(0, &got, "explain", "--permission-mode", "yolo", "--ask", "Bash(touch:*)", "--", "touch X")
	if got.Verdict != "allow" || got.Policy != "ask" || got.Rule != "Bash(touch:*)" || got.Source != "--ask" || got.Posture != "yolo" {
		t.Errorf("%+v", got)
	}
	want := map[string]string{"ask": "ask", "auto": "ask", "yolo": "allow", "headless": "allow", "headless_deny": "allow"}
	if diff := cmp.Diff(want, got.Outcomes); diff != "" {
		t.Error(diff)
	}
}

// PM-17: what cannot be read is a fresh review as soon as a command is denied.
func TestExplainAFreshReview(t *testing.T) {
	var got explained
	d := newDesk(t, "", "")
	d.read(0, &got, "explain", "--deny", "Bash(rm:*)", "--permission-mode", "yolo", "--", "R=rm; $R d")
	if got.Verdict != "ask" || !got.Fresh || got.Why == "" || len(got.Suggest) != 0 {
		t.Errorf("%+v", got)
	}
	d.read(0, &got, "explain", "--deny", "Bash(rm:*)", "--headless", "--", "R=rm; $R d")
	if got.Verdict != "deny" {
		t.Errorf("headless: %s", got.Verdict)
	}
	if text := d.text("explain", "--deny", "Bash(rm:*)", "R=rm; $R d"); !strings.Contains(text, "a person looks at it each time, because of Bash(rm:*)  --deny") {
		t.Error(text)
	}
}

func TestExplainFollowsTheDirectory(t *testing.T) {
	var got explained
	d := newDesk(t, "", "")
	d.read(0, &got, "explain", "--", "cd sub && make > log")
	work := filepath.ToSlash(d.work)
	want := []explainedPart{
		{Kind: "command", Text: "cd sub", Dir: work},
		{Kind: "command", Text: "make", Dir: work + "/sub"},
		{Kind: "write", Text: "> log", Dir: work + "/sub", Depth: 1},
	}
	if len(got.Parts) != len(want) {
		t.Fatalf("%+v", got.Parts)
	}
	for i, p := range got.Parts {
		p = explainedPart{Kind: p.Kind, Text: p.Text, Dir: strings.ReplaceAll(p.Dir, "WORK", work), Depth: p.Depth}
		if diff := cmp.Diff(want[i], p); diff != "" {
			t.Error(diff)
		}
	}
}

func TestExplainSaysInWhichLineARuleStands(t *testing.T) {
	user := "[permissions]\nallow = [\n  \"Bash(go test:*)\", # fast\n  # \"Bash(rm:*)\" is too much\n  'Bash(make:*)',\n]\n"
	d := newDesk(t, user, "permissions.deny = [\"Bash(make install:*)\"]\n")
	text := d.text("explain", "make lint && make install && go test ./...")
	for _, want := range []string{
		"allow  make lint      Bash(make:*)  HOME/config.toml:5\n",
		"deny   make install   Bash(make install:*)  WORK/reasonix.toml:1\n",
		"allow  go test ./...  Bash(go test:*)  HOME/config.toml:3\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%swant it to say %q", text, want)
		}
	}
}

func TestRulesGivenAsFlagsReplaceAllConfiguredOnes(t *testing.T) {
	d := newDesk(t, "[permissions]\ndeny = [\"Bash(touch:*)\"]\nmode = \"deny\"\n", "")
	var got explained
	d.read(0, &got, "explain", "--", "touch X")
	if got.Verdict != "deny" || got.Rule != "Bash(touch:*)" {
		t.Errorf("configured: %+v", got)
	}
	d.read(0, &got, "explain", "--allow", "Bash(make:*)", "--", "touch X")
	if got.Verdict != "deny" || got.Rule != "" || got.Mode != "deny" {
		t.Errorf("with a flag the rule is gone and the mode stays: %+v", got)
	}
	d.read(0, &got, "explain", "--allow", "Bash(touch:*)", "--", "touch X")
	if got.Verdict != "allow" {
		t.Errorf("with a rule that allows it: %+v", got)
	}
}

func TestExplainSuggestsTheRuleThatWouldAllow(t *testing.T) {
	var got explained
	d := newDesk(t, "", "")
	d.read(0, &got, "explain", "--", "go build ./...")
	if diff := cmp.Diff([]string{"Bash(go build ./...)"}, got.Suggest); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"Bash(go build:*)"}, got.SuggestPrefix); diff != "" {
		t.Error(diff)
	}
	var again explained
	d.read(0, &again, "explain", "--allow", got.Suggest[0], "--", "go build ./...")
	if again.Verdict != "allow" || len(again.Suggest) != 0 {
		t.Errorf("%+v", again)
	}
}

func TestExplainReadsACommandFromStandardInput(t *testing.T) {
	d := newDesk(t, "", "")
	d.stdin = "touch a\ntouch 'b\tc'\n"
	var got explained
	d.read(0, &got, "explain", "--allow", "Bash(touch a)", "-")
	if len(got.Parts) != 2 || got.Parts[1].Text != "touch 'b\tc'" || got.Parts[1].Verdict != "ask" {
		t.Errorf("%+v", got.Parts)
	}
}

// A command is foreign text: on a terminal it must not act.
func TestExplainPrintsNoControlCharacters(t *testing.T) {
	d := newDesk(t, "", "")
	d.stdin, d.tty = "touch \x1b]0;pwned\x07 'a\u202eb'", true
	text := d.text("explain", "-")
	if strings.ContainsAny(strings.NewReplacer("\x1b[33m", "", "\x1b[0m", "").Replace(text), "\x1b\x07\u202e") {
		t.Errorf("%q", text)
	}
	if !strings.HasPrefix(text, "\x1b[33mask\x1b[0m\n") {
		t.Errorf("not coloured on a terminal: %q", text)
	}
}

func TestExplainRefusesWhatItCannotJudge(t *testing.T) {
	d := newDesk(t, "", "")
	for says, args := range map[string][]string{
		"no command given":                       {},
		"3 arguments, want one command":          {"--", "git", "push", "--force"},
		"there is no tool edit_fil":              {"--tool", "edit_fil", "--path", "x"},
		"did you mean edit_file?":                {"--tool", "edit_fil"},
		"--path and --args exclude each other":   {"--tool", "edit_file", "--path", "x", "--args", "{}"},
		"--args: want a JSON object":             {"--tool", "edit_file", "--args", "[]"},
		"edit_file takes 1 path":                 {"--tool", "edit_file", "--path", "x", "--path", "y"},
		"--path and --args belong to --tool":     {"--path", "x", "--", "ls"},
		"a command is for the tool bash":         {"--tool", "edit_file", "--", "ls"},
		"--allow: parse rule \"Bash(\":":         {"--allow", "Bash(", "--", "ls"},
		"--deny Bsh(rm:*): there is no tool Bsh": {"--deny", "Bsh(rm:*)", "--", "ls"},
		"did you mean Bash?":                     {"--deny", "Bsh(rm:*)", "--", "ls"},
		"must be one of ask, allow, deny":        {"--mode", "never", "--", "ls"},
		"no such file or directory":              {"--dir", "gone", "--", "ls"},
	} {
		if says == "must be one of ask, allow, deny" {
			if _, errs, code := d.run(append([]string{"explain"}, args...)...); code == 0 || !strings.Contains(errs, says) {
				t.Errorf("%v: %d %s", args, code, errs)
			}
			continue // the root command makes it a usage error
		}
		d.fails(2, says, append([]string{"explain"}, args...)...)
	}
}

func TestExplainWithABrokenConfiguration(t *testing.T) {
	newDesk(t, "[permissions\n", "").fails(3, "HOME/config.toml:1:", "explain", "ls")
	newDesk(t, "", "permissions.deny = [\"Bash(\"]\n").fails(3, "WORK/reasonix.toml:1: permissions.deny: parse rule \"Bash(\"", "explain", "ls")
}

func TestExplainInAnotherDirectory(t *testing.T) {
	d := newDesk(t, "", "")
	sub := filepath.Join(d.work, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "reasonix.toml"), []byte("permissions.deny = [\"Bash(touch:*)\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got explained
	d.read(0, &got, "explain", "--dir", "sub", "--", "touch X")
	if got.Verdict != "deny" || got.Source != "WORK/sub/reasonix.toml:1" || got.Dir != "WORK/sub" {
		t.Errorf("%+v", got)
	}
}

// Nothing is touched: no home is made, no session, no file.
func TestExplainTouchesNothing(t *testing.T) {
	d := newDesk(t, "", "")
	d.home = filepath.Join(d.home, "none")
	d.text("explain", "touch X; rm -r .")
	if entries, err := os.ReadDir(d.work); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := os.Stat(d.home); err == nil {
		t.Error("the home was made")
	}
}

func TestEveryMemberOfAnExplanationIsThere(t *testing.T) {
	var got map[string]json.RawMessage
	newDesk(t, "", "").read(0, &got, "explain", "--", "touch X")
	for _, name := range strings.Fields("tool command verdict policy rule source why fresh dir mode posture headless outcomes parts suggest suggest_prefix release") {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
}
