// Package doctor is `reasonix doctor`: it looks at an installation and says what
// is the case, what is wrong and what to do about it. It runs with a broken
// configuration, changes nothing, and prints no key. Every line is a core/doctor
// Check; what a check needs of a session's parts it asks commands/wire for. The
// root command adds it to the tree.
package doctor

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/doctor"
)

const long = `Check the installation and say what to do about what is wrong.

It looks at the configuration files and which layer won, instruction files that are not read, the
default model, each provider's key (its presence, never its value), the sandbox, the shell, the stored
sessions, the home directory's permissions, disk space and git. It works with a broken configuration and
changes nothing. --online also asks every provider that has its key.

It exits with 0 when nothing failed (warnings do not count), with 3 when a check of the configuration or
of a key failed, and with 1 when another one did.`

// Limits of one check. Asking an endpoint takes longer than looking at a file.
const (
	localLimit  = 10 * time.Second
	onlineLimit = 20 * time.Second
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and say how to mend it",
		Long:  long,
		Example: `  reasonix doctor
  reasonix doctor --online
  reasonix doctor --json | jq '.checks[] | select(.status != "ok")'`,
		Args: cobra.NoArgs,
	}
	online := cmd.Flags().Bool("online", false, "also ask every provider that has its key")
	asJSON := cmd.Flags().Bool("json", false, "the same as --output-format json")
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		x := newExamination(app, *online)
		results := x.run(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := printResults(app, results, *asJSON || *format == cmdutil.JSON); err != nil {
			return err
		}
		return cmdutil.Exit(x.exitCode(results), nil)
	}
	return cmd
}

// An examination is one run of doctor: what it looks at, and the checks.
type examination struct {
	app    *cmdutil.App
	world  wire.World
	cfg    *config.Config
	broken error // why cfg is not all of the configuration
	checks []doctor.Check
	// settles names the checks of configuration and keys, which decide the exit
	// code.
	settles map[string]bool
	online  bool
}

func newExamination(app *cmdutil.App, online bool) *examination {
	x := &examination{
		app:   app,
		world: wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now}, settles: map[string]bool{}, online: online,
	}
	x.cfg, x.broken = config.LoadLenient(wire.Input(app.Home, app.WorkDir, app.Environ))
	x.cfg.Warnings = append(x.cfg.Warnings, wire.UnknownTools(x.cfg)...)
	x.add("version", x.version)
	x.configuration("configuration", x.files)
	x.configuration("settings", x.settings)
	x.add("instructions", x.instructions)
	x.configuration("default model", x.defaultModel)
	x.providers()
	x.add("sandbox", x.sandbox)
	x.configuration("shell", x.shell)
	x.add("sessions", x.sessions)
	x.add("home", x.home)
	x.add("disk", x.disk)
	x.add("git", x.git)
	return x
}

func (x *examination) add(name string, run func(context.Context) doctor.Finding) {
	x.checks = append(x.checks, doctor.Func(name, run))
}

func (x *examination) configuration(name string, run func(context.Context) doctor.Finding) {
	x.settles[name] = true
	x.add(name, run)
}

func (x *examination) run(ctx context.Context) []doctor.Result {
	limit := localLimit
	if x.online {
		limit = onlineLimit
	}
	results := doctor.Run(ctx, limit, x.checks...)
	for i := range results {
		results[i].Detail, results[i].Fix = x.clean(results[i].Detail), x.clean(results[i].Fix)
	}
	return results
}

// clean removes what must not be shown: secrets, should one have got into a text.
func (x *examination) clean(text string) string {
	for _, secret := range x.cfg.SecretValues() {
		text = strings.ReplaceAll(text, secret, config.Hidden)
	}
	return text
}

func (x *examination) exitCode(results []doctor.Result) int {
	code := cmdutil.CodeOK
	for _, r := range results {
		switch {
		case r.Status != doctor.Fail:
		case x.settles[r.Name]:
			return cmdutil.CodeConfig
		default:
			code = cmdutil.CodeInternal
		}
	}
	return code
}

// report is what --json prints.
type report struct {
	Version string          `json:"version"`
	OS      string          `json:"os"`
	Arch    string          `json:"arch"`
	Checks  []doctor.Result `json:"checks"`
	OK      bool            `json:"ok"`
}

func printResults(app *cmdutil.App, results []doctor.Result, asJSON bool) error {
	if asJSON {
		return cmdutil.PrintJSON(app.Out, report{
			Version: app.Version, OS: runtime.GOOS, Arch: runtime.GOARCH,
			Checks: results, OK: doctor.Worst(results) != doctor.Fail,
		})
	}
	count := map[doctor.Status]int{}
	for _, r := range results {
		count[r.Status]++
		fmt.Fprintf(app.Out, "%-4s  %s: %s\n", r.Status, r.Name, indented(r.Detail))
		if r.Fix != "" {
			fmt.Fprintf(app.Out, "      fix: %s\n", indented(r.Fix))
		}
	}
	_, err := fmt.Fprintf(app.Out, "\n%d ok, %s, %d failed\n", count[doctor.OK], cmdutil.Count(count[doctor.Warn], "warning"), count[doctor.Fail])
	return err
}

// indented puts the lines behind the first one below it.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n        ") }
