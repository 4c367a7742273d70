package doctor_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/commands/doctor"
	_ "reasonix/core/provider/openai"
	"reasonix/core/provider/providertest"
)

const secret = "sk-secret-of-the-doctor"

// A patient is an installation.
type patient struct {
	t          *testing.T
	home, work string
	environ    []string
}

func newPatient(t *testing.T, user string) *patient {
	t.Helper()
	p := &patient{t: t, home: t.TempDir(), work: t.TempDir()}
	p.environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home}
	if err := os.Chmod(p.home, 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(filepath.Join(p.home, "config.toml"), user)
	p.write(filepath.Join(p.home, ".env"), "BOX_KEY="+secret+"\n")
	return p
}

func (p *patient) write(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// run runs `doctor ARGS`, with the temporary directories shortened.
func (p *patient) run(args ...string) (out string, code int) {
	p.t.Helper()
	var o bytes.Buffer
	cmd := doctor.New(&cmdutil.App{Out: &o, Err: &o, Home: p.home, WorkDir: p.work, Environ: p.environ, Version: "1.2.3", Now: time.Now})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(p.t.Context())
	if strings.Contains(o.String(), secret) {
		p.t.Errorf("the key is shown:\n%s", o.String())
	}
	out = o.String()
	for dir, name := range map[string]string{p.home: "HOME", p.work: "WORK"} {
		if dir != "" {
			out = strings.ReplaceAll(out, filepath.ToSlash(dir), name)
		}
	}
	return out, cmdutil.CodeOf(err)
}

type check struct{ Name, Status, Detail, Fix string }

type report struct {
	Version, OS, Arch string
	Checks            []check
	OK                bool
}

func (p *patient) report(args ...string) (report, int) {
	p.t.Helper()
	out, code := p.run(append(args, "--json")...)
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	return r, code
}

// want checks one finding.
func (r report) want(t *testing.T, name, status string, says ...string) {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name != name {
			continue
		}
		if c.Status != status {
			t.Errorf("%s is %s, want %s: %s", name, c.Status, status, c.Detail)
		}
		for _, s := range says {
			if !strings.Contains(c.Detail+"\n"+c.Fix, s) {
				t.Errorf("%s does not say %q:\n%s\nfix: %s", name, s, c.Detail, c.Fix)
			}
		}
		return
	}
	t.Errorf("no check %s in %v", name, r.Checks)
}

func box(url string) string {
	return "default_model = \"box\"\n[[providers]]\nname = \"box\"\nbase_url = \"" + url + "\"\nmodel = \"m\"\napi_key_env = \"BOX_KEY\"\ncontext_window = 1000\n"
}

func TestHealthy(t *testing.T) {
	p := newPatient(t, box("http://127.0.0.1:9/v1"))
	r, code := p.report()
	if code != 0 || !r.OK || r.Version != "1.2.3" || r.OS != runtime.GOOS || r.Arch != runtime.GOARCH {
		t.Errorf("exit %d: %+v", code, r)
	}
	r.want(t, "version", "ok", "1.2.3", runtime.GOOS)
	r.want(t, "configuration", "ok", "HOME/config.toml", "WORK/reasonix.toml (not there)", "HOME/.env")
	r.want(t, "default model", "ok", "box/m")
	r.want(t, "provider box", "ok", "BOX_KEY from HOME/.env:1")
	r.want(t, "sandbox", healthySandbox, healthyWords)
	r.want(t, "shell", "ok")
	r.want(t, "sessions", "ok", "0 in 0 workspaces", "HOME/projects")
	r.want(t, "home", "ok", "HOME")
	r.want(t, "disk", "ok", "free at HOME")
	out, code := p.run()
	if code != 0 || !strings.Contains(out, "ok    provider box: ") || !strings.Contains(out, " 0 failed\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestBrokenFilesAreNamedAndTheRestGoesOn(t *testing.T) {
	p := newPatient(t, box("http://127.0.0.1:9/v1"))
	p.write(filepath.Join(p.work, "reasonix.toml"), "[ui]\ncursor_shape = 5\n")
	r, code := p.report()
	if code != 3 || r.OK {
		t.Errorf("exit %d", code)
	}
	r.want(t, "configuration", "fail", "WORK/reasonix.toml:2:", "mend")
	r.want(t, "provider box", "ok")
	p.write(filepath.Join(p.home, "config.toml"), "a = [\n")
	r, code = p.report()
	if code != 3 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "configuration", "fail", "HOME/config.toml:", "WORK/reasonix.toml:2:")
}

// TestCF04 also is the retired keys: each is named once.
func TestCF04UnknownAndRetiredKeys(t *testing.T) {
	p := newPatient(t, "permisions = 1\n"+box("http://127.0.0.1:9/v1")+"[agent]\nmax_steps = 3\n")
	r, code := p.report()
	if code != 0 {
		t.Errorf("exit %d: a warning is no failure", code)
	}
	r.want(t, "configuration", "warn", "permisions", "permissions", "HOME/config.toml:1", "agent.max_steps", "config migrate")
	if out, _ := p.run(); strings.Count(out, "agent.max_steps") != 1 {
		t.Errorf("a retired key is not named once:\n%s", out)
	}
}

func TestCF06WhichLayerWon(t *testing.T) {
	p := newPatient(t, box("http://127.0.0.1:9/v1")+"[tools]\nbash_timeout_seconds = 1\n")
	p.write(filepath.Join(p.work, "reasonix.toml"), "[tools]\nbash_timeout_seconds = 2\n")
	r, _ := p.report()
	r.want(t, "settings", "ok", `default_model = "box", HOME/config.toml:1`, `tools.bash_timeout_seconds = 2, WORK/reasonix.toml:2, over HOME/config.toml:9`)
	p.environ = append(p.environ, "REASONIX_TOOLS_BASH_TIMEOUT_SECONDS=3")
	r, _ = p.report()
	r.want(t, "settings", "ok", `tools.bash_timeout_seconds = 3, env REASONIX_TOOLS_BASH_TIMEOUT_SECONDS, over WORK/reasonix.toml:2, over HOME/config.toml:9`)
}

func TestCF08MissingKey(t *testing.T) {
	text := box("http://127.0.0.1:9/v1") + "[[providers]]\nname = \"spare\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\napi_key_env = \"SPARE_KEY\"\n"
	p := newPatient(t, text)
	p.environ = append(p.environ, "SPARE_KEY="+secret)
	r, code := p.report()
	if code != 0 {
		t.Errorf("exit %d: a spare provider may wait for its key", code)
	}
	r.want(t, "provider spare", "warn", "SPARE_KEY", "HOME/.env", "exported", "reasonix setup key SPARE_KEY")
	p.write(filepath.Join(p.home, ".env"), "BOX_KEY=\n")
	r, code = p.report()
	if code != 3 || r.OK {
		t.Errorf("exit %d", code)
	}
	r.want(t, "provider box", "fail", "BOX_KEY is empty in HOME/.env (line 1)", "reasonix setup key BOX_KEY")
}

func TestCF10NearMissInstructionFile(t *testing.T) {
	p := newPatient(t, box("http://127.0.0.1:9/v1"))
	p.write(filepath.Join(p.work, "AGENT.md"), "Be kind.\n")
	r, _ := p.report()
	r.want(t, "instructions", "warn", "AGENT.md", "the names that are read are REASONIX.md, AGENTS.md and CLAUDE.md")
}

func TestCF12IncompleteProvider(t *testing.T) {
	p := newPatient(t, "default_model = \"box\"\n[[providers]]\nname = \"box\"\nmodel = \"m\"\n")
	r, code := p.report()
	if code != 3 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "provider box", "fail", "base_url")
	r.want(t, "default model", "fail", "base_url")
}

func TestOnlineAsksEveryProvider(t *testing.T) {
	model := providertest.New(t)
	model.RequireKey(secret)
	p := newPatient(t, box(model.BaseURL()))
	r, code := p.report("--online")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "online box", "ok", "lists 1 model")
	model.RequireKey("another")
	r, code = p.report("--online")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "online box", "fail", "HTTP 401", "(first byte)", "reasonix setup")
	p = newPatient(t, box("http://127.0.0.1:1/v1"))
	r, code = p.report("--online")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "online box", "fail", "(connect)", "base_url")
}

func TestSessionsAreCountedAndReadForDamage(t *testing.T) {
	p := newPatient(t, box("http://127.0.0.1:9/v1"))
	dir := filepath.Join(p.home, "projects", "w-12345678", "sessions")
	p.write(filepath.Join(dir, "20260102-150405-a1b2c3.jsonl"), "garbage\n")
	p.write(filepath.Join(dir, "20260102-150405-a1b2c3.files", "ab"), strings.Repeat("x", 2048))
	r, code := p.report()
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "sessions", "warn", "1 in 1 workspace, 2.0 KiB in HOME/projects", "20260102-150405-a1b2c3")
}

func TestOpenHomeIsNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes do not say who may read
	}
	p := newPatient(t, box("http://127.0.0.1:9/v1"))
	for path, mode := range map[string]os.FileMode{p.home: 0o755, filepath.Join(p.home, ".env"): 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := p.report()
	r.want(t, "home", "warn", "mode 0755", "mode 0644", "chmod 700 HOME", "chmod 600 HOME/.env")
}

func TestNothingInstalled(t *testing.T) {
	p := newPatient(t, "")
	p.home, p.work = filepath.Join(p.home, "none"), ""
	p.environ = nil
	r, code := p.report()
	if code != 3 {
		t.Errorf("exit %d", code)
	}
	r.want(t, "home", "ok", "not there yet")
	r.want(t, "git", "warn", "not found")
	r.want(t, "provider deepseek", "fail", "reasonix setup key DEEPSEEK_API_KEY")
	if _, err := os.Stat(p.home); err == nil {
		t.Error("doctor made something")
	}
	p.home = ""
	r, _ = p.report()
	r.want(t, "home", "fail", "REASONIX_HOME")
}
