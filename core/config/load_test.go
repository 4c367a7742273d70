package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

func TestDefaultsWithoutAnyFile(t *testing.T) {
	c := newWorld(t, "", "").load()
	if len(c.Warnings) > 0 {
		t.Errorf("warnings: %v", c.Warnings)
	}
	m, err := c.ResolveModel("")
	noErr(t, err)
	got := []any{m.Ref, m.ContextWindow, m.ReasoningProtocol, m.Effort, *m.Price, c.Tools.BashTimeoutSeconds, c.Sandbox.Bash, c.Sandbox.Network, c.Environment.Enabled, c.Agent.Temperature == nil}
	want := []any{"deepseek/deepseek-v4-flash", 1_000_000, "deepseek", "high", config.Price{CacheHit: 0.006, Input: 0.3, Output: 1.2, Currency: "USD"}, 120, "enforce", true, true, true}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestCF06WhichValueWon: flag, environment, project, user, default, each with its
// place, and what counts when the one above is gone.
func TestCF06WhichValueWon(t *testing.T) {
	w := newWorld(t, "[tools]\nbash_timeout_seconds = 1\n", "\n[tools]\nbash_timeout_seconds = 2\n", "REASONIX_TOOLS_BASH_TIMEOUT_SECONDS=3")
	w.in.Flags = map[string]any{"tools.bash_timeout_seconds": 4}
	c := w.load()
	if c.Tools.BashTimeoutSeconds != 4 {
		t.Errorf("got %d, want the flag's 4", c.Tools.BashTimeoutSeconds)
	}
	var got []string
	for _, o := range c.Origins("tools.bash_timeout_seconds") {
		got = append(got, strings.ReplaceAll(o.String(), filepath.Dir(w.in.Home), ""))
	}
	sep := string(filepath.Separator)
	want := []string{"flag", "env REASONIX_TOOLS_BASH_TIMEOUT_SECONDS", sep + filepath.Join("work", "reasonix.toml") + ":3", sep + filepath.Join("home", "config.toml") + ":2", "default"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	w.in.Flags = nil
	if got := w.load().Tools.BashTimeoutSeconds; got != 3 {
		t.Errorf("without the flag: got %d, want the variable's 3", got)
	}
	w.in.Environ = w.in.Environ[:1]
	if got := w.load().Tools.BashTimeoutSeconds; got != 2 {
		t.Errorf("without the variable: got %d, want the project's 2", got)
	}
}

func TestNamesKeepTheirCaseAndDots(t *testing.T) {
	w := newWorld(t, mine+`model_overrides."DeepSeek-V4.5".context_window = 7
headers = { "X-Api-KEY" = "v" }
extra_body = { topP = 1, "a.b" = { C = true } }
[agent]
subagent_models = { "a.B" = "m1" }
`, "")
	p := w.load().Providers[0]
	got := []any{p.ModelOverrides["DeepSeek-V4.5"].ContextWindow, p.Headers, p.ExtraBody, w.load().Agent.SubagentModels}
	want := []any{7, map[string]string{"X-Api-KEY": "v"}, map[string]any{"topP": int64(1), "a.b": map[string]any{"C": true}}, map[string]string{"a.B": "m1"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if o := w.load().Origin(`providers.mine.model_overrides."DeepSeek-V4.5".context_window`); o.Line != 7 {
		t.Errorf("got %v, want line 7", o)
	}
}

func TestProvidersMergeByName(t *testing.T) {
	w := newWorld(t, mine, `
[[providers]]
name = "mine"
context_window = 5

[[providers]]
name = "theirs"
base_url = "http://127.0.0.1:8/v1"
model = "x"
api_key_env = ""
`)
	c := w.load()
	var got []string
	for _, m := range c.Models() {
		got = append(got, m.Ref)
	}
	if d := cmp.Diff([]string{"mine/m1", "mine/org/m2", "theirs/x"}, got); d != "" {
		t.Error(d)
	}
	if c.Providers[0].ContextWindow != 5 || c.Providers[0].BaseURL == "" || c.Providers[0].Untrusted {
		t.Errorf("got %+v, want the user's block with the project's window, trusted", c.Providers[0])
	}
}

func TestListsOfRulesAddUp(t *testing.T) {
	w := newWorld(t, "permissions.deny = [\"A\"]\ntools.enabled = [\"ls\"]\n", "permissions.deny = [\"B\", \"A\"]\n", "REASONIX_PERMISSIONS_DENY=C, D", "REASONIX_TOOLS_ENABLED=grep")
	w.in.Flags = map[string]any{"permissions.deny": []string{"E(a, b)"}}
	c := w.load()
	if d := cmp.Diff([]string{"A", "B", "C", "D", "E(a, b)"}, c.Permissions.Deny); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"grep"}, c.Tools.Enabled); d != "" {
		t.Error(d)
	}
}

func TestUserOnlyKeysOfAProjectAreNamedOnce(t *testing.T) {
	c := newWorld(t, "", `
[permissions]
posture = "yolo"
headless = "deny"
deny = ["A"]
[secrets]
from_env = true
[serve]
token = "t0ken-of-a-stranger"
[notifications]
enabled = true
[bot]
max_steps = 3
`).load()
	got := warnings(c, config.WarnUserOnly)
	contains(t, got, "permissions.posture", "permissions.headless", "secrets.from_env", "serve.token", "notifications.enabled", "bot.max_steps", "reasonix.toml:3:1")
	if strings.Count(got, "\n") != 0 || strings.Contains(got, "t0ken") {
		t.Errorf("want one warning without values, got %s", got)
	}
	if c.Permissions.Posture != "ask" || c.Permissions.Headless != "allow" || c.Secrets.FromEnv || c.Serve.Token != "" || c.Bot.MaxSteps != 0 {
		t.Errorf("a project file set a key of the user's: %+v", c)
	}
	if len(c.Permissions.Deny) != 1 {
		t.Error("permissions.deny of a project file was lost")
	}
}

func TestFromEnvIsForTheUserFileAlone(t *testing.T) {
	w := newWorld(t, "", "", "REASONIX_SECRETS_FROM_ENV=true")
	c := w.load()
	if c.Secrets.FromEnv {
		t.Error("the environment opted in")
	}
	contains(t, warnings(c, config.WarnUserOnly), "secrets.from_env")
	w.in.Flags = map[string]any{"secrets.from_env": true}
	w.fails("flag", "secrets.from_env")
}

func TestEnvironmentValuesAreTyped(t *testing.T) {
	w := newWorld(t, "", "", "REASONIX_AGENT_TEMPERATURE=0.5", "REASONIX_ENVIRONMENT_ENABLED=false", `REASONIX_AGENT_SUBAGENT_MODELS={ Review = "m" }`,
		`REASONIX_PERMISSIONS_ALLOW=["A(x, y)"]`, "REASONIX_HOME=/x", "REASONIX_NO_SUCH_KEY=1", "REASONIX_MCP_TOKEN=1", "REASONIX_DEFAULT_MODEL=")
	c := w.load()
	got := []any{*c.Agent.Temperature, c.Environment.Enabled, c.Agent.SubagentModels, c.Permissions.Allow, c.DefaultModel, len(c.Warnings)}
	want := []any{0.5, false, map[string]string{"Review": "m"}, []string{"A(x, y)"}, "deepseek", 0}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	w.in.Environ = []string{"REASONIX_TOOLS_BASH_TIMEOUT_SECONDS=soon"}
	w.fails("REASONIX_TOOLS_BASH_TIMEOUT_SECONDS", `soon`, "whole number")
}

// TestWorkModeOfEveryLayer: balanced unless somebody says otherwise, a project
// included.
func TestWorkModeOfEveryLayer(t *testing.T) {
	tests := []struct{ name, user, project, env, want string }{
		{"nobody", "", "", "", "balanced"},
		{"the user", "economy", "", "", "economy"},
		{"a project has no say", "economy", "balanced", "", "economy"},
		{"the environment last", "economy", "", "balanced", "balanced"},
	}
	file := func(mode string) string {
		if mode == "" {
			return ""
		}
		return "agent.work_mode = \"" + mode + "\"\n"
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t, file(tt.user), file(tt.project), "REASONIX_AGENT_WORK_MODE="+tt.env).load()
			if c.Agent.WorkMode != tt.want || (len(c.Warnings) > 0) != (tt.project != "") {
				t.Errorf("got %q, %v; want %q", c.Agent.WorkMode, c.Warnings, tt.want)
			}
		})
	}
	newWorld(t, file("frugal"), "").fails("config.toml:1:19", `"frugal"`, "one of economy, balanced")
}

func TestLanguageFallsBackToTheEnvironment(t *testing.T) {
	tests := []struct {
		name, user, env, lang, want, origin string
	}{
		{"configured wins", `language = "en"`, "zh", "de_DE.UTF-8", "en", "config.toml:1"},
		{"REASONIX_LANG first", "", "zh", "de_DE.UTF-8", "zh", "$REASONIX_LANG"},
		{"LANG next", "", "", "zh_CN.UTF-8", "zh-CN", "$LANG"},
		{"C is no language", "", "", "C.UTF-8", "", "default"},
		{"empty is not set", `language = ""`, "", "de_DE@euro", "de-DE", "$LANG"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t, tt.user, "", "REASONIX_LANG="+tt.env, "LANG="+tt.lang).load()
			if c.Language != tt.want {
				t.Errorf("got %q, want %q", c.Language, tt.want)
			}
			contains(t, c.Origin("language").String(), tt.origin)
		})
	}
}

func TestCursorShapeFallsBackToBar(t *testing.T) {
	c := newWorld(t, "[ui]\ncursor_shape = \"circle\"\n", "").load()
	if c.UI.CursorShape != "bar" {
		t.Errorf("got %q", c.UI.CursorShape)
	}
	contains(t, warnings(c, config.WarnFallback), "config.toml:2:16", `"circle"`, "block")
	if c := newWorld(t, "ui.cursor_shape = \"\"\n", "").load(); c.UI.CursorShape != "bar" || len(c.Warnings) > 0 {
		t.Errorf("empty: got %q, %v", c.UI.CursorShape, c.Warnings)
	}
}

func TestRetiredKeysParseAndAreNamedOnce(t *testing.T) {
	c := newWorld(t, "[agent]\nmax_steps = 9\nplanner_max_steps = 3\nplan_mode_read_only_commands = [\"gh\"]\n", "").load()
	got := warnings(c, config.WarnRetired)
	contains(t, got, "agent.max_steps", "agent.planner_max_steps", "agent.plan_mode_read_only_commands", "config migrate")
	if strings.Count(got, "\n") != 0 {
		t.Errorf("want one warning, got\n%s", got)
	}
}

func TestCrossFieldRulesNameBothKeys(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"snip under compact", "agent.tool_result_snip_ratio = 0.85", "agent.tool_result_snip_ratio, agent.compact_ratio"},
		{"compact under force", "agent.compact_ratio = 0.95", "agent.compact_ratio, agent.compact_force_ratio"},
		{"soft up to snip", "agent.compact_soft_ratio = 0.7", "agent.compact_soft_ratio, agent.tool_result_snip_ratio"},
		{"soft above 0", "agent.compact_soft_ratio = 0", "want more than 0"},
		{"snip above 0", "agent.tool_result_snip_ratio = 0", "want more than 0"},
		{"force at most 1", "agent.compact_force_ratio = 1.1", "from 0 to 1"},
		{"writers within concurrency", "agent.max_parallel_writers = 7", "agent.max_parallel_writers, agent.max_subagent_concurrency"},
		{"default among models", mine + "default = \"m9\"", "m1, org/m2"},
		{"effort among efforts", mine + "supported_efforts = [\"low\"]\neffort = \"max\"", "want one of low"},
		{"a URL", "[[providers]]\nname=\"x\"\nbase_url=\"localhost:1\"", "http://"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			newWorld(t, tt.text, "").fails("config.toml:", tt.want)
		})
	}
}

// TestCF03LenientLoadGoesOnWithoutTheBrokenFile: help, doctor, config and setup
// run with whatever is good.
func TestCF03LenientLoadGoesOnWithoutTheBrokenFile(t *testing.T) {
	w := newWorld(t, "language = \"de\"\n", "[agent\n")
	c, err := config.LoadLenient(w.in)
	if c == nil || err == nil || c.Language != "de" {
		t.Fatalf("got %v, %v; want the user's layer and the error", c, err)
	}
	contains(t, err.Error(), "reasonix.toml:1:")
	w.write(w.userFile(), "x = [")
	w.in.Flags = map[string]any{"nonsense": 1}
	c, err = config.LoadLenient(w.in)
	if c == nil || err == nil || c.DefaultModel != "deepseek" {
		t.Fatalf("got %v, %v; want the defaults and the error", c, err)
	}
	if n := len(config.Errors(err)); n != 3 {
		t.Errorf("got %d errors, want all 3: %v", n, err)
	}
}

func TestErrorsCarryTheirPlace(t *testing.T) {
	w := newWorld(t, "a = 1\nagent.temperature = \"hot\"\ntools.enabled = [1]\n", "")
	_, err := config.Load(w.in)
	var e *config.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	want := config.Error{File: w.userFile(), Line: 2, Column: 21, Key: "agent.temperature", Text: `"hot"`, Want: "want a number from 0 to 2"}
	if d := cmp.Diff(want, *e); d != "" {
		t.Error(d)
	}
	if n := len(config.Errors(err)); n != 2 {
		t.Errorf("got %d errors, want both", n)
	}
}
