package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// offered is a tool as tools shows it.
type offered struct {
	Name        string          `json:"name"` // as the model calls it
	Server      string          `json:"server"`
	Tool        string          `json:"tool"` // the server's own name
	Description string          `json:"description"`
	ReadOnly    bool            `json:"read_only"`
	Destructive bool            `json:"destructive"`
	Approval    string          `json:"approval_mode"`
	Schema      json.RawMessage `json:"schema"`
}

// toolList is what tools prints as JSON.
type toolList struct {
	Tools   []offered `json:"tools"`
	Dropped []dropped `json:"dropped"`
	Failed  []failed  `json:"failed"`
}

type dropped struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Why    string `json:"why"`
}

type failed struct {
	Server string `json:"server"`
	Why    string `json:"why"`
}

func newTools(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "Start a server, or all of them, and list the tools",
		Long: `Start a server, or all that are on, and list their tools: the name the model calls, what a call may do by the
server's word, how calls are approved, and what the tool is for. Tools that cannot be offered are named with the
reason on stderr. A server that does not start is named, and the exit code is 3.`,
		Example: `  reasonix mcp tools
  reasonix mcp tools files --output-format json | jq '.tools[0].schema'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: d.completeNames(func(e entry) bool { return e.State == stateOn || e.State == stateOff }),
	}
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		return d.tools(ctx, args, *format)
	}
	return cmd
}

func (d *desk) tools(ctx context.Context, args []string, format string) (err error) {
	cfg, servers, err := d.chosen(args)
	if err != nil {
		return err
	}
	l, err := d.start(cfg, servers, nil)
	if err != nil {
		return err
	}
	defer func() { err = l.end(err) }()
	l.news.quiet = true // what cannot be offered is in the list
	out := toolList{Tools: []offered{}, Dropped: []dropped{}, Failed: []failed{}}
	for _, s := range servers {
		if err := l.connect(ctx, s.Name); err != nil {
			if context.Cause(ctx) != nil {
				return err
			}
			out.Failed = append(out.Failed, failed{s.Name, err.Error()})
		}
	}
	out.Tools = append(out.Tools, l.offered(servers)...)
	for _, st := range l.States() {
		for _, gone := range st.Dropped {
			out.Dropped = append(out.Dropped, dropped{st.Name, gone.Tool, gone.Why})
		}
	}
	return out.print(d, format)
}

// chosen are the server of that name, or all that are to be started.
func (d *desk) chosen(args []string) (*config.Config, []config.Server, error) {
	if _, err := d.app.RequireHome(); err != nil {
		return nil, nil, err
	}
	if _, err := d.app.RequireWorkDir(); err != nil {
		return nil, nil, err
	}
	cfg, err := d.load(true)
	if err != nil {
		return nil, nil, err
	}
	if len(args) > 0 {
		s, err := d.usable(cfg, args[0])
		return cfg, []config.Server{s}, err
	}
	var servers []config.Server
	for _, s := range cfg.Servers() {
		if s.Enabled && s.Problem != "" {
			fmt.Fprintf(d.app.Err, "warning: %s\n", slash(s.Problem))
		}
		if s.Usable() {
			servers = append(servers, s)
		}
	}
	return cfg, servers, nil
}

// offered lists the tools of servers that are there.
func (l *live) offered(servers []config.Server) []offered {
	byName := map[string]config.Server{}
	for _, s := range servers {
		byName[s.Name] = s
	}
	l.Refresh()
	var all []offered
	for _, t := range l.Tools() {
		destructive, readOnly, server, raw, ok := l.Approval(t.Name())
		if !ok {
			continue
		}
		all = append(all, offered{
			Name: t.Name(), Server: server, Tool: raw, Description: t.Description(), ReadOnly: readOnly, Destructive: destructive,
			Approval: byName[server].ApprovalMode(raw), Schema: t.Schema(),
		})
	}
	return all
}

func (out toolList) print(d *desk, format string) error {
	code := cmdutil.CodeOK
	if len(out.Failed) > 0 {
		code = cmdutil.CodeConfig
	}
	if format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(d.app.Out, out); err != nil {
			return err
		}
		return cmdutil.Exit(code, nil)
	}
	if err := printTools(d.app.Out, out.Tools); err != nil {
		return err
	}
	for _, t := range out.Dropped {
		fmt.Fprintf(d.app.Err, "warning: server %s: tool %s is left out: %s\n", config.Printable(t.Server), config.Printable(t.Tool), config.Printable(t.Why))
	}
	for _, f := range out.Failed {
		fmt.Fprintf(d.app.Err, "error: %s\n", lines(f.Why))
	}
	if len(out.Tools)+len(out.Failed) == 0 {
		fmt.Fprintln(d.app.Err, "no tools")
	}
	return cmdutil.Exit(code, nil)
}

func printTools(out io.Writer, tools []offered) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range tools {
		does := "writes"
		switch {
		case t.Destructive:
			does = "destroys"
		case t.ReadOnly:
			does = "reads"
		}
		about, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Name, does, t.Approval, config.Printable(about))
	}
	return w.Flush()
}

// lines is a text of a server, line by line, safe to print.
func lines(text string) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range all {
		all[i] = config.Printable(strings.TrimRight(all[i], "\r"))
	}
	return strings.Join(all, "\n")
}
