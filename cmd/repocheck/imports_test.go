package repocheck_test

import "testing"

// A rule says what the packages matching pkgs may import from this module. The
// first matching rule wins; a package that matches none fails the test.
type rule struct{ pkgs, mayImport string }

// contract is what every front end may see.
const contract = "core/protocol core/event core/view core/message core/i18n"

// rules has a line for every package that exists or is planned. "p/..." is
// everything under p, not p itself. A new line, or a longer one, is a decision:
// the commit says why.
var rules = []rule{
	// 0: leaves
	{"core/internal/walk", "core/durable core/internal/gitconfig"},
	{"core/internal/...", ""}, // frontmatter, gitconfig, sse, textenc
	{"integrations/internal/...", ""},
	{"sandbox", ""},
	{"sandbox/sandboxtest", "sandbox"},
	{"sandbox/...", "sandbox"},
	{"core/message", ""},
	{"core/durable", ""},
	{"core/diff", ""},
	{"core/doctor", ""},
	{"core/i18n", ""},
	{"core/permission", ""},
	{"core/retrieval", ""},
	{"core/goal", ""},
	{"core/instruction", "core/durable"},
	// 1: one thing each, on leaves
	{"core/config", "core/durable"},
	{"core/environment", "core/durable"},
	{"core/trust", "core/durable"},
	{"core/event", "core/message"},
	{"core/workspace", "core/durable core/internal/textenc core/internal/gitconfig sandbox"},
	{"core/checkpoint", "core/durable core/internal/walk"},
	{"core/compaction", "core/message"},
	{"core/hook", "sandbox"},
	{"core/memory", "core/durable core/retrieval core/internal/frontmatter"},
	{"core/skill", "core/durable core/internal/frontmatter"},
	{"core/subagent", "core/skill"},
	{"core/provider", "core/message core/internal/sse"},
	{"core/provider/providertest", "core/provider core/message"},
	{"core/provider/...", "core/provider core/message core/internal/sse"},
	// 2: contracts
	{"core/protocol", "core/event core/message"},
	{"core/protocol/protocoltest", "core/protocol core/event core/message"},
	{"core/view", "core/event core/message"},
	{"core/session", "core/event core/message"},
	{"core/session/sealed", "core/event"},
	{"core/session/jsonl", "core/session core/session/sealed core/event core/message core/durable"},
	{"core/session/sessiontest", "core/session core/event core/message"},
	{"core/history", "core/durable core/message core/session core/session/sealed core/event core/retrieval"},
	{"core/prompt", "core/instruction core/message"},
	{"core/mention", "core/workspace core/internal/walk core/internal/textenc"},
	{"core/slash", "core/durable core/protocol core/internal/frontmatter"},
	// 3: what the model can call
	{"core/tool", "core/protocol core/event core/message core/workspace sandbox"},
	{"core/tool/tooltest", "core/tool core/event core/message core/protocol core/workspace sandbox"},
	{"core/tool/delegate", "core/tool core/protocol core/event core/message core/subagent"},
	{"core/tool/recall", "core/tool core/event core/diff core/memory core/history core/retrieval"},
	{"core/tool/skill", "core/tool"},
	{"core/tool/...", "core/tool core/event core/message core/diff core/durable core/workspace core/internal/... sandbox"},
	// 4-5: the loop and the session
	{"core/agent", "core/compaction core/event core/message core/provider core/tool"},
	{"core/engine", "core/agent core/compaction core/event core/hook core/message core/permission core/protocol core/session core/tool"},
	// integrations
	{"integrations/mcp/shape", "core/message"},
	{"integrations/mcp/oauth", "core/durable integrations/mcp"},
	{"integrations/mcp", "core/tool core/event core/message core/durable core/retrieval integrations/mcp/... sandbox"},
	{"integrations/acp", contract + " integrations/internal/..."},
	{"integrations/web", contract + " integrations/internal/..."},
	{"integrations/fleet", contract + " core/durable integrations/internal/..."},
	{"integrations/routine", "integrations/fleet core/durable core/i18n"},
	{"integrations/dashboard", contract + " integrations/fleet integrations/routine integrations/web integrations/internal/..."},
	{"integrations/bridge", "integrations/fleet integrations/routine core/event core/i18n"},
	// commands: wire is the only composition root
	{"commands/cmdutil", "core/protocol core/event core/i18n"},
	{"commands/cmdutil/cmdtest", "commands/cmdutil"},
	{"commands/wire", "core/... integrations/mcp integrations/mcp/... sandbox sandbox/..."},
	{"commands/chat/tui/keymap", "core/i18n"},
	{"commands/chat/tui/theme", "core/i18n"},
	{"commands/chat/tui", contract + " core/diff commands/chat/tui/..."},
	{"commands/chat/tui/...", contract + " core/diff commands/chat/tui/keymap commands/chat/tui/theme"},
	{"commands/run", contract + " core/config commands/cmdutil commands/wire"},
	{"commands/chat", contract + " core/config commands/cmdutil commands/wire commands/chat/tui"},
	{"commands/demo", contract + " commands/cmdutil commands/wire"},
	{"commands/acp", "core/protocol commands/cmdutil commands/wire integrations/acp"},
	{"commands/serve", "core/config commands/cmdutil commands/wire integrations/web"},
	{"commands/setup", "core/config core/provider core/i18n commands/cmdutil commands/wire"},
	{"commands/config", "core/config commands/cmdutil commands/wire"},
	{"commands/models", "core/config core/message core/provider core/provider/trial commands/cmdutil commands/wire"},
	{"commands/permissions", "core/config core/permission core/tool core/trust commands/cmdutil commands/wire"},
	{"commands/mcp", "core/config core/durable core/event core/message core/tool core/trust sandbox integrations/mcp integrations/mcp/oauth commands/cmdutil commands/wire"},
	{"commands/hook", "core/config core/hook core/trust sandbox commands/cmdutil commands/wire"},
	{"commands/skill", "core/skill core/config commands/cmdutil commands/wire"},
	{"commands/memory", "core/event core/memory core/instruction core/session core/session/jsonl commands/cmdutil commands/wire"},
	{"commands/history", "core/event core/history core/session core/session/jsonl core/config commands/cmdutil commands/wire"},
	{"commands/session", contract + " core/session core/session/jsonl commands/cmdutil commands/wire"},
	{"commands/subagent", contract + " core/subagent commands/cmdutil commands/wire"},
	{"commands/doctor", "core/doctor core/config core/provider core/session/jsonl sandbox integrations/mcp commands/cmdutil commands/wire"},
	{"commands/fleet", "integrations/fleet integrations/bridge integrations/dashboard commands/cmdutil commands/wire"},
	{"commands/routine", "integrations/fleet integrations/routine commands/cmdutil"},
	{"commands/version", "commands/cmdutil"},
	{"commands", "commands/..."},
	{"cmd/reasonix", "commands sandbox core/provider/... core/tool/..."},
	{"cmd/reasonix-plugin-example", ""},
	{"cmd/gendocs", "commands core/config core/event core/protocol core/tool core/tool/..."},
	{"cmd/repocheck", ""},
}

// TestImports is default-deny: what the table does not allow is refused.
func TestImports(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		r, ok := find(f.pkg)
		if !ok {
			t.Errorf("%s: no rule; add one line to the table and say why in the commit", f.pkg)
			continue
		}
		for _, imp := range f.imports() {
			ours, ok := cutModule(imp)
			if ok && !matchAny(r.mayImport, ours) {
				t.Errorf("%s may not import %s (rule %q)", f.path, ours, r.pkgs)
			}
		}
	}
}

func find(pkg string) (rule, bool) {
	for _, r := range rules {
		if match(r.pkgs, pkg) {
			return r, true
		}
	}
	return rule{}, false
}
