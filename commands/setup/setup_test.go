package setup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/config"
	"reasonix/core/provider/providertest"
)

func TestWithoutATerminalItWritesTheExampleOnce(t *testing.T) {
	d := newDesk(t)
	code, out, errs := d.run("", "setup")
	if code != 0 || errs != "" || !strings.Contains(out, "wrote ") || !strings.Contains(out, "Nothing was asked, because this is no terminal") || !strings.Contains(out, "reasonix setup key") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if diff := cmp.Diff(d.read(d.file()), string(config.Example())); diff != "" {
		t.Errorf("the file is not the example:\n%s", diff)
	}
	if !strings.Contains(d.read(d.file()), "\n# temperature =") || d.config().Agent.Temperature != nil {
		t.Error("temperature is set")
	}
	d.write(d.file(), "# mine\n")
	code, out, _ = d.run("", "setup")
	if code != 0 || !strings.Contains(out, "stays as it is") || d.read(d.file()) != "# mine\n" {
		t.Errorf("exit %d\n%sa second setup touched the file:\n%s", code, out, d.read(d.file()))
	}
}

func TestLocalWritesAProjectFileThatHidesNothing(t *testing.T) {
	d := newDesk(t)
	d.write(d.file(), "language = \"zh-CN\"\n[permissions]\nmode = \"deny\"\n")
	if code, out, errs := d.run("", "setup", "--local"); code != 0 || !strings.Contains(out, "wrote ") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	c := d.config()
	if len(c.Warnings) != 0 || c.Language != "zh-CN" || c.Permissions.Mode != "deny" {
		t.Errorf("the project file counts: %q %s %s", c.Warnings, c.Language, c.Permissions.Mode)
	}
	text := d.read(filepath.Join(d.work, "reasonix.toml"))
	for _, k := range config.Keys() {
		name := k.Path[strings.LastIndex(k.Path, ".")+1:]
		if !strings.Contains(text, name) {
			t.Errorf("it does not show %s", k.Path)
		}
	}
	if code, out, _ := d.run("", "setup", "--local"); code != 0 || !strings.Contains(out, "stays as it is") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestSetupKeyReadsStandardInput(t *testing.T) {
	const secret = "sk-from-a-pipe"
	d := newDesk(t)
	code, out, errs := d.run(secret+"\n", "setup", "key", "DEEPSEEK_API_KEY")
	if code != 0 || !strings.Contains(out, "stored DEEPSEEK_API_KEY in ") || errs != "" {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	absent(t, secret, out, errs)
	if got := d.read(d.env()); got != "DEEPSEEK_API_KEY="+secret+"\n" {
		t.Errorf("got %q", got)
	}
	private(t, d.env())
	if _, _, errs := d.run(secret, "setup", "key", "DEEPSEEK_API_KE"); !strings.Contains(errs, "is it DEEPSEEK_API_KEY?") {
		t.Errorf("no word about a name nobody uses: %s", errs)
	}
	if code, out, _ := d.run("", "setup", "key", "DEEPSEEK_API_KEY", "--remove"); code != 0 || !strings.Contains(out, "removed") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if _, _, errs := d.run(secret, "setup", "key", "NOBODYS_KEY"); !strings.Contains(errs, `no configured provider has api_key_env = "NOBODYS_KEY", and no MCP server of yours ${NOBODYS_KEY}; what is referred to is DEEPSEEK_API_KEY`) {
		t.Errorf("the names there are are not told: %s", errs)
	}
	d.write(d.file(), "[[plugins]]\nname = \"docs\"\ntype = \"http\"\nurl = \"http://127.0.0.1:1/\"\nheaders = { Authorization = \"Bearer ${DOCS_TOKEN}\" }\n")
	if code, _, errs := d.run(secret, "setup", "key", "DOCS_TOKEN"); code != 0 || errs != "" {
		t.Errorf("a server refers to it: exit %d\n%s", code, errs)
	}
	before := d.read(d.env())
	if code, out, _ := d.run("", "setup", "key", "DEEPSEEK_API_KEY", "--remove"); code != 0 || !strings.Contains(out, "DEEPSEEK_API_KEY is not in ") || d.read(d.env()) != before {
		t.Errorf("a key that is not there was removed: exit %d\n%s", code, out)
	}
	for _, c := range []struct{ name, input string }{
		{"A_KEY", ""}, {"A_KEY", " \n"}, {"A_KEY", "one\ntwo\n"}, {"A-KEY", "x"}, {"1KEY", "x"}, {"A_KEY", strings.Repeat("x", 70<<10)},
	} {
		if code, out, errs := d.run(c.input, "setup", "key", c.name); code != 2 || out != "" || strings.Contains(errs, "one") && strings.Contains(errs, "two") {
			t.Errorf("%s, %q: exit %d\n%s%s", c.name, c.input[:min(9, len(c.input))], code, out, errs)
		}
	}
}

func TestSetupKeySaysHowItIsCalled(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{}, "name the variable, e.g. reasonix setup key DEEPSEEK_API_KEY"},
		{[]string{"DEEPSEEK_API_KEY", "sk-an-argument"}, "it is now in your shell's history"},
	} {
		code, out, errs := d.run("sk-x", append([]string{"setup", "key"}, c.args...)...)
		if code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d\n%s%s", c.args, code, out, errs)
		}
		absent(t, "sk-an-argument", errs)
		if _, err := os.Stat(d.env()); err == nil {
			t.Error("a key was stored")
		}
	}
}

func private(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %04o", path, info.Mode().Perm())
	}
}

func TestKeyNamesComplete(t *testing.T) {
	d := newDesk(t)
	if _, out, _ := d.run("", "__complete", "setup", "key", ""); !strings.Contains(out, "DEEPSEEK_API_KEY\n") {
		t.Errorf("got %s", out)
	}
}

// providers is a file with one provider block for each given server, in order.
func providers(models string, servers map[string]string, order ...string) string {
	text := fmt.Sprintf("default_model = %q\n", models)
	for _, name := range order {
		text += fmt.Sprintf("\n[[providers]]\nname = %q\nbase_url = %q\nmodel = \"m\"\napi_key_env = %q\n", name, servers[name], strings.ToUpper(name)+"_KEY")
	}
	return text
}

func TestCheckTriesEveryProvider(t *testing.T) {
	const secret = "sk-good-key"
	good, listless, refusing := providertest.New(t), providertest.New(t, providertest.Text("ok")), providertest.New(t)
	good.RequireKey(secret)
	listless.SetPaths("/v1/chat/completions", "/elsewhere")
	refusing.RequireKey("another")
	gone := "http://127.0.0.1:1/v1"
	urls := map[string]string{
		"good": good.BaseURL(), "listless": listless.BaseURL(), "refusing": refusing.BaseURL(), "gone": gone, "keyless": gone,
	}
	type row struct{ Provider, Status, Phase string }
	for _, c := range []struct {
		name, model string
		order       []string
		code        int
		want        []row
	}{
		{"all well", "good", []string{"good", "listless", "keyless"}, 0, []row{{"good", "ok", ""}, {"listless", "ok", ""}, {"keyless", "no_key", ""}}},
		{"the default has no key", "keyless", []string{"good", "keyless"}, 3, []row{{"good", "ok", ""}, {"keyless", "no_key", ""}}},
		{"a key is refused", "good", []string{"good", "refusing", "gone"}, 3, []row{{"good", "ok", ""}, {"refusing", "refused", "first_byte"}, {"gone", "failed", "connect"}}},
		{"an endpoint is gone", "good", []string{"good", "gone"}, 4, []row{{"good", "ok", ""}, {"gone", "failed", "connect"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			listless.Add(providertest.Text("ok"))
			d := newDesk(t)
			d.write(d.file(), providers(c.model, urls, c.order...))
			d.write(d.env(), "GOOD_KEY="+secret+"\nLISTLESS_KEY="+secret+"\nREFUSING_KEY="+secret+"\nGONE_KEY="+secret+"\n")
			code, out, errs := d.run("", "setup", "--check", "--output-format", "json")
			var got struct {
				OK        bool
				Providers []row
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v\n%s%s", err, out, errs)
			}
			if diff := cmp.Diff(got.Providers, c.want); code != c.code || got.OK != (c.code == 0) || diff != "" {
				t.Errorf("exit %d, want %d\n%s", code, c.code, diff)
			}
			textCode, table, _ := d.run("", "setup", "--check")
			if textCode != c.code || !strings.HasPrefix(table, "PROVIDER") || !strings.Contains(table, c.model+" *") {
				t.Errorf("exit %d\n%s", textCode, table)
			}
			absent(t, secret, out, errs, table)
		})
	}
}

func TestCheckOfABrokenFileSaysWhere(t *testing.T) {
	d := newDesk(t)
	d.write(d.file(), "a = [\n")
	if code, _, errs := d.run("", "setup", "--check"); code != 3 || !strings.Contains(errs, "config.toml:") {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

func TestFlagsThatExcludeEachOther(t *testing.T) {
	d := newDesk(t)
	for _, args := range [][]string{{"--check", "--local"}, {"--output-format", "json"}, {"extra"}} {
		if code, _, errs := d.run("", append([]string{"setup"}, args...)...); code != 2 {
			t.Errorf("%q: exit %d\n%s", args, code, errs)
		}
	}
}
