package permissions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/commands/permissions"
	_ "reasonix/core/tool/file"
	_ "reasonix/core/tool/plan"
	_ "reasonix/core/tool/recall"
	_ "reasonix/core/tool/search"
	_ "reasonix/core/tool/shell"
	_ "reasonix/core/tool/web"
)

// A desk is a home and a directory with their configuration, and the command at
// work in them.
type desk struct {
	t          *testing.T
	home, work string
	stdin      string
	tty        bool
}

func newDesk(t *testing.T, user, project string) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir(), work: t.TempDir()}
	for path, text := range map[string]string{filepath.Join(d.home, "config.toml"): user, filepath.Join(d.work, "reasonix.toml"): project} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// run runs `permissions ARGS`, with the temporary directories shortened to HOME
// and WORK in what it prints. The program's own line about an error is on errs.
func (d *desk) run(args ...string) (out, errs string, code int) {
	d.t.Helper()
	var o, e bytes.Buffer
	app := &cmdutil.App{
		Out: &o, Err: &e, In: strings.NewReader(d.stdin), StdoutTTY: d.tty, Home: d.home, WorkDir: d.work,
		Environ: []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH")}, Now: time.Now,
	}
	cmd := permissions.New(app)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err := cmd.Execute()
	if err != nil {
		e.WriteString(err.Error() + "\n" + cmdutil.HintOf(err) + "\n")
	}
	short := strings.NewReplacer(filepath.ToSlash(d.home), "HOME", filepath.ToSlash(d.work), "WORK", d.home, "HOME", d.work, "WORK")
	return short.Replace(o.String()), short.Replace(e.String()), cmdutil.CodeOf(err)
}

// text runs and wants success.
func (d *desk) text(args ...string) string {
	d.t.Helper()
	out, errs, code := d.run(args...)
	if code != 0 {
		d.t.Fatalf("permissions %v: exit %d\n%s%s", args, code, out, errs)
	}
	return out
}

// read runs with --output-format json and reads what it prints.
func (d *desk) read(code int, into any, args ...string) {
	d.t.Helper()
	out, errs, got := d.run(append(args[:1:1], append([]string{"--output-format", "json"}, args[1:]...)...)...)
	if got != code {
		d.t.Fatalf("permissions %v: exit %d, want %d\n%s%s", args, got, code, out, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		d.t.Fatalf("permissions %v: %v\n%s", args, err, out)
	}
}

// fails runs and wants an exit code and what stderr says.
func (d *desk) fails(code int, says string, args ...string) {
	d.t.Helper()
	out, errs, got := d.run(args...)
	if got != code || !strings.Contains(errs, says) || out != "" {
		d.t.Errorf("permissions %v: exit %d, want %d\n%s%swant it to say %q on stderr alone", args, got, code, out, errs, says)
	}
}
