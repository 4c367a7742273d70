//go:build unix

package setup_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"reasonix/core/config"
	"reasonix/core/provider/providertest"
)

// late is how long another process may take for one step.
const late = 20 * time.Second

// A screen is reasonix on a real terminal.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // tells that text grew or ended
	seen int           // how much of text expect has passed
	done chan struct{} // closed at the end of the output
}

// open starts `reasonix ARGS` on a terminal of its own.
func (d *desk) open(args ...string) *screen {
	d.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = d.work
	cmd.Env = append([]string{asReasonix + "=1", "REASONIX_HOME=" + d.home, "HOME=" + d.home, "PATH=" + os.Getenv("PATH")}, d.environ...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 120})
	if err != nil {
		d.t.Fatal(err)
	}
	s := &screen{t: d.t, cmd: cmd, pty: f, more: make(chan struct{}, 1), done: make(chan struct{})}
	go s.read()
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended unless the test failed
		f.Close()
	})
	return s
}

func (s *screen) read() {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.pty.Read(buf)
		s.mu.Lock()
		s.text.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// all is everything that was shown.
func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// expect waits until text is shown behind what was expected before.
func (s *screen) expect(text string) {
	s.t.Helper()
	timer := time.NewTimer(late)
	defer timer.Stop()
	for {
		all := s.all()
		if i := strings.Index(all[s.seen:], text); i >= 0 {
			s.seen += i + len(text)
			return
		}
		select {
		case <-s.more:
		case <-s.done:
			if strings.Contains(s.all()[s.seen:], text) {
				continue
			}
			s.t.Fatalf("it ended without saying %q:\n%s", text, s.all())
		case <-timer.C:
			s.t.Fatalf("it does not say %q:\n%s", text, s.all())
		}
	}
}

// answer waits for a prompt and types a line.
func (s *screen) answer(prompt, line string) {
	s.t.Helper()
	s.expect(prompt)
	if _, err := io.WriteString(s.pty, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the process and returns its exit code.
func (s *screen) end() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(late):
		s.t.Fatalf("it does not end:\n%s", s.all())
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

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
	s.answer("Name of the provider [custom]: ", "box")
	s.answer("Base URL", "localhost:1")
	s.expect("no http or https URL")
	s.answer("Base URL", model.BaseURL())
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
	if !strings.Contains(d.read(d.file()), "\n# temperature =") || !strings.HasPrefix(d.read(d.file()), string(config.Example()[:200])) {
		t.Error("the file does not begin as the example")
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
	s.answer("Name", "")
	s.answer("Base URL", model.BaseURL())
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
	s.expect("box          , configured")
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

// interrupt types Ctrl-C.
func (s *screen) interrupt() {
	s.t.Helper()
	if _, err := s.pty.Write([]byte{3}); err != nil {
		s.t.Fatal(err)
	}
}

// Ctrl-C, Ctrl-D and SIGTERM leave nothing written, wherever they come.
func TestWizardStoppedWritesNothing(t *testing.T) {
	model := providertest.New(t)
	model.RequireKey(secret)
	key := func(s *screen) {
		s.answer("Provider", "custom")
		s.answer("Name", "box")
		s.answer("Base URL", model.BaseURL())
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
		s.answer("Name", "box")
		s.answer("Base URL", "http://127.0.0.1:1/v1")
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
