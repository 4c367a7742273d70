package cmdutil_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

func TestColorNeedsAWillingTerminal(t *testing.T) {
	for _, c := range []struct {
		name    string
		tty     bool
		environ []string
		want    bool
	}{
		{"a terminal", true, nil, true},
		{"a pipe", false, nil, false},
		{"NO_COLOR", true, []string{"NO_COLOR=1"}, false},
		{"an empty NO_COLOR says nothing", true, []string{"NO_COLOR="}, true},
		{"dumb", true, []string{"TERM=dumb"}, false},
		{"CI", true, []string{"CI=true"}, false},
		{"CI=false", true, []string{"CI=false"}, true},
	} {
		app := cmdutil.App{StdoutTTY: c.tty, StderrTTY: c.tty, Environ: c.environ}
		if got := app.ColorOut(); got != c.want {
			t.Errorf("%s: ColorOut = %v, want %v", c.name, got, c.want)
		}
		if got := app.ColorErr(); got != c.want {
			t.Errorf("%s: ColorErr = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGetenvTakesTheLastSetting(t *testing.T) {
	if got := cmdutil.Getenv([]string{"A=1", "B=", "A=2=3"}, "A"); got != "2=3" {
		t.Errorf("got %q, want 2=3", got)
	}
}

func TestPathHome(t *testing.T) {
	dir := t.TempDir()
	if got := cmdutil.PathHome([]string{"HOME=/h", "REASONIX_HOME=" + dir}); got != dir {
		t.Errorf("REASONIX_HOME: got %q, want %q", got, dir)
	}
	if got := cmdutil.PathHome([]string{"REASONIX_HOME=rel"}); !filepath.IsAbs(got) {
		t.Errorf("relative REASONIX_HOME: got %q, want an absolute path", got)
	}
	if got := cmdutil.PathHome(nil); got != "" {
		t.Errorf("no home: got %q, want nothing", got)
	}
	environ, want := []string{"HOME=" + dir}, filepath.Join(dir, ".reasonix")
	if runtime.GOOS == "windows" {
		environ, want = []string{"APPDATA=" + dir}, filepath.Join(dir, "reasonix")
	}
	if got := cmdutil.PathHome(environ); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type refused struct{}

func (refused) Error() string { return "refused" }
func (refused) ExitCode() int { return 6 }
func (refused) Hint() string  { return "ask otherwise" }

func TestErrorsCarryCodesAndHints(t *testing.T) {
	plain := errors.New("plain")
	for _, c := range []struct {
		err  error
		code int
		hint string
	}{
		{nil, 0, ""},
		{plain, 1, ""},
		{cmdutil.Usage(plain), 2, ""},
		{fmt.Errorf("wrapped: %w", cmdutil.Exit(5, plain)), 5, ""},
		{cmdutil.Exit(7, nil), 7, ""},
		{fmt.Errorf("run: %w", refused{}), 6, "ask otherwise"},
		{cmdutil.WithHint(cmdutil.Exit(3, plain), "store a key"), 3, "store a key"},
		{&cmdutil.SignalError{Signal: os.Interrupt}, 130, ""},
		{&cmdutil.SignalError{Signal: syscall.SIGTERM}, 143, ""},
	} {
		if got := cmdutil.CodeOf(c.err); got != c.code {
			t.Errorf("%v: code %d, want %d", c.err, got, c.code)
		}
		if got := cmdutil.HintOf(c.err); got != c.hint {
			t.Errorf("%v: hint %q, want %q", c.err, got, c.hint)
		}
	}
	if cmdutil.Exit(0, nil) != nil || cmdutil.Usage(nil) != nil || cmdutil.WithHint(nil, "x") != nil {
		t.Error("no error became an error")
	}
	if !errors.Is(cmdutil.WithHint(cmdutil.Usage(plain), "x"), plain) {
		t.Error("the original error is lost in wrapping")
	}
}

func TestPipeWriterGoesQuietWhenTheReaderLeaves(t *testing.T) {
	r, w := io.Pipe()
	out := cmdutil.NewPipeWriter(w)
	if out.Broken() {
		t.Fatal("broken before anything was written")
	}
	r.Close()
	for range 2 {
		if n, err := out.Write([]byte("text")); n != 4 || err != nil {
			t.Errorf("write to a closed pipe: %d, %v; want 4, nil", n, err)
		}
	}
	if !out.Broken() {
		t.Error("Broken = false after the reader left")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestPipeWriterReportsOtherErrors(t *testing.T) {
	if _, err := cmdutil.NewPipeWriter(full{}).Write([]byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
}

func TestPrintJSONIsStable(t *testing.T) {
	var a, b bytes.Buffer
	v := map[string]any{"z": "<&>", "a": []int{1}}
	if err := errors.Join(cmdutil.PrintJSON(&a, v), cmdutil.PrintJSON(&b, v)); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"a\": [\n    1\n  ],\n  \"z\": \"<&>\"\n}\n"
	if d := cmp.Diff(want, a.String()); d != "" || a.String() != b.String() {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"run", "doctor", "version", "config"}
	for word, want := range map[string]string{
		"rnu": "run", "docter": "doctor", "verson": "version", "cofnig": "config",
		"zzz": "", "": "", "permissions": "",
	} {
		if got := cmdutil.Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestHelpListsOnlyTheExitCodesOfTheCommand(t *testing.T) {
	cmd := &cobra.Command{Use: "run", Short: "Run it", Run: func(*cobra.Command, []string) {}}
	cmdutil.MayExit(cmd, cmdutil.CodeLimit)
	var out strings.Builder
	cmdutil.PrintHelp(&out, cmd)
	if s := out.String(); !strings.Contains(s, "  5    a limit") || strings.Contains(s, "SIGINT") {
		t.Errorf("help is wrong:\n%s", s)
	}
}
