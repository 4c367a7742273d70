package config

import (
	"fmt"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
)

type checked struct {
	OK       bool      `json:"ok"`
	Problems []problem `json:"problems"`
}

func newCheck(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration files, unknown keys included",
		Long: `Check the configuration files: every error and warning with its file, line and column.

Unlike other commands, check calls an unknown key, and a rule for an unknown tool, an error. It exits with 3 when there is an error.`,
		Example: `  reasonix config check
  reasonix config check --output-format json`,
		Args: cobra.NoArgs,
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		c, err := load(input(app))
		result := checked{OK: true, Problems: strict(problems(c, err))}
		for _, p := range result.Problems {
			result.OK = result.OK && p.Level != "error"
		}
		if err := printChecked(app, result, *format); err != nil || result.OK {
			return err
		}
		return cmdutil.Exit(cmdutil.CodeConfig, nil)
	}
	return cmd
}

func printChecked(app *cmdutil.App, result checked, format string) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(app.Out, result)
	}
	printProblems(app.Err, result.Problems)
	if !result.OK {
		return nil
	}
	_, err := fmt.Fprintln(app.Out, "the configuration is good")
	return err
}

// strict makes errors of what leaves a key without effect by mistake.
func strict(list []problem) []problem {
	for i := range list {
		switch config.WarningCode(list[i].Code) {
		case config.WarnUnknownKey, config.WarnUnknownModel, config.WarnIncomplete, wire.WarnUnknownTool:
			list[i].Level = "error"
		default: // no slip of the pen: it stays a warning
		}
	}
	return list
}
