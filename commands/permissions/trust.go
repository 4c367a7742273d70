package permissions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/trust"
)

const trustLong = `Show what the configuration of this directory (reasonix.toml, .mcp.json) would let a run do or reach
beyond your own, and grant it.

Whoever wrote a repository wrote these files, too: such parts are off until you grant them. Each is shown with
its place, its value and its effect; on a terminal you are asked for all, one by one, or none, and --yes grants
all that is shown. A grant is for this directory and for what the part says now: a part that changes is off
again, a comment that changes is nothing. What narrows a run needs no grant and cannot be revoked.

PART is a key (permissions.allow, plugins.docs), a table (sandbox) or the beginning of a part's id. Grants are in
<home>/grants.json. "reasonix run --trust" grants everything for one run and stores nothing.

It exits with 2 when there is something to grant and nobody can be asked, and with 3 when the configuration is
broken or changed while you were asked; then nothing is granted.`

// A truster is one `permissions trust`.
type truster struct {
	app               *cmdutil.App
	show, revoke, yes bool
	format            *string
	at                string // --dir
	home, dir         string
	wanted            []string // the parts that are meant; empty: all
}

func newTrust(app *cmdutil.App) *cobra.Command {
	t := &truster{app: app}
	cmd := &cobra.Command{
		Use:   "trust [flags] [PART]...",
		Short: "Show, grant and revoke what this directory's configuration widens",
		Long:  trustLong,
		Example: `  reasonix permissions trust --show
  reasonix permissions trust
  reasonix permissions trust --yes permissions.allow
  reasonix permissions trust --revoke`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: t.complete,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&t.show, "show", false, "only show: what is off, and what is granted")
	f.BoolVar(&t.revoke, "revoke", false, "take grants back: those of PART, or all of this directory")
	f.BoolVarP(&t.yes, "yes", "y", false, "grant what is shown without asking")
	f.StringVar(&t.at, "dir", "", "the configuration of this directory")
	t.format = cmdutil.OutputFormat(cmd)
	_ = cmd.MarkFlagDirname("dir")
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		return t.run(ctx, args)
	}
	return cmd
}

func (t *truster) run(ctx context.Context, args []string) (err error) {
	if t.show && (t.revoke || t.yes) || t.revoke && t.yes {
		return cmdutil.Usagef("--show, --revoke and --yes exclude each other")
	}
	if t.home, err = t.app.RequireHome(); err != nil {
		return err
	}
	if t.dir, err = workspace(t.app, t.at); err != nil {
		return err
	}
	t.wanted = args
	switch {
	case t.show:
		return t.list()
	case t.revoke:
		return t.takeBack()
	default:
		return t.grant(ctx)
	}
}

func (t *truster) input() config.Input { return wire.Input(t.home, t.dir, t.app.Environ) }

// grant shows what is off, asks, and grants what was shown and wanted.
func (t *truster) grant(ctx context.Context) error {
	cfg, err := config.Load(t.input())
	if err != nil {
		return err
	}
	t.warn(cfg)
	off := t.pick(cfg.Ungranted)
	if len(off) == 0 {
		return t.nothing(cfg)
	}
	if *t.format == cmdutil.Text {
		t.printOff(off)
	}
	chosen, err := t.choose(ctx, off)
	if err != nil {
		return err
	}
	if len(chosen) > 0 {
		if err := t.store(cfg, chosen); err != nil {
			return err
		}
	}
	return t.printGranted(chosen)
}

// store grants parts, unless the files no longer say what was shown.
func (t *truster) store(shown *config.Config, parts []config.Part) error {
	now, err := config.Load(t.input())
	if err != nil {
		return cmdutil.WithHint(err, "nothing was granted")
	}
	if !slices.EqualFunc(shown.Ungranted, now.Ungranted, same) {
		return cmdutil.WithHint(cmdutil.Exit(cmdutil.CodeConfig, fmt.Errorf("the configuration of %s changed meanwhile: nothing was granted", slash(t.dir))),
			"look again: reasonix permissions trust")
	}
	grants := make([]trust.Part, len(parts))
	for i, p := range parts {
		grants[i] = wire.GrantOf(p)
	}
	if err := trust.Open(t.home).Grant(t.dir, t.app.Now(), grants...); err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	return nil
}

func same(a, b config.Part) bool { return a.Key == b.Key && a.Hash == b.Hash && a.File == b.File }

// nothing says that there is nothing to grant; that PART names nothing is an error.
func (t *truster) nothing(cfg *config.Config) error {
	granted := t.pick(cfg.Granted)
	if len(t.wanted) > 0 && len(granted) == 0 {
		return t.unknown(cfg)
	}
	if *t.format == cmdutil.JSON {
		return t.printGranted(nil)
	}
	text := "nothing here widens what a run may do: there is nothing to grant\n"
	if len(granted) > 0 {
		text = "all of it is granted already: reasonix permissions trust --show\n"
	}
	_, err := fmt.Fprint(t.app.Out, text)
	return err
}

func (t *truster) unknown(cfg *config.Config) error {
	err := cmdutil.Usagef("no part %s in the configuration of %s", strings.Join(t.wanted, ", "), slash(t.dir))
	if names := labels(cfg.Ungranted); len(names) > 0 {
		return cmdutil.WithHint(err, "those that are off: "+strings.Join(names, ", "))
	}
	return cmdutil.WithHint(err, "no part is off")
}

// takeBack removes grants.
func (t *truster) takeBack() error {
	store := trust.Open(t.home)
	gone, err := store.Revoke(t.dir, func(g trust.Grant) bool { return t.means(g.Part, g.Hash) })
	if err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	if len(t.wanted) > 0 && len(gone) == 0 {
		return cmdutil.WithHint(cmdutil.Usagef("%s: not granted in %s", strings.Join(t.wanted, ", "), slash(t.dir)),
			"reasonix permissions trust --show lists what is")
	}
	if problem := store.Problem(); problem != nil {
		fmt.Fprintf(t.app.Err, "warning: %v\n", problem)
	}
	return t.printRevoked(gone)
}

// pick filters parts by the arguments.
func (t *truster) pick(parts []config.Part) []config.Part {
	var out []config.Part
	for _, p := range parts {
		if t.means(p.Label(), p.Hash) {
			out = append(out, p)
		}
	}
	return out
}

// shortestID is how much of a hash is enough to name a part.
const shortestID = 4

// means reports whether an argument names a part, or none was given.
func (t *truster) means(name, hash string) bool {
	return len(t.wanted) == 0 || slices.ContainsFunc(t.wanted, func(arg string) bool {
		return name == arg || strings.HasPrefix(name, arg+".") || len(arg) >= shortestID && strings.HasPrefix(hash, arg)
	})
}

// warn says on stderr what is wrong with the list of grants and with .mcp.json.
func (t *truster) warn(cfg *config.Config) {
	for _, w := range cfg.Warnings {
		if w.Code == wire.WarnGrants || w.Code == config.WarnServers || w.Code == config.WarnLink {
			fmt.Fprintf(t.app.Err, "warning: %s\n", slash(w.String()))
		}
	}
}

func (t *truster) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	dir, err := workspace(t.app, t.at)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	if t.revoke {
		for _, g := range trust.Open(t.app.Home).List(dir) {
			words = append(words, g.Part+"\t"+g.What)
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	cfg, _ := config.LoadLenient(wire.Input(t.app.Home, dir, t.app.Environ)) // what is good is enough to complete
	for _, p := range cfg.Ungranted {
		words = append(words, p.Label()+"\t"+p.Text)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
