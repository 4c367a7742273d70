// Package config is `reasonix config`: show what counts and where it is from,
// explain one key, name the files, change one key, check the files, and remove
// retired keys. It runs with a broken file and says what is wrong with it. The
// work is in core/config; this package turns it into text and JSON, in which no
// secret appears. The root command adds it to the tree.
package config

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, explain, check and change the configuration",
		Long: `Show, explain, check and change the configuration.

reasonix reads <home>/config.toml, which is yours, and reasonix.toml in the working directory, which is
the project's. A flag beats a REASONIX_* variable, which beats the project's file, which beats yours,
which beats the defaults. What a project's file widens is off until you grant it: reasonix permissions
trust. Provider keys are in <home>/.env alone and are never printed.

These commands run with a broken file, too.`,
		Example: `  reasonix config show --origin
  reasonix config explain tools.bash_timeout_seconds
  reasonix config set permissions.mode ask`,
	}
	cmd.AddCommand(newShow(app), newExplain(app), newPath(app), newSet(app), newCheck(app), newMigrate(app))
	return cmd
}

// input is the configuration's world in this invocation.
func input(app *cmdutil.App) config.Input {
	return wire.Input(app.Home, app.WorkDir, app.Environ)
}

// load is the configuration with every warning about it, also of what only the
// program with its tools can tell.
func load(in config.Input) (*config.Config, error) {
	c, err := config.LoadLenient(in)
	c.Warnings = append(c.Warnings, wire.UnknownTools(c)...)
	return c, err
}

// problem is an error or warning in JSON.
type problem struct {
	Level   string   `json:"level"` // error, warning
	Code    string   `json:"code,omitempty"`
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Keys    []string `json:"keys,omitempty"`
	Message string   `json:"message"`
}

// problems lists what is wrong, errors first.
func problems(c *config.Config, err error) []problem {
	list := []problem{}
	known := config.Errors(err)
	for _, e := range known {
		p := problem{Level: "error", Code: "invalid", File: slash(e.File), Line: e.Line, Column: e.Column, Message: slash(e.Error())}
		if e.Key != "" {
			p.Keys = strings.Split(e.Key, ", ")
		}
		list = append(list, p)
	}
	if err != nil && len(known) == 0 {
		list = append(list, problem{Level: "error", Code: "invalid", Message: err.Error()})
	}
	for _, w := range c.Warnings {
		list = append(list, problem{Level: "warning", Code: string(w.Code), File: slash(w.File), Line: w.Line, Column: w.Column, Keys: w.Keys, Message: slash(w.String())})
	}
	return list
}

func printProblems(w io.Writer, list []problem) {
	for _, p := range list {
		fmt.Fprintf(w, "%s: %s\n", p.Level, p.Message)
	}
}

// broken is the exit of a command that has shown the errors itself.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return cmdutil.Exit(cmdutil.CodeConfig, nil)
}

// text is a value as a person reads it: TOML.
func text(v any) string {
	if v == nil {
		return "(not set)"
	}
	if v == config.Hidden {
		return config.Hidden
	}
	return config.Render(v)
}

// origin is an Origin in JSON.
type origin struct {
	Layer  string `json:"layer"`
	Source string `json:"source,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func originOf(o config.Origin) origin {
	return origin{Layer: string(o.Layer), Source: slash(o.Name), Line: o.Line, Column: o.Column}
}

// slash shows a path with forward slashes, on every system.
func slash(s string) string { return filepath.ToSlash(s) }

// unknownKey gives a mistyped key its exit code.
func unknownKey(err error) error {
	var coded interface{ ExitCode() int }
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return cmdutil.Usage(err)
}
