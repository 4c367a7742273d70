package hook_test

import (
	"slices"
	"strings"
	"testing"

	"reasonix/core/hook"
	"reasonix/sandbox"
)

// A hook may start a session, whose hooks may start one again: at some depth no hook
// runs. Where something waits for its leave, that is a block.
func TestHooksInHooksEnd(t *testing.T) {
	for given, want := range map[string]string{
		"":                                 "REASONIX_HOOK_DEPTH=1",
		"REASONIX_HOOK_DEPTH=":             "REASONIX_HOOK_DEPTH=1",
		"REASONIX_HOOK_DEPTH=1":            "REASONIX_HOOK_DEPTH=2",
		"REASONIX_HOOK_DEPTH=2":            "REASONIX_HOOK_DEPTH=3",
		"REASONIX_HOOK_DEPTH=deep":         "REASONIX_HOOK_DEPTH=1",
		"REASONIX_HOOK_DEPTH=-1":           "REASONIX_HOOK_DEPTH=1",
		"REASONIX_HOOK_DEPTH=3":            "",
		"REASONIX_HOOK_DEPTH=4":            "",
		"REASONIX_HOOK_DEPTH=999999999999": "",
	} {
		for _, project := range []bool{false, true} {
			for _, claude := range []bool{false, true} {
				for _, at := range []hook.Point{hook.PreToolUse, hook.UserPromptSubmit, hook.PostToolUse, hook.TurnEnd, hook.SessionStart} {
					p := prints("", "", 0)
					e := exec(p, hook.Hook{Name: "h", Event: at, Command: "x", FromProject: project, Claude: claude})
					e.Environ = []string{"A=1", given}
					e.Hold = sandbox.Cmd{Env: e.Environ}
					v, err := e.Fire(t.Context(), at, hook.Input{Tool: "bash"})
					if err != nil || len(v.Runs) != 1 {
						t.Fatalf("%s: %v, %v", given, v, err)
					}
					if want != "" {
						if len(p.cmds) != 1 || !slices.Contains(p.cmds[0].Env, want) || v.Runs[0].Word != hook.WordOK {
							t.Errorf("%s: %v, %+v", given, p.cmds, v)
						}
						continue
					}
					guards := at == hook.PreToolUse || at == hook.UserPromptSubmit
					if len(p.cmds) != 0 || v.Block != guards || v.Runs[0].Word != hook.WordFailed || !strings.Contains(v.Runs[0].Reason, "it was not run") {
						t.Errorf("%s at %s: %v, %+v", given, at, p.cmds, v)
					}
				}
			}
		}
	}
}
