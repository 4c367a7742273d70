package mcp

import (
	"errors"
	"fmt"
	"path/filepath"

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
the next session on. .mcp.json belongs to other programs and is not written: for a server of it your own file
notes, in tools.mcp_disabled, that it is off in this directory; your trust in it stays. --scope user does so for a
server of reasonix.toml, too.`, on),
		Example:           "  reasonix mcp " + verb + " files",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: d.completeNames(func(e entry) bool { return (e.State == stateOff) == on }),
	}
	c := changeFlags(d, cmd)
	c.others = func(e entry) error { return c.turn(e, did, on) }
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if on && *c.scope != scopeProject {
			if done, err := c.allow(args[0]); done || err != nil {
				return err
			}
		}
		return c.run(args[0], did, func(path, name string) (config.Change, error) { return config.EnableServer(path, name, on) })
	}
	return cmd
}

// A changer changes a server where it is declared.
type changer struct {
	*desk
	scope, format *string
	others        func(entry) error // changes one of a file that is not written; nil: nothing does
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
	elsewhere := filepath.Base(e.File) == config.ServersFileName
	if c.others != nil && (elsewhere && *c.scope == "auto" || e.Declared == scopeProject && *c.scope == scopeUser) {
		return c.others(e)
	}
	return cmdutil.WithHint(cmdutil.Usagef("server %s is declared in %s, which this does not change", name, e.place()), c.instead(e))
}

// instead is what to do about a server where it is not changed.
func (c *changer) instead(e entry) string {
	switch {
	case filepath.Base(e.File) != config.ServersFileName:
		return "leave out --scope"
	case c.others != nil:
		return "leave out --scope project: your own file notes it"
	}
	return "turn it off here: reasonix mcp disable " + word(e.Name) + "; or take its trust back: reasonix mcp trust --revoke " + word(e.Name)
}

// allow takes a server that a project declares off the list of those that its user
// turned off. done is false where there is more to change, or nothing was.
func (c *changer) allow(name string) (done bool, err error) {
	cfg, _ := c.load(false)
	if e, err := find(cfg, name); err != nil || !cfg.ServerOff(name) || e.Declared != scopeProject {
		return false, nil // whoever changes it says so
	}
	file, err := c.file(scopeUser)
	if err != nil {
		return false, err
	}
	if _, err := config.TurnServer(file, c.app.WorkDir, name, true); err != nil {
		return false, err
	}
	cfg, _ = c.load(false)
	e, err := find(cfg, name)
	if err != nil || e.State == stateOff {
		return false, err
	}
	return true, c.turned(e, changed{Server: name, Did: "enabled", File: slash(file), Changed: true})
}

// turn turns a server that a project declares on or off in the user's file.
func (c *changer) turn(e entry, did string, on bool) error {
	file, err := c.file(scopeUser)
	if err != nil {
		return err
	}
	change, err := config.TurnServer(file, c.app.WorkDir, e.Name, on)
	if err != nil {
		return err
	}
	if on && !change.Changed() && e.State == stateOff {
		return cmdutil.WithHint(cmdutil.Usagef("server %s is turned off in %s itself, which is not written", e.Name, e.place()),
			"a block of that name in your own file takes its place: reasonix mcp add "+word(e.Name)+" ...")
	}
	return c.turned(e, changed{Server: e.Name, Did: did, File: slash(change.Path), Changed: change.Changed()})
}

func (c *changer) turned(e entry, out changed) error {
	if err := c.report(out); err != nil {
		return err
	}
	if out.Did == "enabled" && e.server == nil {
		fmt.Fprintf(c.app.Err, "note: it starts once you let it: reasonix mcp trust %s\n", word(e.Name))
	}
	return nil
}

func (c *changer) report(out changed) error {
	if *c.format == cmdutil.JSON {
		return cmdutil.PrintJSON(c.app.Out, out)
	}
	if !out.Changed {
		_, err := fmt.Fprintf(c.app.Out, "%s was %s already in %s\n", config.Printable(out.Server), out.Did, out.File)
		return err
	}
	in := "in"
	if out.Did == "removed" {
		in = "from"
	}
	_, err := fmt.Fprintf(c.app.Out, "%s %s %s %s\n", out.Did, config.Printable(out.Server), in, out.File)
	return err
}
