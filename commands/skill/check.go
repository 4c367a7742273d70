package skill

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/skill"
)

// checked is what check prints for a script.
type checked struct {
	OK       bool      `json:"ok"`
	Skills   int       `json:"skills"` // how many were looked at
	Problems []problem `json:"problems"`
}

func newCheck(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [PATH]",
		Short: "Look for skills that are not what they seem",
		Long: `Look for skills that are not what they seem: files that are skipped, and why; descriptions that are missing or
too long to be shown whole; keys that are nearly right; files the text speaks of that are not there.

PATH is a skill or a directory of skills anywhere, such as one you were sent; nothing of it is run. Without it
the skills that count here are looked at. It exits with 0 when there is nothing to say, with 1 when there is,
with 2 when there is no such PATH.`,
		Example: `  reasonix skill check
  reasonix skill check .reasonix/skills/release
  reasonix skill check --output-format json | jq -r '.problems[].text'`,
		Args: cobra.MaximumNArgs(1),
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		found, err := subject(app, args)
		if err != nil {
			return err
		}
		problems := found.Problems
		for _, s := range found.Skills {
			problems = append(problems, s.Lint()...)
		}
		result := checked{OK: len(problems) == 0, Skills: len(found.Skills), Problems: problemsOf(problems)}
		if err := result.print(app, *format); err != nil || result.OK {
			return err
		}
		return cmdutil.Exit(cmdutil.CodeInternal, nil)
	}
	return cmd
}

// subject is what is checked.
func subject(app *cmdutil.App, args []string) (skill.Found, error) {
	if len(args) == 0 {
		return load(app, app.Err)
	}
	path := args[0]
	if !filepath.IsAbs(path) {
		dir, err := app.RequireWorkDir()
		if err != nil {
			return skill.Found{}, err
		}
		path = filepath.Join(dir, path)
	}
	found, err := skill.Check(path)
	return found, cmdutil.Usage(err)
}

func (c checked) print(app *cmdutil.App, format string) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(app.Out, c)
	}
	for _, p := range c.Problems {
		if _, err := fmt.Fprintln(app.Out, p.line()); err != nil {
			return err
		}
	}
	if !c.OK {
		return nil
	}
	_, err := fmt.Fprintf(app.Out, "%s, nothing to say\n", cmdutil.Count(c.Skills, "skill"))
	return err
}
