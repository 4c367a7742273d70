package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

func TestSetChangesOneKey(t *testing.T) {
	tests := []struct {
		name, before, key string
		value             any
		after             string
	}{
		{"empty file", "", "default_model", "x", "default_model = \"x\"\n"},
		{"replace keeps the comment", "language = \"zh\"   # mine\n", "language", "en", "language = \"en\"   # mine\n"},
		{"below the last key of the table", "[tools]\nenabled = []\n\n# end\n[agent]\n", "tools.bash_timeout_seconds", 5, "[tools]\nenabled = []\nbash_timeout_seconds = 5\n\n# end\n[agent]\n"},
		{"indent of the neighbours", "[tools]\n\tenabled = []\n", "tools.bash_timeout_seconds", "5", "[tools]\n\tenabled = []\n\tbash_timeout_seconds = 5\n"},
		{"into an empty table", "[tools]\n[agent]\n", "tools.bash_timeout_seconds", 5, "[tools]\nbash_timeout_seconds = 5\n[agent]\n"},
		{"where it was commented out", "[agent]\n# temperature = 0.0\nplanner_model = \"m\"\n", "agent.temperature", 0.5, "[agent]\n# temperature = 0.0\ntemperature = 0.5\nplanner_model = \"m\"\n"},
		{"a new table", "language = \"en\"", "agent.temperature", 1, "language = \"en\"\n\n[agent]\ntemperature = 1.0\n"},
		{"a new nested table", "[tools]\nenabled = []\n", "tools.shell.prefer", "bash", "[tools]\nenabled = []\n\n[tools.shell]\nprefer = \"bash\"\n"},
		{"beside a dotted key", "tools.enabled = []\n\n[agent]\n", "tools.bash_timeout_seconds", 5, "tools.enabled = []\ntools.bash_timeout_seconds = 5\n\n[agent]\n"},
		{"root key above the first table and its comment", "# about agent\n[agent]\n", "language", "en", "language = \"en\"\n\n# about agent\n[agent]\n"},
		{"inside an inline table", "tools = { enabled = [] }\n", "tools.bash_timeout_seconds", 5, "tools = { enabled = [], bash_timeout_seconds = 5 }\n"},
		{"inside an empty inline table", "tools = {}\n", "tools.shell.prefer", "bash", "tools = { shell.prefer = \"bash\" }\n"},
		{"behind a nested inline table", "tools = { shell = { prefer = \"bash\" } }\n", "tools.bash_timeout_seconds", 5, "tools = { shell = { prefer = \"bash\" }, bash_timeout_seconds = 5 }\n"},
		{"a list", "permissions.deny = [\"A\"]\n", "permissions.deny", `["A", "B(x, y)"]`, "permissions.deny = [\"A\", \"B(x, y)\"]\n"},
		{"a list with comments", "[permissions]\ndeny = [\n  # never\n  \"A\", # a\n]\n", "permissions.deny", []string{"B"}, "[permissions]\ndeny = [\n  # never\n  # a\n  \"B\",\n]\n"},
		{"a Windows path", "", "tools.shell.path", `C:\new\pwsh.exe`, "[tools.shell]\npath = 'C:\\new\\pwsh.exe'\n"},
		{"a table", "[agent]\n", "agent.subagent_models", `{ "a.b" = "m" }`, "[agent]\nsubagent_models = { \"a.b\" = \"m\" }\n"},
		{"an entry of a table", "[agent]\nsubagent_models = { a = \"m\" }\n", `agent.subagent_models."b.c"`, "n", "[agent]\nsubagent_models = { a = \"m\", \"b.c\" = \"n\" }\n"},
		{"a provider by name", mine, "providers.mine.base_url", "http://h", strings.Replace(mine, "http://127.0.0.1:9/v1", "http://h", 1)},
		{"a new key of a provider", mine + "\n[agent]\n", "providers.mine.default", "m1", mine + "default = \"m1\"\n\n[agent]\n"},
		{"a model with a dot", mine + "model_overrides = { m1 = { vision = true } }\n", `providers.mine.model_overrides."deepseek-v4.5".context_window`, 9, mine + "model_overrides = { m1 = { vision = true }, \"deepseek-v4.5\".context_window = 9 }\n"},
		{"a table of a provider", mine + "\n# next\n[[providers]]\nname = \"b\"\n", "providers.mine.model_overrides.m1.context_window", 9, mine + "\n[providers.model_overrides.m1]\ncontext_window = 9\n\n# next\n[[providers]]\nname = \"b\"\n"},
		{"a new provider", mine + "\n[agent]\n", "providers.b.model", "x", mine + "\n[[providers]]\nname = \"b\"\nmodel = \"x\"\n\n[agent]\n"},
		{"a provider in an array", "providers = [{ name = \"a\" }, { name = \"b\" }]\n", "providers.a.model", "x", "providers = [{ name = \"a\", model = \"x\" }, { name = \"b\" }]\n"},
		{"CRLF and byte order mark", "\ufefflanguage = \"en\"\r\n[agent]\r\n", "agent.temperature", 0, "\ufefflanguage = \"en\"\r\n[agent]\r\ntemperature = 0.0\r\n"},
		{"the same again changes nothing", "agent = {temperature=1}", "agent.temperature", 1.0, "agent = {temperature=1}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Set([]byte(tt.before), tt.key, tt.value)
			noErr(t, err)
			if d := cmp.Diff(tt.after, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUnsetKeepsEverythingElse(t *testing.T) {
	tests := []struct{ name, before, key, after string }{
		{"a line", "a = 1\nlanguage = \"en\"\nb = 2\n", "language", "a = 1\nb = 2\n"},
		{"its comment stays", "language = \"en\" # why\n", "language", "# why\n"},
		{"first of an inline table", "tools = { enabled = [], bash_timeout_seconds = 5 }\n", "tools.enabled", "tools = { bash_timeout_seconds = 5 }\n"},
		{"last of an inline table", "tools = { enabled = [], bash_timeout_seconds = 5 }\n", "tools.bash_timeout_seconds", "tools = { enabled = [] }\n"},
		{"a list with comments", "[tools]\nenabled = [\n  \"ls\", # only\n]\nbash_timeout_seconds = 1\n", "tools.enabled", "[tools]\n# only\nbash_timeout_seconds = 1\n"},
		{"a whole table of names", "[agent.subagent_models]\na = \"1\"\n# c\nb = \"2\"\n", "agent.subagent_models", "[agent.subagent_models]\n# c\n"},
		{"a provider's key", mine, "providers.mine.api_key_env", strings.Replace(mine, "api_key_env = \"MINE_KEY\"\n", "", 1)},
		{"nothing there", "a = 1\n", "language", "a = 1\n"},
		{"CRLF", "language = \"en\"\r\n# x\r\n", "language", "# x\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Unset([]byte(tt.before), tt.key)
			noErr(t, err)
			if d := cmp.Diff(tt.after, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEditsRefuse(t *testing.T) {
	tests := []struct {
		name, before, key string
		value             any
		want              string
	}{
		{"an unknown key", "", "permisions.mode", "ask", "permissions"},
		{"the name of a table", "", "tools.shell", "x", "name one of path, prefer"},
		{"a wrong type", "", "tools.bash_timeout_seconds", "soon", "whole number"},
		{"a value not in the list", "", "permissions.mode", "sometimes", "ask, allow, deny"},
		{"a negative number", "", "tools.bash_timeout_seconds", -1, "0 or more"},
		{"a retired key", "", "agent.max_steps", 5, "--max-steps"},
		{"a broken path", "", "a..b", "x", "names with dots"},
		{"a table over its own entries", "[agent.subagent_models]\na = \"1\"\n", "agent.subagent_models", map[string]any{"b": "2"}, "entry by entry"},
		{"CF-03: a duplicate table", "[agent]\n[tools]\n[agent]\n", "language", "en", ":3:"},
		{"CF-03: an unclosed string", "language = \"en\n", "language", "en", ":1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Set([]byte(tt.before), tt.key, tt.value)
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), tt.want)
		})
	}
	if _, err := config.Unset([]byte(mine), "providers.mine.name"); err == nil {
		t.Error("a provider lost its name")
	}
}

// TestSetReachesEveryKey sets and unsets every key of the table, in an empty file
// and in the example file, whose comments all stay.
func TestSetReachesEveryKey(t *testing.T) {
	values := map[config.Kind]any{
		config.KindString: "x", config.KindBool: true, config.KindInt: 1, config.KindFloat: 0.5,
		config.KindStrings: []string{"a"}, config.KindMap: map[string]string{"n": "v"},
		config.KindIntMap: map[string]any{"n": int64(1)}, config.KindAny: map[string]any{"n": true},
	}
	for _, start := range []string{"", string(config.Example())} {
		for _, k := range config.Keys() {
			if k.Retired {
				continue
			}
			key := strings.NewReplacer("<name>", "deepseek", "<model>", `"a.b"`, "<tool>", "t").Replace(k.Path)
			value := values[k.Kind]
			if len(k.Enum) > 0 {
				value = k.Enum[0]
			}
			if strings.HasSuffix(key, ".name") {
				value = "deepseek"
			}
			after, err := config.Set([]byte(start), key, value)
			if err != nil {
				t.Errorf("set %s: %v", key, err)
				continue
			}
			if strings.HasSuffix(key, ".name") {
				continue
			}
			if _, err := config.Unset(after, key); err != nil {
				t.Errorf("unset %s: %v", key, err)
			}
		}
	}
}

// TestCF02OurOwnEditKeepsTheFile: byte order mark, CRLF, comments and Chinese
// paths; two edits through the file; only that line differs.
func TestCF02OurOwnEditKeepsTheFile(t *testing.T) {
	before := "\ufeff# 我的配置\r\nlanguage = \"zh\"\r\n\r\n[skills]\r\n\tpaths = [\"~/技能\"] # 路径\r\n"
	w := newWorld(t, before, "")
	for _, value := range []string{"en", "de"} {
		_, err := config.Edit(w.userFile(), "language", value)
		noErr(t, err)
		got, err := os.ReadFile(w.userFile())
		noErr(t, err)
		if d := cmp.Diff(strings.Replace(before, `"zh"`, `"`+value+`"`, 1), string(got)); d != "" {
			t.Error(d)
		}
		if c := w.load(); c.Language != value {
			t.Errorf("got %q, want %q", c.Language, value)
		}
	}
	bak, err := os.ReadFile(w.userFile() + ".bak")
	noErr(t, err)
	contains(t, string(bak), `"en"`)
}

// TestCF03BrokenFileIsNeverOverwritten covers files the model itself broke.
func TestCF03BrokenFileIsNeverOverwritten(t *testing.T) {
	for _, text := range []string{"[agent]\n[agent]\n", "language = \"en\n", "a = 1\na = 2\n"} {
		w := newWorld(t, text, "")
		_, err := config.Edit(w.userFile(), "language", "en")
		if err == nil {
			t.Fatal("edited a broken file")
		}
		contains(t, err.Error(), w.userFile()+":")
		got, err := os.ReadFile(w.userFile())
		noErr(t, err)
		if string(got) != text {
			t.Errorf("the file was touched: %q", got)
		}
		if _, err := os.Stat(w.userFile() + ".bak"); err == nil {
			t.Error("a backup without an edit")
		}
		w.fails(w.userFile() + ":")
	}
}

// TestCF05FilesAreNotTouchedByLoading: only an edit writes, and what a person
// wrote in between survives it.
func TestCF05FilesAreNotTouchedByLoading(t *testing.T) {
	w := newWorld(t, mine, "")
	w.write(w.envFile(), "MINE_KEY=one\n")
	w.load()
	edited := strings.Replace(mine, "MINE_KEY", "OTHER_KEY", 1) + "# by hand\n"
	w.write(w.userFile(), edited)
	w.write(w.envFile(), "OTHER_KEY=two\n# mine\n")
	noErr(t, config.StoreKey(w.in.Home, "THIRD", "three"))
	_, err := config.Edit(w.userFile(), "language", "en")
	noErr(t, err)
	got, err := os.ReadFile(w.userFile())
	noErr(t, err)
	contains(t, string(got), edited)
	env, err := os.ReadFile(w.envFile())
	noErr(t, err)
	if d := cmp.Diff("OTHER_KEY=two\n# mine\nTHIRD=three\n", string(env)); d != "" {
		t.Error(d)
	}
}

func TestEditMakesMissingFiles(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a", "b")
	change, err := config.Edit(filepath.Join(home, "config.toml"), "language", "en")
	noErr(t, err)
	if change.Before != nil || change.Backup != "" || !change.Changed() {
		t.Errorf("got %+v", change)
	}
	again, err := config.Edit(filepath.Join(home, "config.toml"), "language", "en")
	noErr(t, err)
	if again.Changed() || again.Backup != "" {
		t.Errorf("the same value again: %+v", again)
	}
}

// TestEditOfThePresetKeepsTheRestOfIt: changing one key of the built-in provider
// must not leave a block with nothing else in it.
func TestEditOfThePresetKeepsTheRestOfIt(t *testing.T) {
	w := newWorld(t, "language = \"en\"\n", "")
	preset := w.load().Providers
	_, err := config.Edit(w.userFile(), "providers.deepseek.base_url", "http://proxy")
	noErr(t, err)
	got := w.load()
	preset[0].BaseURL = "http://proxy"
	if d := cmp.Diff(preset, got.Providers); d != "" || len(got.Warnings) > 0 {
		t.Errorf("%s %v", d, got.Warnings)
	}
	before := got.Providers
	_, err = config.Edit(w.projectFile(), "providers.deepseek.context_window", 5)
	noErr(t, err)
	before[0].ContextWindow = 5
	if d := cmp.Diff(before, w.load().Providers); d != "" {
		t.Error(d)
	}
}

func TestMigrateRemovesRetiredKeysOnly(t *testing.T) {
	before := "# top\n[agent]\nmax_steps = 9 # was fine\ncompact_ratio = 0.7\nplan_mode_read_only_commands = [\n  \"gh\", # read\n]\n"
	w := newWorld(t, before, "")
	change, keys, err := config.Migration(w.userFile())
	noErr(t, err)
	if d := cmp.Diff([]string{"agent.plan_mode_read_only_commands", "agent.max_steps"}, keys); d != "" {
		t.Error(d)
	}
	if got, _ := os.ReadFile(w.userFile()); string(got) != before {
		t.Error("looking changed the file")
	}
	noErr(t, change.Write())
	got, err := os.ReadFile(w.userFile())
	noErr(t, err)
	if d := cmp.Diff("# top\n[agent]\n# was fine\ncompact_ratio = 0.7\n# read\n", string(got)); d != "" {
		t.Error(d)
	}
	if string(change.After) != string(got) {
		t.Error("the migration shown is not the one done")
	}
	bak, err := os.ReadFile(w.userFile() + ".bak")
	noErr(t, err)
	if string(bak) != before {
		t.Error("the backup differs")
	}
}
