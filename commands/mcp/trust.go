package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/trust"
)

// trusted is what trust prints as JSON.
type trusted struct {
	Server  string `json:"server"`
	Trusted bool   `json:"trusted"` // now
	Changed bool   `json:"changed"`
	Says    string `json:"says"`
	Means   string `json:"means,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	// Notes are what keeps it from starting all the same.
	Notes []string `json:"notes,omitempty"`
}

// A truster is one `mcp trust`.
type truster struct {
	*desk
	revoke, yes bool
	format      *string
}

func newTrust(d *desk) *cobra.Command {
	t := &truster{desk: d}
	cmd := &cobra.Command{
		Use:   "trust [flags] NAME",
		Short: "Let a server of this repository start, or take that back",
		Long: `Let a server that this repository declares start in sessions here: it is shown with what it would run or connect
to, and on a terminal you are asked; --yes answers for a script. The grant is for this directory and for what the
server is now: when its program, arguments, address, or the names of its variables and headers change, it is off
again. What would keep it from starting all the same, such as a program that is not on PATH, is said with it.
--revoke takes the grant back. The grants are those of reasonix permissions trust.

It exits with 2 when nobody can be asked, and when the server needs no trust because it is yours.`,
		Example: `  reasonix mcp trust docs
  reasonix mcp trust --yes docs
  reasonix mcp trust --revoke docs`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: d.completeNames(func(e entry) bool {
			return (e.State == stateUntrusted) != t.revoke && (t.revoke && e.Declared == scopeProject || e.part != nil)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&t.revoke, "revoke", false, "take the grant back")
	f.BoolVarP(&t.yes, "yes", "y", false, "grant what is shown without asking")
	t.format = cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		return t.run(ctx, args[0])
	}
	return cmd
}

func (t *truster) run(ctx context.Context, name string) error {
	if t.revoke && t.yes {
		return cmdutil.Usagef("--revoke and --yes exclude each other")
	}
	if _, err := t.app.RequireHome(); err != nil {
		return err
	}
	if _, err := t.app.RequireWorkDir(); err != nil {
		return err
	}
	if t.revoke {
		return t.takeBack(name)
	}
	cfg, err := t.load(*t.format == cmdutil.Text)
	if err != nil {
		return err
	}
	off := partsOf(cfg.Ungranted, name)
	if len(off) == 0 {
		return t.nothing(cfg, name)
	}
	return t.grant(ctx, name, off)
}

// partsOf are the parts that declare the server of that name.
func partsOf(parts []config.Part, name string) []config.Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p config.Part) bool { return partServer(p) != name })
}

// nothing says why there is nothing to grant.
func (t *truster) nothing(cfg *config.Config, name string) error {
	if on := partsOf(cfg.Granted, name); len(on) > 0 {
		return t.report(t.outcome(name, on[0], true, false))
	}
	if _, err := find(cfg, name); err != nil {
		return err
	}
	return cmdutil.Usagef("server %s is declared by you and needs no trust", name)
}

func (t *truster) outcome(name string, p config.Part, now, changed bool) trusted {
	return trusted{Server: name, Trusted: now, Changed: changed, Says: p.Text, Means: p.Effect, File: slash(p.File), Line: p.Line}
}

// grant shows the server, asks, and stores the grant unless the files say something
// else by then.
func (t *truster) grant(ctx context.Context, name string, off []config.Part) error {
	if *t.format == cmdutil.Text {
		for _, p := range off {
			fmt.Fprintf(t.app.Out, "%s, declared in %s:%d, says: %s\nIt means: %s\n", config.Printable(name), slash(p.File), p.Line, p.Text, p.Effect)
		}
	}
	notes := t.inTheWay(name, off)
	if *t.format == cmdutil.Text {
		for _, n := range notes {
			fmt.Fprintf(t.app.Out, "Note: %s\n", n)
		}
	}
	yes, err := t.choose(ctx)
	if err != nil {
		return err
	}
	if !yes {
		return t.report(t.outcome(name, off[0], false, false))
	}
	now, err := config.Load(t.input())
	if err != nil {
		return cmdutil.WithHint(err, "nothing was granted")
	}
	same := func(a, b config.Part) bool { return a.Key == b.Key && a.Hash == b.Hash && a.File == b.File }
	if !slices.EqualFunc(off, partsOf(now.Ungranted, name), same) {
		return cmdutil.WithHint(cmdutil.Exit(cmdutil.CodeConfig, fmt.Errorf("server %s changed meanwhile: nothing was granted", name)), "look again: reasonix mcp trust "+word(name))
	}
	grants := make([]trust.Part, len(off))
	for i, p := range off {
		grants[i] = wire.GrantOf(p)
	}
	if err := trust.Open(t.app.Home).Grant(t.app.WorkDir, t.app.Now(), grants...); err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	out := t.outcome(name, off[0], true, true)
	out.Notes = notes
	return t.report(out)
}

// inTheWay says what would keep a server from starting once its parts are granted: its
// program is not there, a variable is not set, or its user turned it off.
func (t *truster) inTheWay(name string, off []config.Part) []string {
	in := t.input()
	granted := in.Granted
	in.Granted = func(p config.Part) bool {
		return granted != nil && granted(p) || slices.ContainsFunc(off, func(o config.Part) bool { return o.Key == p.Key && o.Hash == p.Hash })
	}
	cfg, _ := config.LoadLenient(in) // what is wrong is said where it is granted
	var notes []string
	if s, ok := cfg.Server(name); ok {
		if why := t.cannotStart(s); why != "" {
			notes = append(notes, "it cannot start now: "+why)
		}
	}
	if cfg.ServerOff(name) {
		notes = append(notes, "it is turned off: reasonix mcp enable "+word(name))
	}
	return notes
}

// takeBack removes the grants of a server, also of one that the files no longer have.
func (t *truster) takeBack(name string) error {
	labels := []string{}
	for _, table := range []string{"plugins", "mcpServers"} {
		labels = append(labels, config.Part{Key: config.JoinPath([]string{table, name})}.Label())
	}
	gone, err := trust.Open(t.app.Home).Revoke(t.app.WorkDir, func(g trust.Grant) bool { return slices.Contains(labels, g.Part) })
	if err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	if len(gone) == 0 {
		return cmdutil.WithHint(cmdutil.Usagef("server %s is not granted here", name), "reasonix mcp list shows what is")
	}
	return t.report(trusted{Server: name, Changed: true, Says: gone[0].What})
}

func (t *truster) report(out trusted) error {
	if *t.format == cmdutil.JSON {
		return cmdutil.PrintJSON(t.app.Out, out)
	}
	name := config.Printable(out.Server)
	text := map[[2]bool]string{
		{true, true}: "trusted " + name + "; it starts with the next session", {true, false}: name + " is trusted already",
		{false, true}: "took the trust in " + name + " back; sessions that run keep it until they end", {false, false}: "nothing was granted",
	}[[2]bool{out.Trusted, out.Changed}]
	_, err := fmt.Fprintln(t.app.Out, text)
	return err
}

// choose asks whether to grant what was shown.
func (t *truster) choose(ctx context.Context) (bool, error) {
	switch {
	case t.yes:
		return true, nil
	case !t.app.StdinTTY:
		return false, cmdutil.WithHint(cmdutil.Usagef("nothing was granted: nobody can be asked here"), "--yes grants what is shown")
	case *t.format == cmdutil.JSON:
		return false, cmdutil.WithHint(cmdutil.Usagef("nothing was granted: JSON asks no questions"), "add --yes")
	}
	in := reader{in: t.app.In}
	for {
		fmt.Fprint(t.app.Out, "Let it start? [y/N] ")
		line, err := in.line(ctx)
		if err != nil {
			fmt.Fprintln(t.app.Out)
		}
		if errors.Is(err, io.EOF) {
			return false, cmdutil.Usagef("nothing was granted: the input ended before the answer")
		}
		if err != nil {
			return false, err
		}
		switch strings.ToLower(line) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
	}
}
