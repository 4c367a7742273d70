package mention_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/mention"
)

// complete completes text where it has a bar and returns the text with each of the
// ways to go on put in.
func (r rig) complete(text string) []string {
	cursor := strings.IndexByte(text, '|')
	text = text[:cursor] + text[cursor+1:]
	c := mention.Complete(context.Background(), r.Options, text, cursor)
	var got []string
	for _, item := range c.Items {
		got = append(got, text[:c.From]+item.Insert+text[c.To:])
	}
	return got
}

func TestCompletionGoesOneDirectoryAtATime(t *testing.T) {
	r := newRig(t, map[string]string{
		"cmd/main.go": "", "cmd/my dir/f.go": "", "Core.go": "", "b.go": "", ".env": "", ".git/HEAD": "", "my file": "", "secret/k": "", "@scope/p": "", "文/件": "",
		"../home/.rc": "", "../home/notes": "",
	})
	for text, want := range map[string][]string{
		"@|":                   {`@"@scope/`, "@Core.go", "@b.go", "@cmd/", `@"my file"`, "@文/"},
		"see @c|":              {"see @Core.go", "see @cmd/"},
		"see @C| x":            {"see @Core.go x", "see @cmd/ x"},
		"@cmd/|":               {"@cmd/main.go", `@"cmd/my dir/`},
		"@cmd/MA|":             {"@cmd/main.go"},
		`@"cmd/my dir/|`:       {`@"cmd/my dir/f.go"`},
		`@"cmd/m|`:             {"@cmd/main.go", `@"cmd/my dir/`},
		"@./b|":                {"@./b.go"},
		"@.|":                  {"@.env", "@.git/"},
		"@.e|":                 {"@.env"},
		"@secret/|":            nil,
		"@s|":                  nil,
		"@none/|":              nil,
		"@b.go/|":              nil,
		"@b.go |":              nil,
		"a@b|":                 nil,
		"b|":                   nil,
		"@b\n|":                nil,
		`@"my file"|`:          nil,
		"(@b|":                 {"(@b.go"},
		"看@文|":                 {"看@文/"},
		"@~/|":                 {"@~/notes"},
		"@~/.|":                {"@~/.rc"},
		"@../home/n|":          {"@../home/notes"},
		"@//x/|":               nil,
		"|@b":                  nil,
		"first @cmd/ then @b|": {"first @cmd/ then @b.go"},
	} {
		if diff := cmp.Diff(r.complete(text), want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", text, diff)
		}
	}
	c := mention.Complete(context.Background(), r.Options, "@cm", 3)
	if diff := cmp.Diff(c, mention.Completions{To: 3, Items: []mention.Completion{{Insert: "@cmd/", Label: "cmd/", Kind: mention.KindDir}}}); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	for _, cursor := range []int{-1, 4} {
		if c := mention.Complete(context.Background(), r.Options, "@cm", cursor); len(c.Items) > 0 {
			t.Errorf("cursor %d: %v", cursor, c)
		}
	}
}

func TestCompletionHasResourcesBesideTheTopLevel(t *testing.T) {
	r := newRig(t, map[string]string{"docs.md": "", "dir/x": ""})
	r.Resources = servers{"docs:file:///a/b.md": "", "docs:file:///a b.md": "", "zoo:cats.": ""}
	for text, want := range map[string][]string{
		"@|":                 {"@dir/", "@docs.md", `@"docs:file:///a b.md"`, "@docs:file:///a/b.md", `@"zoo:cats."`, "@zoo:month:"},
		"@do|":               {"@docs.md", `@"docs:file:///a b.md"`, "@docs:file:///a/b.md"},
		"@docs:file:///a/|":  {"@docs:file:///a/b.md"},
		`@"docs:file:///a |`: {`@"docs:file:///a b.md"`},
		"@dir/|":             {"@dir/x"},
		`@"the cat|`:         {`@"zoo:cats."`},
		"@mon|":              {"@zoo:month:"},
		"@zoo:mo|":           nil, // the server has said what begins so
		"@zoo:|":             {`@"zoo:cats."`},
		"@zoo:month:May|":    {"@zoo:month:May%201/"},
		"@zoo:month:May/9|":  {"@zoo:month:May/1999"},
	} {
		if diff := cmp.Diff(r.complete(text), want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", text, diff)
		}
	}
}

func TestCompletionIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range mention.MaxCompletions + 10 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	r := newRig(t, files)
	c := mention.Complete(context.Background(), r.Options, "@", 1)
	if len(c.Items) != mention.MaxCompletions || !c.More || c.Items[0].Label != "f000" {
		t.Errorf("%d, more %v", len(c.Items), c.More)
	}
	if c = mention.Complete(context.Background(), r.Options, "@f20", 4); len(c.Items) != 10 || c.More {
		t.Errorf("%d, more %v", len(c.Items), c.More)
	}
}

// TestWhatIsCompletedIsFound: each completion of a file is a reference to it.
func TestWhatIsCompletedIsFound(t *testing.T) {
	names := []string{"plain", "with space", "end.", "a,b", "x#L1", "(p)", "q'q", "c:1", "@at", "日本 語", "日本，語", "-", "~", "#", "a..", "&<>", "tab\there", `q"q`, `s "q`, `"q`}
	r := newRig(t, nil)
	found := 0
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(name), 0o600); err != nil {
			continue // no name on this system
		}
		c := mention.Complete(context.Background(), r.Options, "@"+name[:1], 2)
		if first, _ := utf8.DecodeRuneInString(name); first == '@' || first == '"' || first >= utf8.RuneSelf {
			c = mention.Complete(context.Background(), r.Options, "@", 1)
		}
		for _, item := range c.Items {
			if item.Label != name {
				continue
			}
			found++
			for _, typed := range []string{item.Insert, "see " + item.Insert + " now", "(" + item.Insert + ")"} {
				if got := r.refs(typed); len(got) != 1 || got[0] != name {
					t.Errorf("%q: got %q, want %q", typed, got, name)
				}
			}
		}
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if found < 12 {
		t.Errorf("%d of %d names were completed", found, len(names))
	}
}
