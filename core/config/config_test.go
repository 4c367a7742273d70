package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/config"
)

// A world is a home and a workspace on disk, and the rest of an Input.
type world struct {
	t  testing.TB
	in config.Input
}

func newWorld(t testing.TB, user, project string, environ ...string) world {
	t.Helper()
	dir := t.TempDir()
	w := world{t, config.Input{
		Home: filepath.Join(dir, "home"), Workspace: filepath.Join(dir, "work"),
		Environ: append([]string{"HOME=" + filepath.Join(dir, "me")}, environ...),
	}}
	for _, d := range []string{w.in.Home, w.in.Workspace} {
		noErr(t, os.MkdirAll(d, 0o700))
	}
	if user != "" {
		w.write(w.userFile(), user)
	}
	if project != "" {
		w.write(w.projectFile(), project)
	}
	return w
}

func (w world) userFile() string    { return filepath.Join(w.in.Home, "config.toml") }
func (w world) projectFile() string { return filepath.Join(w.in.Workspace, "reasonix.toml") }
func (w world) envFile() string     { return filepath.Join(w.in.Home, ".env") }
func (w world) me() string          { return filepath.Join(filepath.Dir(w.in.Home), "me") }

func (w world) write(path, text string) {
	w.t.Helper()
	noErr(w.t, os.WriteFile(path, []byte(text), 0o600))
}

func (w world) load() *config.Config {
	w.t.Helper()
	c, err := config.Load(w.in)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// fails loads and wants an error that says all of want.
func (w world) fails(want ...string) error {
	w.t.Helper()
	c, err := config.Load(w.in)
	if err == nil {
		w.t.Fatalf("loaded, want an error with %q", want)
	}
	if c != nil {
		w.t.Error("an error and a configuration: half-loaded")
	}
	contains(w.t, err.Error(), want...)
	return err
}

func contains(t testing.TB, text string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			t.Errorf("got:\n%s\nwant it to say %q", text, s)
		}
	}
}

// warnings joins those with a code.
func warnings(c *config.Config, code config.WarningCode) string {
	var lines []string
	for _, w := range c.Warnings {
		if w.Code == code {
			lines = append(lines, w.String())
		}
	}
	return strings.Join(lines, "\n")
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// everything grants every part.
func everything(config.Part) bool { return true }

// mine is a provider of the user's own.
const mine = `
[[providers]]
name = "mine"
base_url = "http://127.0.0.1:9/v1"
models = ["m1", "org/m2"]
api_key_env = "MINE_KEY"
`
