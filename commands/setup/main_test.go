package setup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/commands"
	"reasonix/commands/cmdutil"
	"reasonix/commands/cmdutil/cmdtest"
	"reasonix/core/config"
	_ "reasonix/core/provider/openai"
)

// asReasonix makes the test binary be reasonix itself.
const asReasonix = "REASONIX_TEST_AS_REASONIX"

func TestMain(m *testing.M) {
	if os.Getenv(asReasonix) != "" {
		os.Exit(commands.Main("v0.0.0-test", os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// A desk is a home and a working directory.
type desk struct {
	t          *testing.T
	home, work string
	environ    []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return &desk{t: t, home: filepath.Join(t.TempDir(), "home"), work: t.TempDir(), environ: []string{"LANG=C"}}
}

func (d *desk) file() string { return filepath.Join(d.home, "config.toml") }
func (d *desk) env() string  { return filepath.Join(d.home, ".env") }

func (d *desk) write(path, text string) {
	d.t.Helper()
	cmdtest.Write(d.t, path, text)
}

func (d *desk) read(path string) string {
	d.t.Helper()
	return cmdtest.Read(d.t, path)
}

func (d *desk) config() *config.Config {
	d.t.Helper()
	c, err := config.Load(config.Input{Home: d.home, Workspace: d.work, Environ: d.environ})
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// run runs `reasonix ARGS` without a terminal.
func (d *desk) run(input string, args ...string) (code int, out, errs string) {
	d.t.Helper()
	var o, e bytes.Buffer
	app := &cmdutil.App{
		In: strings.NewReader(input), Out: &o, Err: &e, Home: d.home, WorkDir: d.work, Environ: d.environ,
		Version: "1.2.3", Now: time.Now,
	}
	code = commands.Execute(d.t.Context(), app, args)
	return code, o.String(), e.String()
}

// absent checks that no text has the secret.
func absent(t *testing.T, secret string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(text, secret) {
			t.Errorf("the key is in\n%s", text)
		}
	}
}
