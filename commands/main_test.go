package commands_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands"
	"reasonix/commands/cmdutil"
)

// execute runs args in a world without home, terminal or input.
func execute(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	app := &cmdutil.App{
		In: strings.NewReader(""), Out: &o, Err: &e, WorkDir: t.TempDir(), Home: t.TempDir(),
		Version: "1.2.3", Now: func() time.Time { return time.Unix(0, 0).UTC() },
	}
	code = commands.Execute(t.Context(), app, args)
	return code, o.String(), e.String()
}

func TestMistakesAreUsageErrorsWithAHint(t *testing.T) {
	for _, c := range []struct {
		args []string
		errs string
	}{
		{[]string{"verson"}, "reasonix: unknown command \"verson\" for \"reasonix\"\nhint: did you mean 'reasonix version'?\n"},
		{[]string{"zzzz"}, "reasonix: unknown command \"zzzz\" for \"reasonix\"\nhint: run 'reasonix --help' for the list of commands\n"},
		{[]string{"version", "--output-fromat", "json"}, "reasonix: unknown flag: --output-fromat\nhint: did you mean --output-format?\n"},
		{[]string{"session", "show"}, "reasonix: reasonix session show wants ID: no argument was given\nhint: run 'reasonix session show --help'\n"},
		{[]string{"session", "rename", "x"}, "reasonix: reasonix session rename wants ID TITLE: 1 argument given\nhint: run 'reasonix session rename --help'\n"},
		{[]string{"version", "extra"}, "reasonix: unknown command \"extra\" for \"reasonix version\"\nhint: run 'reasonix version --help'\n"},
		{[]string{"version", "--output-format", "xml"}, "reasonix: invalid argument \"xml\" for \"--output-format\" flag: must be one of text, json\nhint: run 'reasonix version --help' for its flags\n"},
		{[]string{"help", "nope"}, "reasonix: unknown command \"nope\" for \"reasonix\"\nhint: run 'reasonix --help' for the list of commands\n"},
		{[]string{"help", "verson"}, "reasonix: unknown command \"verson\" for \"reasonix\"\nhint: did you mean 'reasonix version'?\n"},
		{[]string{"help", "config", "shwo"}, "reasonix: unknown command \"shwo\" for \"reasonix config\"\nhint: did you mean 'reasonix config show'?\n"},
		{[]string{"help", "run", "nope"}, "reasonix: unknown command \"nope\" for \"reasonix run\"\nhint: run 'reasonix run --help'\n"},
		{[]string{"completion", "tcsh"}, "reasonix: unknown command \"tcsh\" for \"reasonix completion\"\nhint: run 'reasonix completion --help' for the list of commands\n"},
	} {
		code, out, errs := execute(t, c.args...)
		if code != 2 || out != "" || errs != c.errs {
			t.Errorf("%q: exit %d, stdout %q, stderr\n%s\nwant exit 2, nothing, and\n%s", c.args, code, out, errs, c.errs)
		}
	}
}

func TestAloneItPrintsShortHelp(t *testing.T) {
	code, out, errs := execute(t)
	if code != 0 || errs != "" || !strings.Contains(out, "Usage:\n  reasonix <command>") {
		t.Errorf("exit %d, stderr %q, stdout\n%s", code, errs, out)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"-v"}} {
		if code, out, _ := execute(t, args...); code != 0 || out != "reasonix 1.2.3\n" {
			t.Errorf("%q: exit %d, %q", args, code, out)
		}
	}
	_, out, _ := execute(t, "version", "--output-format", "json")
	var got struct{ Version, Target, Go string }
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Version != "1.2.3" || got.Target == "" || got.Go == "" {
		t.Errorf("%v: %s", err, out)
	}
}

// Every command says what it does and lists its exit codes, and its help works.
func TestEveryCommandHasHelp(t *testing.T) {
	root := commands.Root(&cmdutil.App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		var help strings.Builder
		cmdutil.PrintHelp(&help, cmd)
		if cmd.Short == "" || !strings.Contains(help.String(), "\nExit codes:\n") {
			t.Errorf("%s: help is incomplete:\n%s", cmd.CommandPath(), help.String())
		}
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(root)
}

// What `help` prints is what --help prints.
func TestHelpIsTheFlag(t *testing.T) {
	for _, words := range [][]string{{}, {"run"}, {"config", "set"}} {
		code, out, errs := execute(t, append([]string{"help"}, words...)...)
		_, want, _ := execute(t, append(words, "--help")...)
		if code != 0 || errs != "" || out != want {
			t.Errorf("help %q: exit %d, stderr %q, stdout\n%s\nwant\n%s", words, code, errs, out, want)
		}
	}
}

// A script looks its exit codes up in the help of the command it runs.
func TestHelpOfRunListsEveryExitCode(t *testing.T) {
	for _, name := range []string{"run", "acp"} {
		_, out, _ := execute(t, name, "--help")
		_, list, _ := strings.Cut(out, "\nExit codes:\n")
		want := ""
		for _, e := range cmdutil.ExitCodes() {
			if name == "run" || e.Code <= cmdutil.CodeConfig || e.Code >= cmdutil.CodeSIGINT {
				want += fmt.Sprintf("  %-4d %s\n", e.Code, e.Meaning)
			}
			if e.Code == cmdutil.CodeLimit && !strings.Contains(e.Meaning, "context") {
				t.Errorf("%d: %s: want the context among the limits", e.Code, e.Meaning)
			}
		}
		if list != want {
			t.Errorf("help of %s lists\n%s\nwant\n%s", name, list, want)
		}
	}
}

// full is a stream on a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// What a command prints and what is lost is no success, whoever prints it. A reader that
// left is none of its business.
func TestLostOutputIsAnError(t *testing.T) {
	var all [][]string
	var collect func(c *cobra.Command, path []string)
	collect = func(c *cobra.Command, path []string) {
		all = append(all, append(slices.Clone(path), "--help"))
		for _, child := range c.Commands() {
			collect(child, append(slices.Clone(path), child.Name()))
		}
	}
	collect(commands.Root(&cmdutil.App{}), nil)
	all = append(all, nil, []string{"--version"}, []string{"help", "run"}, []string{"version"}, []string{"config", "show"}, []string{"doctor"}, []string{"permissions", "list"})
	for _, args := range all {
		for lost, want := range map[io.Writer]int{full{}: 1, gone{}: 0} {
			var errs bytes.Buffer
			app := &cmdutil.App{
				In: strings.NewReader(""), Out: cmdutil.NewPipeWriter(lost), Err: &errs, WorkDir: t.TempDir(), Home: t.TempDir(), Now: time.Now,
			}
			code := commands.Execute(t.Context(), app, args)
			if want == 1 && (code == 0 || !strings.Contains(errs.String(), "no space left")) || want == 0 && strings.Contains(errs.String(), "written") {
				t.Errorf("%q: exit %d, %s", args, code, errs.String())
			}
		}
	}
}

// gone is a stream whose reader left.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
