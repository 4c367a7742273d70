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
	widens   say = "widens"    // it counts once the repository can be trusted
)

// projectSays classifies every key. Whoever adds a key decides here whether a
// stranger's repository may set it: what makes a run do or reach more is widens,
// what is about the user or the machine is user-only.
var projectSays = map[string]say{
	"default_model": free,
	"language":      free,

	"ui.shortcut_layout": free,
	"ui.cursor_shape":    free,

	"agent.system_prompt":                free,
	"agent.system_prompt_file":           free, // stays inside the project
	"agent.temperature":                  free,
	"agent.reasoning_language":           free,
	"agent.work_mode":                    widens,
	"agent.planner_model":                free,
	"agent.subagent_model":               free,
	"agent.subagent_effort":              free,
	"agent.subagent_models":              free,
	"agent.subagent_efforts":             free,
	"agent.tool_result_snip_ratio":       free,
	"agent.compact_ratio":                free,
	"agent.compact_force_ratio":          free,
	"agent.max_subagent_concurrency":     free,
	"agent.max_parallel_writers":         free,
	"agent.plan_mode_allowed_tools":      free, // of servers that need a launch grant
	"agent.plan_mode_read_only_commands": free, // retired
	"agent.max_steps":                    free, // retired
	"agent.planner_max_steps":            free, // retired

	// A block that routes requests gets no key: see TestProjectNeverGetsTheUsersKeys.
	"providers.<name>.name":                                       free,
	"providers.<name>.display_name":                               free,
	"providers.<name>.kind":                                       free,
	"providers.<name>.base_url":                                   free,
	"providers.<name>.chat_url":                                   free,
	"providers.<name>.models_url":                                 free,
	"providers.<name>.model":                                      free,
	"providers.<name>.models":                                     free,
	"providers.<name>.default":                                    free,
	"providers.<name>.api_key_env":                                free,
	"providers.<name>.headers":                                    free,
	"providers.<name>.extra_body":                                 free,
	"providers.<name>.context_window":                             free,
	"providers.<name>.max_output_tokens":                          free,
	"providers.<name>.price.cache_hit":                            free,
	"providers.<name>.price.input":                                free,
	"providers.<name>.price.output":                               free,
	"providers.<name>.price.currency":                             free,
	"providers.<name>.prices.<model>.cache_hit":                   free,
	"providers.<name>.prices.<model>.input":                       free,
	"providers.<name>.prices.<model>.output":                      free,
	"providers.<name>.prices.<model>.currency":                    free,
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
	"environment.tools":   free, // listed, never run

	"tools.enabled":                  widens,
	"tools.bash_timeout_seconds":     free,
	"tools.mcp_call_timeout_seconds": free,
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

	// A server a project's file has a hand in needs a launch grant: Plugin.FromProject.
	"plugins.<name>.name":                        free,
	"plugins.<name>.type":                        free,
	"plugins.<name>.command":                     free,
	"plugins.<name>.args":                        free,
	"plugins.<name>.env":                         free,
	"plugins.<name>.url":                         free,
	"plugins.<name>.headers":                     free,
	"plugins.<name>.call_timeout_seconds":        free,
	"plugins.<name>.tool_timeout_seconds":        free,
	"plugins.<name>.trusted_read_only_tools":     free,
	"plugins.<name>.default_tools_approval_mode": free,
	"plugins.<name>.tools.<tool>.approval_mode":  free,
	"plugins.<name>.approvals_reviewer":          free,
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
// nothing.
func checkSay(t *testing.T, k config.Key, class say) {
	t.Helper()
	text, path := assignment(k)
	c := newWorld(t, "", text).load()
	counts := c.Origin(path).Layer == config.LayerProject
	if counts != (class == free) {
		t.Errorf("%s\nis from %s, want it to count only when free", text, c.Origin(path))
	}
	if class != free {
		if d := cmp.Diff(valuesOf(newWorld(t, "", "").load()), valuesOf(c)); d != "" {
			t.Errorf("%s\nchanged the configuration:\n%s", text, d)
		}
	}
	named := map[say]string{
		userOnly: warnings(c, config.WarnUserOnly),
		widens:   warnings(c, config.WarnWidens),
	}
	for class, got := range named {
		if class == projectSays[k.Path] {
			contains(t, got, path, "reasonix.toml:1:1")
		} else if got != "" {
			t.Errorf("%s\na warning of a key that is not %s: %s", text, class, got)
		}
	}
}

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

// otherValue is a value k accepts, in TOML, that is not its default.
func otherValue(k config.Key) string {
	switch {
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
		if !k.Widens {
			continue
		}
		text, path := assignment(k)
		_, value, _ := strings.Cut(strings.TrimSpace(text), " = ")
		value = strings.Trim(value, `"'`)
		file := newWorld(t, text, "permissions.mode = \"deny\"\n")
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
