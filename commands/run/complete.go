package run

import (
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/protocol"
)

// complete offers the configured models, and this directory's sessions and commands.
func (o *options) complete(app *cmdutil.App, cmd *cobra.Command) {
	world := wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now}
	host := func() (protocol.Host, error) { return wire.New(world) }
	// Registering can only fail for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("model", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		h, err := host()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		models, err := h.Models(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var refs []string
		for _, m := range models {
			refs = append(refs, m.Ref)
		}
		return refs, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("session", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		h, err := host()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dir, err := o.workspace(app)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		infos, err := h.Sessions(cmd.Context(), protocol.Query{Workspace: dir, Limit: 50})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, i := range infos {
			ids = append(ids, string(i.ID)+"\t"+i.Title)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("command", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		dir, err := o.workspace(app)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		slash := ""
		if strings.HasPrefix(typed, "/") {
			slash = "/"
		}
		var names []string
		for _, c := range world.Commands(dir) {
			names = append(names, slash+c.Name+"\t"+config.Printable(c.Help))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("effort", cobra.FixedCompletions([]string{"auto", "low", "medium", "high", "max"}, cobra.ShellCompDirectiveNoFileComp))
	for _, dir := range []string{"dir", "add-dir"} {
		_ = cmd.MarkFlagDirname(dir)
	}
}
