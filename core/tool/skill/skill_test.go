package skill_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reasonix/core/tool"
	"reasonix/core/tool/skill"
	"reasonix/core/tool/tooltest"
)

// source is one skill, review.
type source struct{ text string }

func (source) Index() string { return "- review\n" }

func (s source) Run(name, arguments string) (string, error) {
	if name != "review" {
		return "", fmt.Errorf("there is no skill %q", name)
	}
	return s.text + arguments, nil
}

// within is run_skill in a session with the skills of a source.
type within struct {
	tool.Binder
	skills tool.SkillSource
}

func (w within) Bind(env tool.Env) (tool.Tool, error) {
	env.Skills = w.skills
	return w.Binder.Bind(env)
}

func builtin(t *testing.T) tool.Binder {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == skill.Name {
			return tl.(tool.Binder)
		}
	}
	t.Fatal("run_skill is not registered")
	return nil
}

func TestConformance(t *testing.T) {
	tooltest.Run(t, within{builtin(t), source{"Look."}}, tooltest.Args(`{"arguments":"the diff","name":"review"}`))
}

func call(t *testing.T, skills tool.SkillSource, cap int, args string) (string, error) {
	t.Helper()
	env := tooltest.Env(t, t.TempDir(), tooltest.Settings(tool.Settings{OutputCap: cap}))
	return tooltest.Bind(t, within{builtin(t), skills}, env).Execute(t.Context(), json.RawMessage(args))
}

func TestASkillIsTextWithItsArguments(t *testing.T) {
	if out, err := call(t, source{"Look at "}, 0, `{"name":"review","arguments":"x"}`); err != nil || out != "Look at x" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := call(t, source{}, 0, `{"name":"deploy"}`); err == nil || err.Error() != `there is no skill "deploy"` {
		t.Errorf("unknown: %v", err)
	}
	if _, err := call(t, nil, 0, `{"name":"review"}`); err == nil || err.Error() != `there is no skill "review": this session has none` {
		t.Errorf("without skills: %v", err)
	}
	if _, err := builtin(t).Execute(t.Context(), json.RawMessage(`{"name":"review"}`)); !errors.Is(err, tool.ErrUnbound) {
		t.Errorf("unbound: %v", err)
	}
}

func TestALongSkillIsCutAtALineAndSaysSo(t *testing.T) {
	text := strings.Repeat("0123456789012345678\n", 20) // 400 bytes
	out, err := call(t, source{text}, 100, `{"name":"review"}`)
	if want := text[:200] + "\n[200 bytes are left out here; read the rest in the file named above]\n"; err != nil || out != want {
		t.Errorf("got %q, %v", out, err)
	}
	if out, _ = call(t, source{strings.Repeat("é", 300)}, 101, `{"name":"review"}`); !strings.HasPrefix(out, strings.Repeat("é", 101)+"\n[398 bytes") {
		t.Errorf("one long line: %q", out)
	}
	if out, _ = call(t, source{text}, 200, `{"name":"review"}`); out != text {
		t.Errorf("what fits is cut: %q", out)
	}
}

func TestSubjectNamesTheSkill(t *testing.T) {
	s := builtin(t).(tool.Subjecter).Subject(json.RawMessage(`{"name":"re\nview"}`))
	if s.Title != "Skill re view" || s.Kind != "read" {
		t.Errorf("got %+v", s)
	}
}
