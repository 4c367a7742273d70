package slash_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
	"reasonix/core/slash"
)

func named(source string, names ...string) []slash.Command {
	var list []slash.Command
	for _, n := range names {
		list = append(list, slash.Command{Name: n, Source: source, Kind: slash.KindFront, Help: "does " + n})
	}
	return list
}

func namesOf(list []slash.Command) []string {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// A name is found in whatever case it is typed, also one that has capitals.
func TestNamesWithCapitals(t *testing.T) {
	set := slash.NewSet([]slash.Command{{Name: "mcp__Docs__Find", Kind: slash.KindText}, {Name: "go", Kind: slash.KindText, Source: "low"}, {Name: "Go", Kind: slash.KindText, Source: "high"}})
	for typed, want := range map[string]string{
		"/mcp__docs__find x": "mcp__Docs__Find", "/MCP__DOCS__FIND x": "mcp__Docs__Find", "/mcp__Docs__Find": "mcp__Docs__Find", "/go": "go", "/Go": "Go", "/GO": "go",
	} {
		if c, _, ok, err := set.Lookup(typed); !ok || err != nil || c.Name != want {
			t.Errorf("%s: %q %v %v", typed, c.Name, ok, err)
		}
	}
	if _, _, _, err := set.Lookup("/mcp__docs"); err == nil || !strings.Contains(err.Error(), "mcp__Docs__Find") {
		t.Errorf("nearest: %v", err)
	}
}

func TestOnlyTheFirstWordDecides(t *testing.T) {
	set := slash.NewSet(named("builtin", "help", "compact", "model"), named("project", "git:commit", "mcp__Srv__Ask", "2fa"))
	type result struct {
		Name, Args string
		OK         bool
		Unknown    string
	}
	for text, want := range map[string]result{
		"/help":                      {Name: "help", OK: true},
		"/HELP me":                   {Name: "help", Args: "me", OK: true},
		"/compact  the  tests \n":    {Name: "compact", Args: "the  tests", OK: true},
		"/compact\nkeep\nboth":       {Name: "compact", Args: "keep\nboth", OK: true},
		"/git:commit a/b":            {Name: "git:commit", Args: "a/b", OK: true},
		"/mcp__Srv__Ask x":           {Name: "mcp__Srv__Ask", Args: "x", OK: true},
		"/2fa":                       {Name: "2fa", OK: true},
		"/usr/bin/x fails":           {},
		"/help/me":                   {},
		"/help.":                     {},
		"/Usr":                       {},
		"/9lives":                    {},
		"/-x":                        {},
		"/":                          {},
		"/ help":                     {},
		"//help":                     {},
		" /help":                     {},
		"see /help":                  {},
		"":                           {},
		"/日本":                        {},
		"/tmp":                       {Unknown: "tmp"},
		"/tmp is full":               {Unknown: "tmp"},
		"/git:push":                  {Unknown: "git:push"},
		"/a_b-c:d\tx":                {Unknown: "a_b-c:d"},
		"/" + strings.Repeat("x", 9): {Unknown: "xxxxxxxxx"},
	} {
		c, args, ok, err := set.Lookup(text)
		got := result{Name: c.Name, Args: args, OK: ok}
		var unknown *slash.UnknownError
		if errors.As(err, &unknown) {
			got.Unknown = unknown.Name
		} else if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", text, diff)
		}
	}
}

func TestUnknownCommandNamesTheNearest(t *testing.T) {
	set := slash.NewSet(slash.Builtins(), named("builtin", "help"), named("project", "git:commit", "git:push"))
	for name, want := range map[string][]string{
		"hepl":                    {"help"},
		"comapct":                 {"compact"},
		"comp":                    {"compact"},
		"reviewer":                {"review"},
		"revie":                   {"review"},
		"git:comit":               {"git:commit"},
		"git":                     {"git:commit", "git:push"},
		"re":                      {"resume", "review", "rewind"},
		"quti":                    {"quit"},
		"zzzzzz":                  nil,
		"x":                       nil,
		strings.Repeat("a", 5000): nil,
	} {
		_, _, ok, err := set.Lookup("/" + name)
		var unknown *slash.UnknownError
		if ok || !errors.As(err, &unknown) {
			t.Fatalf("/%s: ok %v, err %v", name, ok, err)
		}
		if diff := cmp.Diff(unknown.Nearest, want); diff != "" {
			t.Errorf("/%s: (-got +want)\n%s", name, diff)
		}
		if len(err.Error()) > 400 {
			t.Errorf("/%s: %d bytes of error", name[:9], len(err.Error()))
		}
	}
	_, _, _, err := set.Lookup("/hepl")
	if want := "there is no command /hepl; did you mean /help? (/help lists them; a space before the slash makes it text)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestFirstOfANameWinsAndTheOthersAreNamed(t *testing.T) {
	set := slash.NewSet(named("builtin", "help"), named("project", "fix", "help", "a/b", ""), named("user", "fix", "own", "two words"))
	if diff := cmp.Diff(namesOf(set.List()), []string{"fix", "help", "own"}); diff != "" {
		t.Error(diff)
	}
	if c, _, _, _ := set.Lookup("/fix"); c.Source != "project" {
		t.Errorf("got the command of %s", c.Source)
	}
	want := []slash.Shadow{
		{Name: "help", Source: "project", By: "builtin"},
		{Name: "a/b", Source: "project"},
		{Source: "project"},
		{Name: "fix", Source: "user", By: "project"},
		{Name: "two words", Source: "user"},
	}
	if diff := cmp.Diff(set.Shadowed(), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

func TestCompleteTakesTheBeginningOfANameThenOfAPart(t *testing.T) {
	set := slash.NewSet(named("builtin", "compact", "clear"), named("user", "git:commit", "my-clean", "Copy"))
	for prefix, want := range map[string][]string{
		"":      {"Copy", "clear", "compact", "git:commit", "my-clean"},
		"/":     {"Copy", "clear", "compact", "git:commit", "my-clean"},
		"/co":   {"Copy", "compact", "git:commit"},
		"CL":    {"clear", "my-clean"},
		"/git:": {"git:commit"},
		"/x":    nil,
	} {
		if diff := cmp.Diff(namesOf(set.Complete(prefix)), want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", prefix, diff)
		}
	}
}

func TestHelpListsBuiltinsFirst(t *testing.T) {
	list := []slash.Command{
		{Name: "zip", Hint: "[file]", Help: "Pack it", Source: "builtin"},
		{Name: "add", Help: "Add it", Source: "project"},
	}
	want := "/zip [file]  Pack it\n/add         Add it (project)\n"
	if got := slash.NewSet(list).Help(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	quit := slash.Command{Name: "quit", Help: "End", Source: "builtin", Kind: slash.KindFront}
	if got := slash.NewSet(list, []slash.Command{quit}).Help(slash.KindFront); got != want {
		t.Errorf("without what front ends do: got\n%s\nwant\n%s", got, want)
	}
}

func TestBuiltinsAreWhole(t *testing.T) {
	list := slash.Builtins()
	set := slash.NewSet(list)
	if len(set.Shadowed()) > 0 {
		t.Errorf("%v", set.Shadowed())
	}
	want := []string{"clear", "compact", "effort", "export", "fork", "init", "mode", "model", "new", "quit", "resume", "review", "rewind"}
	if diff := cmp.Diff(namesOf(list), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	for _, c := range list {
		closures := map[slash.Kind]bool{slash.KindOp: c.Op != nil, slash.KindText: c.Text != nil, slash.KindReport: c.Report != nil}
		for kind, set := range closures {
			if set != (kind == c.Kind) {
				t.Errorf("/%s is %s and has a closure for %s: %v", c.Name, c.Kind, kind, set)
			}
		}
		if c.Help == "" || c.Source != slash.SourceBuiltin || len(c.Help) > 80 {
			t.Errorf("/%s: help %q, source %q", c.Name, c.Help, c.Source)
		}
	}
	if c, _, _, _ := set.Lookup("/clear"); c.Confirm == "" {
		t.Error("/clear does not ask")
	}
}

func ptr(s string) *string { return &s }

func TestOpsOfBuiltins(t *testing.T) {
	set := slash.NewSet(slash.Builtins())
	for text, want := range map[string]protocol.Op{
		"/compact":             protocol.Compact{},
		"/compact the API":     protocol.Compact{Focus: "the API"},
		"/model deepseek/chat": protocol.Configure{Model: ptr("deepseek/chat")},
		"/effort high":         protocol.Configure{Effort: ptr("high")},
		"/effort default":      protocol.Configure{Effort: ptr("")},
		"/effort auto":         protocol.Configure{Effort: ptr("")},
		"/mode yolo":           protocol.Configure{Approval: ptr("yolo")},
		"/mode economy":        protocol.Configure{WorkMode: ptr("economy")},
		"/mode normal":         protocol.Configure{Mode: ptr("normal")},
	} {
		c, args, ok, err := set.Lookup(text)
		if !ok || err != nil {
			t.Fatalf("%s: %v %v", text, ok, err)
		}
		op, err := c.Op(args)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(op, want); diff != "" {
			t.Errorf("%s: (-got +want)\n%s", text, diff)
		}
	}
	for _, name := range []string{"model", "effort", "mode"} {
		c, _, _, _ := set.Lookup("/" + name)
		var usage *slash.UsageError
		if _, err := c.Op(""); !errors.As(err, &usage) || err.Error() != "usage: /"+name+" "+c.Hint {
			t.Errorf("/%s without an argument: %v", name, err)
		}
	}
}

func TestPromptsOfBuiltinsTakeArguments(t *testing.T) {
	set := slash.NewSet(slash.Builtins())
	for _, name := range []string{"init", "review"} {
		c, _, _, _ := set.Lookup("/" + name)
		text, err := c.Text(context.Background(), "the parser of $1")
		if err != nil || !strings.Contains(text, ": the parser of $1\n") || strings.Contains(text, "$ARGUMENTS") {
			t.Errorf("/%s: %v\n%s", name, err, text)
		}
		if text, err = c.Text(context.Background(), ""); err != nil || strings.Contains(text, "$") {
			t.Errorf("/%s: %v\n%s", name, err, text)
		}
	}
}

// FuzzLookup: no text makes it panic; what it takes for a command begins with one, and
// nothing with the shape of a command gets through as text.
func FuzzLookup(f *testing.F) {
	for _, text := range []string{"/help x", "/usr/bin", "/tmp", "/HELP", "/", " /help", "/a:b", "/\xff", "/help\u00a0x"} {
		f.Add(text)
	}
	set := slash.NewSet(slash.Builtins(), named("user", "git:commit"))
	f.Fuzz(func(t *testing.T, text string) {
		c, args, ok, err := set.Lookup(text)
		switch {
		case ok && (err != nil || !strings.EqualFold(text[1:1+len(c.Name)], c.Name) || !strings.Contains(text, args)):
			t.Errorf("%q: %q %q %v", text, c.Name, args, err)
		case !ok && (c.Name != "" || args != ""):
			t.Errorf("%q: %q %q", text, c.Name, args)
		}
		_ = set.Complete(text)
	})
}
