//go:build unix

package setup_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/provider/providertest"
)

// smallFile begins a file that setup makes.
const smallFile = `# Every key, with its default and a comment, is in reasonix.example.toml.
# What counts here, and where it is from: reasonix config show --origin
`

const secret = "sk-typed-on-a-terminal"

func TestWizardOnATerminal(t *testing.T) {
	model := providertest.New(t)
	model.RequireKey(secret)
	model.SetModels("small", "large", "embedding")
	d := newDesk(t)
	s := d.open("setup")
	s.answer("Provider (number or name): ", "nothing")
	s.expect(`There is no provider "nothing"`)
	s.answer("Provider (number or name): ", "custom")
	s.answer("Base URL", "localhost:1")
	s.expect("no http or https URL")
	s.answer("Base URL", model.BaseURL())
	s.answer("Name of the provider [local]: ", "box")
	s.answer("Enter when it wants none): ", "sk-wrong")
	s.expect("The key was refused: box: HTTP 401")
	s.answer("[r/k/s]: ", "r")
	s.answer("Enter when it wants none): ", secret)
	s.expect("It answers.")
	s.expect("2  large")
	s.answer("Default model (number or name) [small]: ", "tiny")
	s.expect(`No model is called "tiny"`)
	s.answer("[small]: ", "larg")
	s.expect("2  large")
	s.answer("[small]: ", "2")
	s.expect("stored BOX_API_KEY in ")
	s.expect("wrote ")
	s.expect("reasonix run")
	if code := s.end(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.all())
	}
	absent(t, secret, s.all(), d.read(d.file()))
	absent(t, "sk-wrong", s.all(), d.read(d.env()))
	private(t, d.env())
	private(t, d.file())
	d.usable("box/large", secret)
	want := smallFile + "default_model = \"box/large\"\n\n[[providers]]\nname = \"box\"\nbase_url = \"" + model.BaseURL() + "\"\nmodels = [\"large\"]\napi_key_env = \"BOX_API_KEY\"\n"
	if diff := cmp.Diff(d.read(d.file()), want); diff != "" {
		t.Errorf("the file says more than what was answered: -got +want\n%s", diff)
	}
	if got := strings.Count(s.all(), "A run does what no rule forbids"); got != 1 {
		t.Errorf("the warning is there %d times", got)
	}
	if code, out, errs := d.run("", "setup", "--check"); code != 0 {
		t.Errorf("setup --check: exit %d\n%s%s", code, out, errs)
	}
}

// usable checks that the configuration resolves to ref with that key.
func (d *desk) usable(ref, key string) {
	d.t.Helper()
	c := d.config()
	m, err := c.ResolveModel("")
	if err != nil || m.Ref != ref {
		d.t.Fatalf("the default is %s %v, want %s\n%s", m.Ref, err, ref, d.read(d.file()))
	}
	if got, err := c.Key(m.Provider); got != key || err != nil {
		d.t.Errorf("the key is %q %v", got, err)
	}
	if len(c.Warnings) > 0 {
		d.t.Errorf("warnings: %v", c.Warnings)
	}
}

// An endpoint without a list of models is asked for one token, with the key.
func TestWizardAsksForATokenWhereThereIsNoList(t *testing.T) {
	model := providertest.New(t, providertest.Text("ok"))
	model.RequireKey(secret)
	model.SetPaths("/v1/chat/completions", "/elsewhere")
	d := newDesk(t)
	s := d.open("setup")
	s.answer("Provider", "custom")
	s.answer("Base URL", model.BaseURL())
	s.answer("Name", "custom")
	s.answer("(not shown", secret)
	s.expect("It lists no models.")
	s.answer("Name of the model: ", "only/one")
	s.expect("It answers.")
	if code := s.end(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.all())
	}
	d.usable("custom/only/one", secret)
	requests := model.Requests()
	if len(requests) != 1 || requests[0].Model != "only/one" || requests[0].Header.Get("Authorization") != "Bearer "+secret {
		t.Errorf("%d requests", len(requests))
	}
	absent(t, secret, s.all())
}

// A second run keeps the file's comments, its other keys and the key.
func TestWizardChangesOnlyWhatWasAnswered(t *testing.T) {
	model := providertest.New(t)
	model.RequireKey(secret)
	model.SetModels("one", "two")
	const own = "# mine\ndefault_model = \"box/one\" # the cheap one\r\n\n[[providers]]\nname = \"box\" # in the cellar\nbase_url = \"URL\"\nmodel = \"one\"\napi_key_env = \"CELLAR\"\n\n[tools]\nbash_timeout_seconds = 7\n"
	before := strings.ReplaceAll(own, "URL", model.BaseURL())
	d := newDesk(t)
	d.write(d.file(), before)
	d.write(d.env(), "CELLAR="+secret+"\n")
	s := d.open("setup")
	s.expect("box          " + model.BaseURL() + ", configured")
	s.answer("Provider", "box")
	s.answer("Enter keeps the one from ", "")
	s.answer("Default model (number or name) [one]: ", "two")
	s.expect("the old file is ")
	if code := s.end(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.all())
	}
	want := strings.Replace(before, "box/one", "box/two", 1)
	want = strings.Replace(want, "api_key_env = \"CELLAR\"\n", "api_key_env = \"CELLAR\"\nmodels = [\"one\", \"two\"]\n", 1)
	if got := d.read(d.file()); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("got\n%s\nwant, in some order,\n%s", got, want)
	}
	if d.read(d.file()+".bak") != before || d.read(d.env()) != "CELLAR="+secret+"\n" {
		t.Error("the backup or the key is not what was there")
	}
	d.usable("box/two", secret)
	absent(t, secret, s.all())
}

func sorted(text string) []string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	slices.Sort(lines)
	return lines
}

// OLLAMA_HOST says where Ollama is; it is marked, and wants no key.
func TestWizardFindsARunningServer(t *testing.T) {
	model := providertest.New(t)
	model.SetModels("qwen3:8b", "llama4")
	d := newDesk(t)
	d.environ = append(d.environ, "OLLAMA_HOST="+strings.TrimPrefix(model.Root(), "http://"))
	s := d.open("setup")
	s.expect("Ollama, running, 2 models")
	s.answer("Provider", "ollama")
	s.answer("[qwen3:8b]: ", "")
	if code := s.end(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.all())
	}
	d.usable("ollama/qwen3:8b", "")
	if _, err := os.Stat(d.env()); err == nil {
		t.Error("a key file was made without a key")
	}
}

func TestWizardCountsOneModel(t *testing.T) {
	model := providertest.New(t)
	model.SetModels("qwen3:8b")
	d := newDesk(t)
	d.environ = append(d.environ, "OLLAMA_HOST="+strings.TrimPrefix(model.Root(), "http://"))
	s := d.open("setup")
	s.expect("Ollama, running, 1 model\r\n")
	s.interrupt()
	s.end()
}

func TestWizardSpeaksChinese(t *testing.T) {
	d := newDesk(t)
	d.environ = []string{"LANG=zh_CN.UTF-8"}
	s := d.open("setup")
	s.expect("模型服务（编号或名称）：")
	s.interrupt()
	if code := s.end(); code != 130 {
		t.Errorf("exit %d\n%s", code, s.all())
	}
}

// Ctrl-C, Ctrl-D and SIGTERM leave nothing written, wherever they come.
func TestWizardStoppedWritesNothing(t *testing.T) {
	model := providertest.New(t)
	model.RequireKey(secret)
	key := func(s *screen) {
		s.answer("Provider", "custom")
		s.answer("Base URL", model.BaseURL())
		s.answer("Name", "box")
	}
	for _, c := range []struct {
		name string
		code int
		stop func(s *screen)
	}{
		{"at the first question", 130, func(s *screen) { s.expect("Provider (number or name): "); s.interrupt() }},
		{"at the key", 130, func(s *screen) { key(s); s.expect("(not shown"); s.interrupt() }},
		{"at the model", 130, func(s *screen) {
			key(s)
			s.answer("(not shown", secret)
			s.expect("Default model")
			s.interrupt()
		}},
		{"terminated at the key", 143, func(s *screen) {
			key(s)
			s.expect("(not shown")
			if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				s.t.Fatal(err)
			}
		}},
		{"end of input", 2, func(s *screen) {
			s.expect("Provider (number or name): ")
			if _, err := s.pty.Write([]byte{4}); err != nil {
				s.t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			s := d.open("setup")
			c.stop(s)
			if code := s.end(); code != c.code {
				t.Errorf("exit %d, want %d\n%s", code, c.code, s.all())
			}
			if _, err := os.Stat(d.home); err == nil {
				t.Error("something was written")
			}
			absent(t, secret, s.all())
		})
	}
}

// Keep stores a key that could not be tried; skip stores none.
func TestWizardGoesOnAfterAFailedKey(t *testing.T) {
	for _, c := range []struct{ answer, env string }{{"k", "BOX_API_KEY=" + secret + "\n"}, {"s", ""}} {
		d := newDesk(t)
		s := d.open("setup")
		s.answer("Provider", "custom")
		s.answer("Base URL", "http://127.0.0.1:1/v1")
		s.answer("Name", "box")
		s.answer("(not shown", secret)
		s.expect("That did not work: box: ")
		s.expect("(connect)")
		s.answer("[r/k/s]: ", c.answer)
		s.answer("Name of the model: ", "m")
		if code := s.end(); code != 0 {
			t.Errorf("exit %d\n%s", code, s.all())
		}
		env := ""
		if b, err := os.ReadFile(d.env()); err == nil {
			env = string(b)
		}
		if env != c.env {
			t.Errorf("%s: .env is %q", c.answer, env)
		}
		if m, err := d.config().ResolveModel(""); err != nil || m.Ref != "box/m" {
			t.Errorf("%v %v", m.Ref, err)
		}
		absent(t, secret, s.all())
	}
}

// A file that cannot be read is not changed, and the place is named.
func TestCF03WizardRefusesABrokenFile(t *testing.T) {
	d := newDesk(t)
	d.write(d.file(), "[ui\n")
	s := d.open("setup")
	s.expect("config.toml:1")
	if code := s.end(); code != 3 || d.read(d.file()) != "[ui\n" {
		t.Errorf("exit %d\n%s", code, s.all())
	}
}

func TestSetupKeyAsksOnATerminal(t *testing.T) {
	d := newDesk(t)
	s := d.open("setup", "key", "DEEPSEEK_API_KEY")
	s.expect("DEEPSEEK_API_KEY (not shown): ")
	if _, err := io.WriteString(s.pty, "sk-typoo\x7f\x7f\x15"+secret+"x\x7f\r"); err != nil {
		t.Fatal(err)
	}
	s.expect("stored DEEPSEEK_API_KEY")
	if code := s.end(); code != 0 || d.read(d.env()) != "DEEPSEEK_API_KEY="+secret+"\n" {
		t.Errorf("exit %d\n%s%s", code, s.all(), d.read(d.env()))
	}
	absent(t, secret, s.all())
	absent(t, "typo", s.all())
}

// OpenRouter lists its models to anybody: there the key is tried on the model.
func TestWizardTriesAKeyThatTheListDoesNotProve(t *testing.T) {
	open, chat := providertest.New(t), providertest.New(t, providertest.Text("ok"))
	open.SetModels("vendor/one")
	chat.RequireKey(secret)
	d := newDesk(t)
	d.write(d.file(), "[[providers]]\nname = \"openrouter\"\nbase_url = \""+chat.BaseURL()+"\"\nmodels_url = \""+open.BaseURL()+"/models\"\nmodel = \"vendor/one\"\napi_key_env = \"OWN_NAME\"\n")
	s := d.open("setup")
	s.answer("Provider", "openrouter")
	s.answer("(not shown): ", "sk-wrong")
	s.answer("[vendor/one]: ", "1")
	s.expect("The key was refused")
	s.answer("[r/k/s]: ", "")
	s.answer("(not shown): ", secret)
	s.expect("It answers.")
	if code := s.end(); code != 0 {
		t.Errorf("exit %d\n%s", code, s.all())
	}
	d.usable("openrouter/vendor/one", secret)
	if got := d.read(d.env()); got != "OWN_NAME="+secret+"\n" {
		t.Errorf(".env is %q", got)
	}
}

// The built-in provider needs no block of its own, and its key may come later.
func TestWizardWithoutAKey(t *testing.T) {
	for _, c := range []struct {
		name, before string
		want         func() string
	}{
		{"a file of one's own", "# mine\n", func() string { return "# mine\ndefault_model = \"deepseek/deepseek-v4-pro\"\n" }},
		{"no file", "", func() string { return smallFile + "default_model = \"deepseek/deepseek-v4-pro\"\n" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			if c.before != "" {
				d.write(d.file(), c.before)
			}
			s := d.open("setup")
			s.answer("Provider", "1")
			s.answer("API key (not shown): ", "")
			s.expect("reasonix setup key DEEPSEEK_API_KEY")
			s.answer("[deepseek-v4-flash]: ", "deepseek-v4-pro")
			if code := s.end(); code != 0 {
				t.Errorf("exit %d\n%s", code, s.all())
			}
			squeeze := func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n") }
			if got := d.read(d.file()); squeeze(got) != squeeze(c.want()) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// A URL without a version is told of before a model is asked for, with the one to
// try.
func TestWizardOffersTheVersionAURLLacks(t *testing.T) {
	for _, c := range []struct{ answer, model, base string }{
		{"", "", "/v1"},
		{"ROOT/v1", "", "/v1"},
		{"k", "m", ""},
	} {
		model := providertest.New(t, providertest.Text("ok"))
		model.SetModels("m")
		if c.base == "" {
			model.SetPaths("/chat/completions", "")
		}
		d := newDesk(t)
		s := d.open("setup")
		s.answer("Provider", "custom")
		s.answer("Base URL", model.Root())
		s.answer("Name", "box")
		s.answer("Enter when it wants none): ", "")
		s.expect("base_url has no version: try " + model.Root() + "/v1")
		s.answer("Enter: "+model.Root()+"/v1", strings.ReplaceAll(c.answer, "ROOT", model.Root()))
		s.answer("odel", c.model)
		if code := s.end(); code != 0 {
			t.Errorf("%q: exit %d\n%s", c.answer, code, s.all())
		}
		d.usable("box/m", "")
		if m, err := d.config().ResolveModel(""); err != nil || m.Provider.BaseURL != model.Root()+c.base {
			t.Errorf("%q: base_url is %s %v", c.answer, m.Provider.BaseURL, err)
		}
	}
}
