package permissions

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/permission"
)

// Example is what explain says of one call, for the documentation.
type Example struct {
	About  string // what it shows
	Line   string // the command line, as for a shell
	Output string // what it prints
}

// The world of the examples, the same on every machine.
const (
	exampleUser = "/home/you"
	exampleDir  = exampleUser + "/project"
)

// ExampleRules is the user's config.toml of the examples.
const ExampleRules = `[permissions]
deny = [
  "Bash(rm:*)",
  "Bash(git push --force:*)",
]
ask = ["Bash(git push:*)"]
allow = [
  "Bash(go test:*)",
  "Bash(git commit:*)",
  "Bash(npm run build:*)",
  "Edit(docs/**)",
]
`

var exampleCalls = []struct {
	about string
	args  []string
}{
	{"A command of the read-only table needs no rule.", []string{"git status"}},
	{"A prefix covers further words.", []string{"go test ./... -run TestAll"}},
	{"Every command of a chain is judged: one that is denied is enough.", []string{"go test ./... && rm -rf build"}},
	{"It needs every one of them to be allowed; the rule that is missing is named.", []string{"git commit -m fix && npm publish"}},
	{"A redirection is a write to that file, so a rule for the command is not enough.", []string{"go test ./... > report.txt"}},
	{"A rule for edits speaks of redirections, too, and a path is taken from the directory the shell is in by then.", []string{"cd docs && npm run build > build.log"}},
	{"After a `cd` to somewhere unknown nothing is covered by a rule.", []string{`cd "$TARGET" && npm run build`}},
	{"A command in double quotes or in a here-document runs.", []string{`git commit -m "$(npm publish)"`}},
	{"In single quotes it is text.", []string{`git commit -m '$(npm publish)'`}},
	{"Wrappers do not hide a command.", []string{"sudo rm -r build"}},
	{"Neither does a shell in the shell.", []string{`bash -c 'rm -r build'`}},
	{"Nor a command that runs others.", []string{`find . -name '*.tmp' -exec rm {} +`}},
	{"`git push` is asked about.", []string{"git push origin main"}},
	{"`git push --force` is denied.", []string{"git push --force origin main"}},
	{"Words are compared in their order: here --force stands behind what the deny rule names, and the ask rule answers.", []string{"git push origin main --force"}},
	{"A rule with stars hits it at any place.", []string{"--deny", "Bash(git push*--force*)", "git push origin main --force"}},
	{"Options before the verb change nothing.", []string{"git -C ../other push --force"}},
	{"A prefix ends at a word: Bash(ls:*) is not about lsof.", []string{"--allow", "Bash(ls:*)", "lsof -i"}},
	{"A star stands for anything within the command, also for what a variable holds.", []string{"--allow", "Bash(mkdir -p /tmp/x-*)", "mkdir -p /tmp/x-$PPID"}},
	{"A quoted name is the same name.", []string{`"r"m -r build`}},
	{"A name that is made at run time could be a denied one: a person looks at it each time, in every posture.", []string{"--permission-mode", "yolo", "R=rm; $R -r build"}},
	{"Whatever runs the code it is given is offered as it is and never as a prefix.", []string{"python3 tool.py"}},
	{"Where nobody can be asked, a question counts as permissions.headless says; a mode of deny is no question.", []string{"--allow", "Bash(npx tsc:*)", "--mode", "deny", "--headless", "npx tsc | sponge out.txt"}},
	{"Some files change what runs later. A write to one is reviewed each time.", []string{"echo 'make lint' > .git/hooks/pre-commit"}},
	{"Reading a secret is, too.", []string{"cat ~/.ssh/id_ed25519"}},
	{"The shell must not write where the file tools must not.", []string{"echo 127.0.0.1 example.com >> /etc/hosts"}},
	{"A file tool.", []string{"--tool", "edit_file", "--path", "docs/guide/start.md"}},
	{"A move is judged at both ends.", []string{"--tool", "move_file", "--path", "docs/start.md", "--path", "start.md"}},
}

// Examples explains a number of calls in a world that is the same everywhere.
func Examples() ([]Example, error) {
	s, err := exampleScene()
	if err != nil {
		return nil, fmt.Errorf("explain the examples: %w", err)
	}
	var all []Example
	for _, c := range exampleCalls {
		var out bytes.Buffer
		app := &cmdutil.App{In: strings.NewReader(""), Out: &out, Err: &out, WorkDir: exampleDir}
		cmd := explainCommand(&question{app: app, open: func(string, bool) (*scene, error) {
			own := *s // the flags of one example are not another's
			return &own, nil
		}})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(c.args)
		if err := cmd.Execute(); err != nil {
			return nil, fmt.Errorf("explain %v: %w", c.args, err)
		}
		line := "reasonix permissions explain"
		for _, arg := range c.args {
			line += " " + quoted(arg)
		}
		all = append(all, Example{About: c.about, Line: line, Output: out.String()})
	}
	return all, nil
}

// OnlyRead is the table of "list --read-only-commands", as it prints it.
func OnlyRead() string { return readers(permission.ReadOnlyCommands()) }

// exampleScene is made of a text in the place of a file, and looks at no disk.
func exampleScene() (*scene, error) {
	home := path.Join(exampleUser, ".reasonix")
	in := config.Input{Home: home, Workspace: exampleDir, Environ: []string{"HOME=" + exampleUser}}
	user, _, _ := config.Files(in)
	in.Texts = map[string][]byte{user: []byte(ExampleRules)}
	cfg, err := config.Load(in)
	if err != nil {
		return nil, err
	}
	s, err := sceneOf(wire.World{Home: home, Environ: in.Environ}, cfg, exampleDir, in.Texts)
	if err != nil {
		return nil, err
	}
	s.policy.Resolve, s.policy.FoldCase, s.policy.PowerShell = nil, false, false
	s.policy.Repository = func(string) string { return exampleDir }
	s.policy.Nested = func(string) bool { return false }
	return s, nil
}

// quoted is arg as a person writes it for a shell.
func quoted(arg string) string {
	switch {
	case !strings.ContainsAny(arg, " \t\n\"'$&|;<>()*?[]{}#~`\\!"):
		return arg
	case !strings.Contains(arg, "'"):
		return "'" + arg + "'"
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
