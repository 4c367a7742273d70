package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reasonix/commands/cmdutil"
)

// gcPercent trades 3 MB of memory for a seventh of the processor time of a
// resume: a journal that is read is mostly kept.
const gcPercent = 200

// Main runs reasonix with args (without the program's name) on the three
// standard streams and returns the exit code. version is what the linker
// stamped. It is the only place that turns an error into text.
func Main(version string, args []string, in, out, errs *os.File) int {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-v") {
		if _, err := fmt.Fprintln(out, "reasonix "+cmdutil.Version(version)); err != nil { // before anything is built
			fmt.Fprintf(errs, "reasonix: %v\n", unwritten(err))
			return cmdutil.CodeInternal
		}
		return cmdutil.CodeOK
	}
	app := cmdutil.System(version, in, out, errs)
	if app.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	return Execute(context.Background(), app, args)
}

// Execute is Main in a given world, for tests and for Main.
func Execute(ctx context.Context, app *cmdutil.App, args []string) int {
	root := Root(app)
	root.SetArgs(args)
	err := withLostOutput(app, root.ExecuteContext(ctx))
	report(app, err)
	return cmdutil.CodeOf(err)
}

// withLostOutput is err, or what was not written where the command says nothing itself: help, for
// one, does not look whether it was.
func withLostOutput(app *cmdutil.App, err error) error {
	out, ok := app.Out.(*cmdutil.PipeWriter)
	if !ok || out.Err() == nil || err != nil && !silent(err) {
		return err
	}
	return cmdutil.Exit(max(cmdutil.CodeOf(err), cmdutil.CodeInternal), unwritten(out.Err()))
}

func unwritten(err error) error { return fmt.Errorf("the output could not be written: %w", err) }

// silent reports whether the command has said itself what err is about.
func silent(err error) bool {
	var exit *cmdutil.ExitError
	return errors.As(err, &exit) && exit.Err == nil
}

// report prints err as one text, and one line that says what to do about it. A
// command that reported by itself returns an ExitError without an error.
func report(app *cmdutil.App, err error) {
	if err == nil || silent(err) {
		return
	}
	fmt.Fprintf(app.Err, "reasonix: %s\n", cmdutil.Shown(strings.TrimSpace(err.Error())))
	if hint := cmdutil.HintOf(err); hint != "" {
		fmt.Fprintf(app.Err, "hint: %s\n", cmdutil.Shown(hint))
	}
}

// flagError turns what pflag says into a usage error with the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	hint := "run '" + cmd.CommandPath() + " --help' for its flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := cmdutil.Nearest(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" {
			hint = "did you mean --" + near + "?"
		}
	}
	return cmdutil.WithHint(cmdutil.Usage(err), hint)
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
