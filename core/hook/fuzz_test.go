package hook_test

import (
	"encoding/json"
	"testing"

	"reasonix/core/hook"
)

// FuzzOutput: whatever a hook prints, the verdict can be obeyed.
func FuzzOutput(f *testing.F) {
	for _, out := range []string{
		"", "text", "{", "{}", `{"decision":"block"}`, `{"continue":false}`, `{"hookSpecificOutput":{"updatedInput":{"a":1}}}`,
		`{"hookSpecificOutput":null}`, `{"updatedInput":{},"decision":"ask"}`, "\xff\xfe", `{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}`,
	} {
		for code := range 3 {
			f.Add(out, code)
		}
	}
	f.Fuzz(func(t *testing.T, out string, code int) {
		for _, p := range hook.Points() {
			v, err := exec(prints(out, out, code), hook.Hook{Event: p, Claude: code%2 == 0}).Fire(t.Context(), p, hook.Input{Tool: "write_file"})
			if err != nil || len(v.Runs) != 1 {
				t.Fatalf("%s: %+v %v", p, v, err)
			}
			var object map[string]json.RawMessage
			if v.Args != nil && (json.Unmarshal(v.Args, &object) != nil || p != hook.PreToolUse) {
				t.Errorf("%s: arguments %s", p, v.Args)
			}
			if v.Block && (v.Reason == "" || !p.CanBlock()) || v.Permission == hook.Deny && !v.Block {
				t.Errorf("%s: %+v", p, v)
			}
			if len(v.Context) > 17<<10 || len(v.Reason) > 5<<10 {
				t.Errorf("%s: %d bytes of context, %d of a reason", p, len(v.Context), len(v.Reason))
			}
			if v.Runs[0].Word == hook.WordFailed && (v.Block || v.Args != nil || v.Stop) {
				t.Errorf("%s: a hook that failed says %+v", p, v)
			}
		}
	})
}
