package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/integrations/mcp"
	"reasonix/integrations/mcp/oauth"
)

// loggedIn is what auth prints as JSON.
type loggedIn struct {
	Server   string `json:"server"`
	LoggedIn bool   `json:"logged_in"`
	Changed  bool   `json:"changed"`
}

func newAuth(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth NAME",
		Short: "Log in to a remote server, or out of it",
		Long: `Log in to a remote server with OAuth: an address is printed; open it in a browser on this machine and agree there.
The login is kept in <home>/mcp-auth, readable by you alone, and renewed by itself; sessions use it. With a
browser on another machine, set callback_port in the server's block and forward that port.

Where oauth.grant in the server's block says that nobody logs in, there is nothing to open: a token is had at once,
which shows whether the client's credentials are good. Sessions have it by themselves.

--logout forgets the login. It exits with 2 for a server that runs on this machine, and with 3 when the login or
the connection fails.`,
		Example: `  reasonix mcp auth docs
  reasonix mcp auth --logout docs`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: d.completeNames(func(e entry) bool { return e.URL != "" }),
	}
	logout := cmd.Flags().Bool("logout", false, "forget the login")
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		if *logout {
			return d.logout(args[0], *format)
		}
		return d.login(ctx, args[0], *format)
	}
	return cmd
}

// patience is how long a person may take to log in, and the server to start then.
const patience = 6 * time.Minute

func (d *desk) login(ctx context.Context, name, format string) (err error) {
	cfg, servers, err := d.chosen([]string{name})
	if err != nil {
		return err
	}
	s := &servers[0]
	if s.Type == "stdio" {
		return cmdutil.WithHint(cmdutil.Usagef("server %s is a program on this machine and takes no login", name), "it gets keys with env in its block")
	}
	if s.Type == "sse" {
		return cmdutil.WithHint(cmdutil.Usagef("server %s uses the deprecated transport sse, for which there is no login", name), "ask for its address of type http, or give it a header")
	}
	s.StartTimeout = patience
	dir := wire.MCPTokenDir(d.app.Home)
	before := oauth.LoggedIn(dir, name, s.Identity)
	show := func(url string) error {
		_, err := fmt.Fprintf(d.app.Err, "Open this address in your browser and agree there:\n\n  %s\n\nWaiting for the browser to come back...\n", config.Printable(url))
		return err
	}
	if s.OAuth.Unattended() {
		if err := d.anew(*s); err != nil {
			return err
		}
	}
	l, err := d.start(cfg, servers, func(w *mcp.World) {
		w.Open, w.Authorize = show, oauth.Authorizer(dir, show, d.app.Now)
	})
	if err != nil {
		return err
	}
	defer func() { err = l.end(err) }()
	if err := l.connect(ctx, name); err != nil {
		return err
	}
	out := loggedIn{Server: name, LoggedIn: oauth.LoggedIn(dir, name, s.Identity)}
	out.Changed = out.LoggedIn != before
	text := fmt.Sprintf("logged in to %s\n", config.Printable(name))
	if !out.LoggedIn {
		text = fmt.Sprintf("%s wants no login: it can be reached as it is\n", config.Printable(name))
	}
	return d.say(format, out, text)
}

func (d *desk) logout(name, format string) error {
	home, err := d.app.RequireHome()
	if err != nil {
		return err
	}
	was, err := oauth.Forget(wire.MCPTokenDir(home), name)
	if err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	text := fmt.Sprintf("logged out of %s\n", config.Printable(name))
	if !was {
		text = fmt.Sprintf("there was no login to %s\n", config.Printable(name))
	}
	return d.say(format, loggedIn{Server: name, Changed: was}, text)
}

// say prints v as JSON, or the text.
func (d *desk) say(format string, v any, text string) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(d.app.Out, v)
	}
	_, err := fmt.Fprint(d.app.Out, text)
	return err
}
