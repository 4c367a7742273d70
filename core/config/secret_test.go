package config_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
)

// key is the key of the first provider.
func key(c *config.Config) (string, error) { return c.Key(&c.Providers[0]) }

func TestEnvFileForms(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "MINE_KEY=abc\n", "abc"},
		{"spaces and a comment", "  MINE_KEY = abc # mine\n", "abc"},
		{"a hash inside", "MINE_KEY=a#b\n", "a#b"},
		{"export", "export MINE_KEY=abc\n", "abc"},
		{"export with a tab", "export\tMINE_KEY=abc\n", "abc"},
		{"double quotes", `MINE_KEY="a b\n\"\\\$c"`, "a b\n\"\\$c"},
		{"single quotes", `MINE_KEY='a\n"#' # x`, `a\n"#`},
		{"equals in the value", "MINE_KEY=a=b==\n", "a=b=="},
		{"CF-01: byte order mark", "\ufeffMINE_KEY=abc\n", "abc"},
		{"CF-13: CRLF", "# x\r\nMINE_KEY=abc\r\n", "abc"},
		{"the last one counts", "MINE_KEY=a\nMINE_KEY=b\n", "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, mine, "")
			w.write(w.envFile(), tt.text)
			got, err := key(w.load())
			noErr(t, err)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEnvFileBadLinesAreNamedWithoutTheirText(t *testing.T) {
	w := newWorld(t, mine, "")
	w.write(w.envFile(), "sk-secret-alone\nMINE_KEY=\"sk-first\nsk-second\"\nOTHER='x' sk-tail\n")
	c := w.load()
	got := warnings(c, config.WarnEnvFile)
	contains(t, got, ".env:1:1", "NAME=value", ".env:2:1", "MINE_KEY", "same line", ".env:3:1", ".env:4:1", "OTHER")
	if strings.Contains(got, "sk-") {
		t.Errorf("a key in a warning: %s", got)
	}
	if _, err := key(c); err == nil {
		t.Error("half a key was used")
	}
}

// TestCF08MissingVariable names the variable, the file and the way to store it.
func TestCF08MissingVariable(t *testing.T) {
	unset := newWorld(t, mine, "")
	empty := newWorld(t, mine, "")
	empty.write(empty.envFile(), "\nMINE_KEY=\n")
	exported := newWorld(t, mine, "", "MINE_KEY=sk-from-the-shell")
	tests := []struct {
		name string
		w    world
		want []string
	}{
		{"unset", unset, []string{"MINE_KEY is not set in " + unset.envFile(), "reasonix setup key MINE_KEY"}},
		{"empty", empty, []string{"MINE_KEY is empty in " + empty.envFile() + " (line 2)", "reasonix setup key MINE_KEY"}},
		{"exported only", exported, []string{"MINE_KEY is exported in your shell, but exported variables are not read", "reasonix setup key MINE_KEY", "from_env = true under [secrets]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := key(tt.w.load())
			var missing *config.MissingKeyError
			if !errors.As(err, &missing) {
				t.Fatalf("got %v", err)
			}
			contains(t, err.Error(), tt.want...)
			if strings.Contains(err.Error(), "sk-") {
				t.Errorf("a key in an error: %v", err)
			}
		})
	}
}

// Who configured nothing may have another provider's key.
func TestCF08TheBuiltInProviderWithoutAKeyNamesTheWayToAnother(t *testing.T) {
	const way = "or choose another model: reasonix setup"
	_, err := key(newWorld(t, "", "").load())
	if err == nil || !strings.HasSuffix(err.Error(), way) {
		t.Errorf("got %v", err)
	}
	if _, err := key(newWorld(t, mine, "").load()); err == nil || strings.Contains(err.Error(), way) {
		t.Errorf("got %v", err)
	}
}

func TestKeyFromTheEnvironmentWhenTheUserSaysSo(t *testing.T) {
	w := newWorld(t, mine+"[secrets]\nfrom_env = true\n", "", "MINE_KEY=sk-env")
	c := w.load()
	if got, err := key(c); got != "sk-env" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got := c.KeySource(&c.Providers[0]); got != "env MINE_KEY" {
		t.Errorf("got %q", got)
	}
	// CF-06: the file beats the shell, and the source says so.
	w.write(w.envFile(), "MINE_KEY=sk-file\n")
	c = w.load()
	if got, _ := key(c); got != "sk-file" || c.KeySource(&c.Providers[0]) != w.envFile()+":1" {
		t.Errorf("got %q from %s", got, c.KeySource(&c.Providers[0]))
	}
}

func TestProvidersThatWantNoKey(t *testing.T) {
	for _, block := range []string{"base_url = \"http://h\"\napi_key_env = \"\"", "kind = \"demo\""} {
		c := newWorld(t, "[[providers]]\nname = \"x\"\nmodel = \"m\"\n"+block, "").load()
		if got, err := key(c); got != "" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// TestProjectNeverGetsTheUsersKeys: every field that routes requests, in a block
// of the project's own and over one of the user's, is off until it is granted.
func TestProjectNeverGetsTheUsersKeys(t *testing.T) {
	own := "[[providers]]\nname = \"theirs\"\nmodel = \"m\"\n"
	tests := []struct {
		name, user, project string
		// keys are what the last provider gets: without a grant, and with one.
		off, on string
	}{
		{"a provider of its own", mine, own + "api_key_env = \"MINE_KEY\"\nbase_url = \"http://evil\"\n", "refused", "sk-mine"},
		{"one of its own on this machine", mine, own + "api_key_env = \"MINE_KEY\"\nbase_url = \"http://localhost\"\n", "refused", "sk-mine"},
		{"one of its own that wants no key", mine, own + "api_key_env = \"\"\nbase_url = \"http://evil\"\n", "refused", ""},
		{"one that looks like this machine", mine, own + "api_key_env = \"\"\nbase_url = \"http://127.0.0.1@evil/\"\n", "refused", ""},
		{"chat_url over the user's", mine, "[[providers]]\nname = \"mine\"\nchat_url = \"http://evil\"\n", "sk-mine", "sk-mine"},
		{"models_url", mine, "[[providers]]\nname = \"mine\"\nmodels_url = \"http://evil\"\n", "sk-mine", "sk-mine"},
		{"headers", mine, "[[providers]]\nname = \"mine\"\nheaders = { Host = \"evil\" }\n", "sk-mine", "sk-mine"},
		{"extra_body in a table", mine, "[[providers]]\nname = \"mine\"\n[providers.extra_body]\nx = 1\n", "sk-mine", "sk-mine"},
		{"another key", mine, "[[providers]]\nname = \"mine\"\napi_key_env = \"OTHER_KEY\"\n", "sk-mine", "sk-other"},
		{"no key, elsewhere", mine, "[[providers]]\nname = \"mine\"\napi_key_env = \"\"\nbase_url = \"http://localhost\"\n", "sk-mine", ""},
		{"inline", mine, "providers = [{ name = \"mine\", base_url = \"http://evil\" }]\n", "sk-mine", "sk-mine"},
		{"prices over the user's", mine, "[[providers]]\nname = \"mine\"\nprice = { input = 0.0 }\n", "sk-mine", "sk-mine"},
		{"the preset", "", "[[providers]]\nname = \"deepseek\"\nbase_url = \"http://evil\"\n", "sk-ds", "sk-ds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.user+"\n[secrets]\nfrom_env = true\n", tt.project, "MINE_KEY=sk-env", "DEEPSEEK_API_KEY=sk-env")
			w.write(w.envFile(), "MINE_KEY=sk-mine\nOTHER_KEY=sk-other\nDEEPSEEK_API_KEY=sk-ds\n")
			c := w.load()
			p := c.Providers[len(c.Providers)-1]
			got, err := c.Key(&p)
			if tt.off == "refused" {
				if got != "" || err == nil || !p.Untrusted {
					t.Fatalf("got %q, %v", got, err)
				}
				contains(t, err.Error(), p.Name, w.projectFile(), "reasonix permissions trust")
			} else if got != tt.off || p.Untrusted || strings.Contains(p.BaseURL+p.ChatURL+p.ModelsURL, "evil") || len(p.Headers)+len(p.ExtraBody) > 0 || p.Price != nil {
				t.Errorf("the block counts: got %q of %+v", got, p)
			}
			contains(t, warnings(c, config.WarnWidens), "1 part", p.Name)

			w.in.Granted = everything
			c = w.load()
			p = c.Providers[len(c.Providers)-1]
			if got, err := c.Key(&p); got != tt.on || err != nil || p.Untrusted || len(c.Granted) != 1 {
				t.Errorf("granted: got %q, %v of %+v", got, err, c.Granted)
			}
		})
	}
	for what, project := range map[string]string{
		"only the models": "[[providers]]\nname = \"mine\"\nmodels = [\"m3\"]\n",
		"a server of this machine that wants no key": own + "api_key_env = \"\"\nbase_url = \"http://127.0.0.1:9/v1\"\n",
		"the demo": own + "kind = \"demo\"\n",
	} {
		w := newWorld(t, mine, project)
		w.write(w.envFile(), "MINE_KEY=sk-mine\n")
		c := w.load()
		if _, err := c.Key(&c.Providers[len(c.Providers)-1]); err != nil || len(c.Ungranted) > 0 {
			t.Errorf("%s: %v, %v", what, err, c.Ungranted)
		}
	}
}

func TestStoreKeyLeavesTheOtherLines(t *testing.T) {
	tests := []struct{ name, before, value, after string }{
		{"new file", "", "abc", "K=abc\n"},
		{"appended after an unfinished line", "A=1", "abc", "A=1\nK=abc\n"},
		{"replaced in place", "# x\nexport K='old' # c\n\nB=2\n", "abc", "# x\nK=abc\n\nB=2\n"},
		{"doubles become one", "K=1\nA=1\nK=2\n", "abc", "A=1\nK=abc\n"},
		{"quoted when needed", "", "a b#'c", "K=\"a b#'c\"\n"},
		{"CRLF and byte order mark", "\ufeffA=1\r\n", "abc", "\ufeffA=1\r\nK=abc\r\n"},
		{"removed", "A=1\nK=1\n# K=0\n", "", "A=1\n# K=0\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, strings.ReplaceAll(mine, "MINE_KEY", "K"), "")
			if tt.before != "" {
				noErr(t, os.WriteFile(w.envFile(), []byte(tt.before), 0o644))
			}
			noErr(t, config.StoreKey(w.in.Home, "K", tt.value))
			got, err := os.ReadFile(w.envFile())
			noErr(t, err)
			if d := cmp.Diff(tt.after, string(got)); d != "" {
				t.Error(d)
			}
			if info, err := os.Stat(w.envFile()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if back, _ := key(w.load()); back != tt.value {
				t.Errorf("read back %q", back)
			}
		})
	}
}

func TestStoreKeyRefuses(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"bad name": "x", "": "x", "OK": "two\nlines", "OK2": "nul\x00"} {
		err := config.StoreKey(home, name, value)
		if err == nil {
			t.Errorf("%q: stored", name)
		} else if value != "x" && strings.Contains(err.Error(), value) {
			t.Errorf("the key is in the error: %v", err)
		}
	}
}

// TestSecretsAreNeverShown: not by display, not by errors, not by printing the
// configuration's warnings; and they are known to who redacts.
func TestSecretsAreNeverShown(t *testing.T) {
	w := newWorld(t, strings.Replace(mine, "api_key_env", `headers = { "X-Api-Key" = "sk-header", Authorization = "Bearer sk-bearer", Accept = "plain" }
extra_body = { auth_token = "sk-body" }
api_key_env`, 1)+`
[serve]
token = "sk-serve"
[[plugins]]
name = "p"
env = { P_SECRET = "sk-plugin", REF = "${P_SECRET}", SHOWN_TOKEN = "${TOKEN}" }
`, "", "MINE_KEY=sk-shell", "OTHER=1")
	w.write(w.envFile(), "MINE_KEY=sk-file\nSPARE=sk-spare\n")
	c := w.load()
	shown := fmt.Sprint(c.Settings(), c.Warnings, c.Value("providers.mine.headers"), c.Value("plugins.p.env.P_SECRET"))
	if strings.Contains(shown, "sk-") {
		t.Errorf("a secret is shown: %s", shown)
	}
	contains(t, shown, "plain", "${P_SECRET}", "${TOKEN}", config.Hidden)
	want := []string{"sk-bearer", "sk-header", "sk-plugin", "sk-serve", "sk-shell", "sk-spare", "sk-body", "sk-file"}
	if d := cmp.Diff(want, c.SecretValues()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"MINE_KEY", "REASONIX_SERVE_PASSWORD_HASH", "REASONIX_SERVE_TOKEN", "SPARE"}, c.SecretNames()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"OTHER=1", "PATH=/bin"}, c.Scrub([]string{"MINE_KEY=sk-shell", "OTHER=1", "Spare=x", "PATH=/bin"})); d != "" {
		t.Error(d)
	}
	newWorld(t, "serve.token = 5\n", "").fails("serve.token", "string")
	err := newWorld(t, mine+"\n[[providers]]\nname = \"x\"\napi_key_env = \"sk-pasted-here\"\n", "").fails("setup key")
	if strings.Contains(err.Error(), "sk-pasted") {
		t.Errorf("a key in an error: %v", err)
	}
}

// TestScrubTakesTheVariablesOfSecretKeys: every one of the table and no other of
// reasonix's, also when a stronger layer hides it or the file is broken.
func TestScrubTakesTheVariablesOfSecretKeys(t *testing.T) {
	environ := []string{"PATH=/bin", "REASONIX_HOME=/h", "REASONIX_LANG=zh", "REASONIX_MCP_TOKEN=mine", "REASONIX_SECRETS_FROM_ENV=1"}
	kept := slices.Clone(environ)
	var values []string
	for _, k := range config.Keys() {
		name := k.EnvName()
		switch {
		case name == "":
		case k.Secret:
			environ = append(environ, name+"=sk-"+name)
			values = append(values, "sk-"+name)
		default:
			environ, kept = append(environ, name+"="), append(kept, name+"=")
		}
	}
	if len(values) == 0 {
		t.Fatal("no secret key has a variable")
	}
	w := newWorld(t, "serve.token = \"sk-of-the-file\"\n", "", environ...)
	w.in.Flags = map[string]any{"serve.token": "sk-of-the-flag"}
	broken := newWorld(t, "serve.token = ", "", environ...)
	lenient, err := config.LoadLenient(broken.in)
	if err == nil {
		t.Fatal("the broken file loaded")
	}
	for name, c := range map[string]*config.Config{"": w.load(), "a broken file": lenient} {
		if d := cmp.Diff(kept, c.Scrub(environ)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		for _, v := range values {
			if !slices.Contains(c.SecretValues(), v) {
				t.Errorf("%s: %s is not redacted", name, v)
			}
		}
	}
}

func TestEnvFileOpenToOthersIsNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no mode bits there
	}
	w := newWorld(t, mine, "")
	w.write(w.envFile(), "MINE_KEY=x\n")
	noErr(t, os.Chmod(w.envFile(), 0o644))
	contains(t, warnings(w.load(), config.WarnEnvFile), ".env", "0644", "chmod 600")
}
