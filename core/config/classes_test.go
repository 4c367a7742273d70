package config_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// A say is what a project's file has in a key.
type say string

const (
	free     say = "free"      // it counts
	userOnly say = "user-only" // it never counts
	widens   say = "widens"    // it counts once it is granted, or when it narrows
)

// projectSays classifies every key. Whoever adds a key decides here whether a
// stranger's repository may set it: what makes a run do or reach more is widens,
// what is about the user or the machine is user-only.
var projectSays = map[string]say{
	"default_model": free, // among the user's providers: see TestDefaultModelOfAProject
	"language":      free,

	"ui.shortcut_layout": free,
	"ui.cursor_shape":    free,

	"agent.system_prompt":                widens, // what the model is
	"agent.system_prompt_file":           widens,
	"agent.temperature":                  free,
	"agent.reasoning_language":           free,
	"agent.work_mode":                    widens,
	"agent.planner_model":                widens,   // what the user types goes there
	"agent.guardian_model":               userOnly, // it decides in the user's place
	"agent.subagent_model":               widens,
	"agent.subagent_effort":              free,
	"agent.subagent_models":              widens,
	"agent.subagent_efforts":             free,
	"agent.compact_soft_ratio":           free,
	"agent.tool_result_snip_ratio":       free,
	"agent.compact_tail_turns":           free,
	"agent.compact_tail_ratio":           free,
	"agent.compact_pin_tokens":           free,
	"agent.compact_min_gain":             free,
	"agent.compact_ratio":                free,
	"agent.compact_force_ratio":          free,
	"agent.max_subagent_concurrency":     free,
	"agent.max_parallel_writers":         free,
	"agent.plan_mode_allowed_tools":      widens,
	"agent.plan_mode_read_only_commands": free, // retired
	"agent.max_steps":                    free, // retired
	"agent.planner_max_steps":            free, // retired

	// Over a provider of the user's; for others see TestProjectNeverGetsTheUsersKeys.
	"providers.<name>.name":                                       free,
	"providers.<name>.display_name":                               free,
	"providers.<name>.kind":                                       widens,
	"providers.<name>.base_url":                                   widens,
	"providers.<name>.chat_url":                                   widens,
	"providers.<name>.models_url":                                 widens,
	"providers.<name>.model":                                      free,
	"providers.<name>.models":                                     free,
	"providers.<name>.default":                                    free,
	"providers.<name>.api_key_env":                                widens,
	"providers.<name>.headers":                                    widens,
	"providers.<name>.extra_body":                                 widens,
	"providers.<name>.context_window":                             free,
	"providers.<name>.max_output_tokens":                          free,
	"providers.<name>.price.cache_hit":                            widens,
	"providers.<name>.price.input":                                widens,
	"providers.<name>.price.output":                               widens,
	"providers.<name>.price.currency":                             widens,
	"providers.<name>.prices.<model>.cache_hit":                   widens,
	"providers.<name>.prices.<model>.input":                       widens,
	"providers.<name>.prices.<model>.output":                      widens,
	"providers.<name>.prices.<model>.currency":                    widens,
	"providers.<name>.reasoning_protocol":                         free,
	"providers.<name>.effort":                                     free,
	"providers.<name>.supported_efforts":                          free,
	"providers.<name>.default_effort":                             free,
	"providers.<name>.vision":                                     free,
	"providers.<name>.vision_models":                              free,
	"providers.<name>.connect_timeout_seconds":                    free,
	"providers.<name>.first_byte_timeout_seconds":                 free,
	"providers.<name>.idle_timeout_seconds":                       free,
	"providers.<name>.model_overrides.<model>.context_window":     free,
	"providers.<name>.model_overrides.<model>.max_output_tokens":  free,
	"providers.<name>.model_overrides.<model>.reasoning_protocol": free,
	"providers.<name>.model_overrides.<model>.effort":             free,
	"providers.<name>.model_overrides.<model>.supported_efforts":  free,
	"providers.<name>.model_overrides.<model>.default_effort":     free,
	"providers.<name>.model_overrides.<model>.vision":             free,

	"environment.enabled": free,
	"environment.tools":   widens,

	"tools.enabled":                  widens,
	"tools.bash_timeout_seconds":     free,
	"tools.mcp_call_timeout_seconds": widens,
	"tools.mcp_start_grace_seconds":  widens,
	"tools.mcp_schema_budget":        widens,
	"tools.mcp_disabled":             userOnly, // it is what the user does not want
	"tools.shell.prefer":             widens,
	"tools.shell.path":               widens,

	"skills.paths":           widens,
	"skills.excluded_paths":  free,
	"skills.disabled_skills": free,

	"permissions.mode":     widens,
	"permissions.posture":  userOnly,
	"permissions.headless": userOnly,
	"permissions.allow":    widens,
	"permissions.ask":      free,
	"permissions.deny":     free,

	"permissions.read_only_commands": widens,

	"sandbox.workspace_root": widens,
	"sandbox.allow_write":    widens,
	"sandbox.forbid_read":    free,
	"sandbox.bash":           widens,
	"sandbox.network":        widens,

	"serve.auth_mode":       userOnly,
	"serve.token":           userOnly,
	"serve.password_hash":   userOnly,
	"serve.behind_proxy":    userOnly,
	"secrets.from_env":      userOnly,
	"notifications.enabled": userOnly,
	"bot.max_steps":         userOnly,

	// Each block is granted as a whole.
	"plugins.<name>.name":                        widens,
	"plugins.<name>.type":                        widens,
	"plugins.<name>.command":                     widens,
	"plugins.<name>.args":                        widens,
	"plugins.<name>.env":                         widens,
	"plugins.<name>.url":                         widens,
	"plugins.<name>.headers":                     widens,
	"plugins.<name>.headers_helper":              widens,
	"plugins.<name>.enabled":                     widens,
	"plugins.<name>.sandbox":                     userOnly,
	"plugins.<name>.sampling":                    userOnly,
	"plugins.<name>.protocol_version":            widens,
	"plugins.<name>.start_timeout_seconds":       widens,
	"plugins.<name>.oauth.grant":                 widens,
	"plugins.<name>.oauth.issuer":                widens,
	"plugins.<name>.oauth.client_id":             widens,
	"plugins.<name>.oauth.private_key_env":       widens,
	"plugins.<name>.oauth.private_key_file":      userOnly, // it names a file of the user's
	"plugins.<name>.oauth.key_id":                widens,
	"plugins.<name>.oauth.signing_algorithm":     widens,
	"plugins.<name>.oauth.idp_issuer":            userOnly, // it gets the user's ID token
	"plugins.<name>.oauth.idp_client_id":         userOnly,
	"plugins.<name>.oauth.idp_client_secret_env": userOnly,
	"plugins.<name>.oauth.id_token_env":          userOnly,
	"plugins.<name>.oauth.id_token_file":         userOnly,
	"plugins.<name>.oauth.client_secret_env":     widens,
	"plugins.<name>.oauth.scopes":                widens,
	"plugins.<name>.oauth.callback_port":         widens,
	"plugins.<name>.call_timeout_seconds":        widens,
	"plugins.<name>.tool_timeout_seconds":        widens,
	"plugins.<name>.trusted_read_only_tools":     widens,
	"plugins.<name>.default_tools_approval_mode": widens,
	"plugins.<name>.tools.<tool>.approval_mode":  widens,
	"plugins.<name>.approvals_reviewer":          widens,

	"hooks.<name>.name":            widens,
	"hooks.<name>.event":           widens,
	"hooks.<name>.match":           widens,
	"hooks.<name>.command":         widens,
	"hooks.<name>.description":     widens,
	"hooks.<name>.timeout_seconds": widens,
	"hooks.<name>.dir":             widens,
}

// TestEveryKeyIsClassifiedForProjects: each key of the table, set by a project's
// file, does what its class says, and so does the table's own mark.
func TestEveryKeyIsClassifiedForProjects(t *testing.T) {
	left := maps.Clone(projectSays)
	for _, k := range config.Keys() {
		class, ok := projectSays[k.Path]
		if !ok {
			t.Errorf("%s: a new key: may a stranger's repository set it? Classify it in projectSays", k.Path)
			continue
		}
		delete(left, k.Path)
		if k.UserOnly != (class == userOnly) || k.Widens != (class == widens) {
			t.Errorf("%s is %s: got UserOnly %v, Widens %v", k.Path, class, k.UserOnly, k.Widens)
		}
		t.Run(k.Path, func(t *testing.T) { checkSay(t, k, class) })
	}
	for path := range left {
		t.Errorf("%s is no key", path)
	}
}

// checkSay sets k in a project's file and compares with a project that says
// nothing. The user's own file says what is strictest, so that nothing narrows.
func checkSay(t *testing.T, k config.Key, class say) {
	t.Helper()
	text, path := assignment(k)
	user := strict
	if strings.HasPrefix(k.Path, "providers.") {
		user += "[[providers]]\nname = \"p\"\nmodels = [\"deepseek-v4-flash\"]\nbase_url = \"https://example.com\"\napi_key_env = \"P_KEY\"\n"
	}
	w := newWorld(t, user, text)
	off := w.load()
	if counts := off.Origin(path).Layer == config.LayerProject; counts != (class == free) {
		t.Errorf("%s\nis from %s, want it to count only when free", text, off.Origin(path))
	}
	if class != free {
		if d := cmp.Diff(valuesOf(newWorld(t, user, "").load()), valuesOf(off)); d != "" {
			t.Errorf("%s\nchanged the configuration:\n%s", text, d)
		}
	}
	w.in.Granted = everything
	on := w.load()
	if counts := on.Origin(path).Layer == config.LayerProject; counts != (class != userOnly) {
		t.Errorf("%s\ngranted, it is from %s", text, on.Origin(path))
	}
	switch {
	case class == widens && (len(off.Ungranted) != 1 || len(on.Granted) != 1 || len(on.Ungranted) != 0 || cmp.Diff(off.Ungranted, on.Granted) != ""):
		t.Errorf("%s\nwant one part, got %v and granted %v, %v", text, off.Ungranted, on.Granted, on.Ungranted)
	case class == widens:
		p := off.Ungranted[0]
		if !strings.HasPrefix(path+".", p.Key+".") && !strings.HasPrefix(p.Key, path+".") || p.Line != 1 || p.Hash == "" || p.Text == "" && k.Path != "plugins.<name>.name" && k.Path != "hooks.<name>.name" || p.Effect == "" {
			t.Errorf("%s\nis the part %+v", text, p)
		}
		contains(t, warnings(off, config.WarnWidens), p.Key, "reasonix.toml:1:", "1 part")
	case !strings.HasPrefix(k.Path, "providers.") && !strings.HasPrefix(k.Path, "plugins."): // there the block is one
		if len(off.Ungranted) > 0 || warnings(off, config.WarnWidens) != "" {
			t.Errorf("%s\nis no part, got %v", text, off.Ungranted)
		}
	}
	if told := warnings(off, config.WarnUserOnly); (told != "") != (class == userOnly) {
		t.Errorf("%s\nuser-only: %q", text, told)
	}
}

// strict is a user's file that every value of a project widens.
const strict = `
agent.plan_mode_allowed_tools = ["x"]
agent.work_mode = "economy"
permissions.mode = "deny"
permissions.read_only_commands = false
sandbox.network = false
tools.enabled = ["x"]
tools.mcp_call_timeout_seconds = 1
tools.mcp_start_grace_seconds = 0
tools.mcp_schema_budget = 1
tools.shell.prefer = "pwsh"
`

// assignment is a line that sets k to something other than its default, and the
// canonical path it sets.
func assignment(k config.Key) (text, path string) {
	path = strings.NewReplacer("<name>", "p", "<model>", "m", "<tool>", "t").Replace(k.Path)
	line := path + " = " + otherValue(k) + "\n"
	table, rest, ok := strings.Cut(line, ".p.")
	switch {
	case !ok:
		return line, path
	case strings.HasPrefix(rest, "name ="):
		return "[[" + table + "]]\nname = \"p\"\n", path
	default:
		return "[[" + table + "]]\nname = \"p\"\n" + rest, path
	}
}

// otherValue is a value k accepts, in TOML, that is not its default; for a key
// that widens one that does beside strict.
func otherValue(k config.Key) string {
	switch {
	case k.Path == "agent.work_mode":
		return `"balanced"`
	case k.Path == "tools.mcp_start_grace_seconds":
		return "2"
	case k.Path == "agent.system_prompt_file":
		return `"/prompt.md"`
	case k.Path == "sandbox.network" || k.Path == "permissions.read_only_commands":
		return "true"
	case k.Path == "permissions.mode":
		return `"allow"`
	case k.Path == "tools.enabled" || k.Path == "permissions.allow":
		return `["other"]`
	case len(k.Enum) > 0:
		return fmt.Sprintf("%q", k.Enum[slices.IndexFunc(k.Enum, func(s string) bool { return s != k.Default })])
	case k.Kind == config.KindBool:
		return fmt.Sprint(k.Default != true)
	case k.Kind == config.KindInt:
		if n, _ := k.Default.(int); float64(n) > k.Min {
			return fmt.Sprint(n - 1)
		}
		return fmt.Sprint(k.Min + 1)
	case k.Kind == config.KindFloat:
		if f, _ := k.Default.(float64); f > 0 {
			return fmt.Sprint(f - 0.01)
		}
		return "0.5"
	case k.Example != "":
		return k.Example
	case k.Kind == config.KindString:
		return `"other"`
	default:
		return `["other"]`
	}
}

// TestUsersOwnWordsMayWiden: the same keys count in the user's file, in the
// environment and as a flag.
func TestUsersOwnWordsMayWiden(t *testing.T) {
	for _, k := range config.Keys() {
		if !k.Widens || strings.Contains(k.Path, "<") || k.Kind == config.KindMap {
			continue
		}
		text, path := assignment(k)
		_, value, _ := strings.Cut(strings.TrimSpace(text), " = ")
		value = strings.Trim(value, `"'`)
		file := newWorld(t, text, "")
		env := newWorld(t, "", text, k.EnvName()+"="+value)
		flag := newWorld(t, "", text)
		flag.in.Flags = map[string]any{k.Path: value}
		for layer, w := range map[config.Layer]world{config.LayerUser: file, config.LayerEnv: env, config.LayerFlag: flag} {
			if o := w.load().Origin(path); o.Layer != layer {
				t.Errorf("%s: from %s, want %s", path, o, layer)
			}
		}
	}
}
