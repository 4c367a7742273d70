package prompt_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/instruction"
	"reasonix/core/prompt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func full() prompt.Parts {
	return prompt.Parts{
		ReasoningLanguage: "zh",
		Instructions: []instruction.File{
			{Name: "AGENTS.md", Scope: instruction.User, Text: "Write tests first.\n"},
			{Name: "sub/REASONIX.md", Scope: instruction.Project, Text: "Run `make check`.\n\n# Environment\nnot ours"},
		},
		Environment: "OS: linux/amd64, Debian GNU/Linux 12\nShell: bash\nTools: git 2.39.5, go 1.26.8\n",
		Dir:         "/home/me/project",
		Date:        time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC),
	}
}

func TestSystemIsGolden(t *testing.T) {
	for name, parts := range map[string]prompt.Parts{
		"empty": {},
		"full":  full(),
		"own":   {Prompt: "You are a careful engineer.\n", Dir: `C:\work`, ReasoningLanguage: "auto"},
	} {
		path, got := filepath.Join("testdata", name+".golden"), prompt.System(parts)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// What changes from one session to the next comes last, so that all before it is
// a common prefix.
func TestOnlyTheEndDiffersTheNextDay(t *testing.T) {
	today, tomorrow := full(), full()
	tomorrow.Date = today.Date.AddDate(0, 0, 1)
	a, b := prompt.System(today), prompt.System(tomorrow)
	if cut := strings.LastIndex(a, "Date: "); cut < 0 || a[:cut] != b[:cut] || a == b {
		t.Errorf("the date is not the only difference:\n%s\n%s", a, b)
	}
}

// The text is paid for in every request.
func TestTheBuiltInTextIsShort(t *testing.T) {
	if n := len(prompt.System(prompt.Parts{})); n > 1200 {
		t.Errorf("%d bytes, want at most 1200", n)
	}
}

func TestChanged(t *testing.T) {
	stored := prompt.System(full())
	for _, c := range []struct {
		name   string
		change func(*prompt.Parts)
		want   string
	}{
		{"nothing", func(*prompt.Parts) {}, ""},
		{"the identity", func(p *prompt.Parts) { p.Prompt = "other" }, ""},
		{"the date", func(p *prompt.Parts) { p.Date = p.Date.AddDate(0, 0, 1) }, "Date: 2026-12-01\n"},
		{"a tool", func(p *prompt.Parts) {
			p.Environment = "OS: linux/amd64, Debian GNU/Linux 12\nShell: bash\nTools: go 1.27\n"
		}, "Tools: go 1.27\n"},
		{"an instruction", func(p *prompt.Parts) { p.Instructions = p.Instructions[:1] }, "The instruction files are now:\n## AGENTS.md (user)\nWrite tests first.\n"},
		{"no instructions", func(p *prompt.Parts) { p.Instructions = nil }, "The instruction files are gone.\n"},
	} {
		parts := full()
		c.change(&parts)
		want := c.want
		if want != "" {
			want = "<changed-since-the-session-began>\n" + want + "</changed-since-the-session-began>"
		}
		if d := cmp.Diff(want, prompt.Changed(stored, prompt.System(parts))); d != "" {
			t.Errorf("%s: -want +got\n%s", c.name, d)
		}
	}
}
