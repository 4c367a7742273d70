package permissions

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/permission"
)

const checkLong = `Look for rules that do not do what they seem to: that no call matches, that another rule makes superfluous
or beats, that allow far too much or hit far too little, or that speak of a tool there is not.

FILE is a configuration file, such as a reasonix.toml somebody sent; without it the rules in force here are
looked at, those that wait for a grant too. It exits with 0 when there is nothing to say, with 1 when there is.`

// checked is what check prints for a script.
type checked struct {
	OK       bool      `json:"ok"`
	Rules    int       `json:"rules"` // how many were looked at
	Findings []finding `json:"findings"`
}

func newCheck(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Look for rules that do not do what they seem to",
		Long:  checkLong,
		Example: `  reasonix permissions check
  reasonix permissions check reasonix.toml
  reasonix permissions check --output-format json | jq -r '.findings[] | "\(.file):\(.line) \(.kind)"'`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		rules, policy, err := subject(app, args)
		if err != nil {
			return err
		}
		result := checked{Rules: len(rules), Findings: lint(rules, policy)}
		result.OK = len(result.Findings) == 0
		if err := result.print(app, *format); err != nil || result.OK {
			return err
		}
		return cmdutil.Exit(cmdutil.CodeInternal, nil)
	}
	return cmd
}

// subject is what is checked: the rules of the file in args, or those of the
// configuration here; and the policy they stand in.
func subject(app *cmdutil.App, args []string) ([]standing, permission.Policy, error) {
	dir, err := app.RequireWorkDir()
	if err != nil {
		return nil, permission.Policy{}, err
	}
	cfg, err := load(app, dir)
	var rules []standing
	if len(args) == 1 {
		cfg, rules, err = loadFile(app, absolute(dir, args[0]))
	} else if err == nil {
		rules = standings(cfg, map[string][]byte{})
	}
	if err != nil {
		return nil, permission.Policy{}, err
	}
	bare := *cfg
	bare.Permissions.Allow, bare.Permissions.Ask, bare.Permissions.Deny = nil, nil, nil
	policy, err := world(app).Policy(&bare, cmp.Or(cfg.Sandbox.WorkspaceRoot, dir))
	return rules, policy, err
}

// loadFile reads one file as if it were the user's, and nothing else: below a file
// there is no further one.
func loadFile(app *cmdutil.App, file string) (*config.Config, []standing, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, cmdutil.Usage(err)
	}
	as, _, _ := config.Files(config.Input{Home: file})
	texts := map[string][]byte{as: text}
	environ := slices.DeleteFunc(slices.Clone(app.Environ), func(e string) bool { return strings.HasPrefix(e, "REASONIX_") })
	cfg, err := config.Load(config.Input{Home: file, Environ: environ, Texts: texts})
	for _, e := range config.Errors(err) {
		if e.File == as {
			e.File = file
		}
	}
	if err != nil {
		return nil, nil, err
	}
	rules := standings(cfg, texts)
	for i := range rules {
		rules[i].file = filepath.ToSlash(file)
	}
	return cfg, rules, nil
}

func (c checked) print(app *cmdutil.App, format string) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(app.Out, c)
	}
	var b strings.Builder
	for _, f := range c.Findings {
		fmt.Fprintf(&b, "%s: %s %s: %s\n", config.Printable(f.place), f.Verdict, config.Printable(f.Rule), config.Printable(f.Message))
		if f.Hint != "" {
			fmt.Fprintf(&b, "    %s\n", config.Printable(f.Hint))
		}
	}
	if c.OK {
		fmt.Fprintf(&b, "%s, nothing to say\n", cmdutil.Count(c.Rules, "rule"))
	} else {
		fmt.Fprintf(&b, "\n%s, %s\n", cmdutil.Count(c.Rules, "rule"), cmdutil.Count(len(c.Findings), "finding"))
	}
	_, err := io.WriteString(app.Out, b.String())
	return err
}
