package plan_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"reasonix/core/tool"
	_ "reasonix/core/tool/plan"
	"reasonix/core/tool/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func builtin(t testing.TB, name string) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == name {
			return tl
		}
	}
	t.Fatalf("%s is not registered", name)
	return nil
}

func TestConformance(t *testing.T) {
	t.Run("todo_write", func(t *testing.T) {
		tooltest.Run(t, builtin(t, "todo_write"), tooltest.Args(`{"todos":[{"content":"look","status":"in_progress","level":0},{"content":"act","status":"pending"}]}`))
	})
	t.Run("ask", func(t *testing.T) {
		tooltest.Run(t, builtin(t, "ask"), tooltest.Args(`{"questions":[{"header":"Size","question":"How large?","options":[{"label":"small"},{"label":"large","description":"slower"}],"multi_select":false}]}`))
	})
}

// Every session pays for what a tool says of itself.
func TestToolsAreWritersAndTerse(t *testing.T) {
	for name, most := range map[string]int{"todo_write": 450, "ask": 520} {
		tl := builtin(t, name)
		if tl.ReadOnly() {
			t.Errorf("%s runs beside other calls of a reply", name)
		}
		if got := len(name) + len(tl.Description()) + len(tl.Schema()); got > most {
			t.Errorf("%s costs %d bytes, want at most %d", name, got, most)
		}
	}
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
