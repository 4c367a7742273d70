package mcp

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// changed is what remove, enable and disable print as JSON.
type changed struct {
	Server  string `json:"server"`
	Did     string `json:"did"` // removed, enabled, disabled
	File    string `json:"file"`
	Changed bool   `json:"changed"`
}

func newRemove(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a server from your configuration or the project's",
		Long: `Remove a server's block from the file that has it: yours first, else this directory's reasonix.toml. Every
other line stays, and the old file is kept beside it as .bak. What it kept in <home>/mcp-state stays, too.
.mcp.json belongs to other programs and is not written.`,
		Example: `  reasonix mcp remove files
  reasonix mcp remove --scope project tests`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: d.completeNames(nil),
	}
	c := changeFlags(d, cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return c.run(args[0], "removed", config.RemoveServer) }
	return cmd
}

func newEnable(d *desk, on bool) *cobra.Command {
	verb, did := "enable", "enabled"
	if !on {
		verb, did = "disable", "disabled"
	}
	cmd := &cobra.Command{
		Use:   verb + " NAME",
		Short: map[bool]string{true: "Turn a server on", false: "Turn a server off and keep it"}[on],
		Long: fmt.Sprintf(`Set enabled = %v in the block of a server: in your file, else in this directory's reasonix.toml. It counts from
the next session on. .mcp.json belongs to other programs and is not written: a server of it is turned off by
taking your trust back (reasonix mcp trust --revoke NAME).`, on),
		Example:           "  reasonix mcp " + verb + " files",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: d.completeNames(func(e entry) bool { return (e.State == stateOff) == on && e.State != stateUntrusted }),
	}
	c := changeFlags(d, cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return c.run(args[0], did, func(path, name string) (config.Change, error) { return config.EnableServer(path, name, on) })
	}
	return cmd
}

// A changer changes a server where it is declared.
type changer struct {
	*desk
	scope, format *string
}

func changeFlags(d *desk, cmd *cobra.Command) *changer {
	return &changer{
		desk: d, scope: cmdutil.EnumFlag(cmd, "scope", "auto", "whose configuration", "auto", scopeUser, scopeProject),
		format: cmdutil.OutputFormat(cmd),
	}
}

// run changes the server in the first file that has it.
func (c *changer) run(name, did string, edit func(path, name string) (config.Change, error)) error {
	scopes := []string{*c.scope}
	if *c.scope == "auto" {
		scopes = []string{scopeUser, scopeProject}
	}
	for _, scope := range scopes {
		file, err := c.file(scope)
		if err != nil {
			return err
		}
		change, err := edit(file, name)
		var refused *config.ServerError
		if errors.As(err, &refused) && refused.Unknown {
			continue
		}
		if err != nil {
			return err
		}
		return c.report(changed{Server: name, Did: did, File: slash(change.Path), Changed: change.Changed()})
	}
	cfg, _ := c.load(false) // what is good is enough to say where it is
	e, err := find(cfg, name)
	if err != nil {
		return err
	}
	return cmdutil.WithHint(cmdutil.Usagef("server %s is declared in %s, which this does not change", name, e.place()),
		"its trust is taken back with: reasonix mcp trust --revoke "+word(name))
}

func (c *changer) report(out changed) error {
	if *c.format == cmdutil.JSON {
		return cmdutil.PrintJSON(c.app.Out, out)
	}
	if !out.Changed {
		_, err := fmt.Fprintf(c.app.Out, "%s was %s already in %s\n", config.Printable(out.Server), out.Did, out.File)
		return err
	}
	_, err := fmt.Fprintf(c.app.Out, "%s %s in %s\n", out.Did, config.Printable(out.Server), out.File)
	return err
}
