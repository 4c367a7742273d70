package mcp

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// shown is what get prints as JSON.
type shown struct {
	entry
	Sandbox         bool     `json:"sandbox"`
	Sampling        bool     `json:"sampling"`
	HeadersHelper   string   `json:"headers_helper,omitempty"`
	StartSeconds    float64  `json:"start_timeout_seconds"`
	CallSeconds     float64  `json:"call_timeout_seconds"`
	ApprovalMode    string   `json:"approval_mode"`
	Reviewer        string   `json:"approvals_reviewer"`
	TrustedReadOnly []string `json:"trusted_read_only_tools"`
}

func newGet(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "get NAME",
		Short: "Show one server as the files declare it",
		Long: `Show one server as the files declare it: what is started, where it stands, how long it may take and how its
calls are approved. Nothing is started, and values of variables and headers are not shown.`,
		Example: `  reasonix mcp get files
  reasonix mcp get files --output-format json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: d.completeNames(nil),
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		cfg, broken := d.load(*format == cmdutil.Text)
		if broken != nil {
			return broken
		}
		e, err := find(cfg, args[0])
		if err != nil {
			return err
		}
		s := shownOf(e)
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(d.app.Out, s)
		}
		return s.print(d)
	}
	return cmd
}

func shownOf(e entry) shown {
	s := shown{entry: e, Sandbox: true, ApprovalMode: "auto", Reviewer: "user", TrustedReadOnly: []string{}}
	if e.server == nil {
		return s
	}
	s.Sandbox, s.Sampling, s.HeadersHelper = e.server.Sandbox, e.server.Sampling, e.server.HeadersHelper
	s.StartSeconds, s.CallSeconds = e.server.StartTimeout.Seconds(), e.server.CallTimeout.Seconds()
	s.ApprovalMode, s.Reviewer = e.server.ApprovalMode(""), e.server.ApprovalsReviewer
	s.TrustedReadOnly = append(s.TrustedReadOnly, e.server.TrustedReadOnlyTools...)
	return s
}

func (s shown) print(d *desk) error {
	w := tabwriter.NewWriter(d.app.Out, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, config.Printable(value))
		}
	}
	line("name", s.Name)
	line("state", s.State)
	if s.server != nil {
		line("problem", problem(*s.server))
	}
	line("declared", s.place())
	if s.server == nil {
		line("says", s.Says)
		line("means", s.part.Effect)
		line("trust it with", "reasonix mcp trust "+word(s.Name))
		return w.Flush()
	}
	line("type", s.Type)
	line(map[bool]string{true: "command", false: "url"}[s.Type == "stdio"], s.target())
	line("environment", strings.Join(s.Env, ", "))
	line("headers", strings.Join(s.Headers, ", "))
	line("headers helper", s.HeadersHelper)
	line("login", unattended(*s.server))
	if s.Type == "stdio" {
		line("sandbox", map[bool]string{true: "yes", false: "no"}[s.Sandbox])
	}
	line("sampling", map[bool]string{true: "yes", false: ""}[s.Sampling])
	line("may take", fmt.Sprintf("%gs to start, %gs a call without progress", s.StartSeconds, s.CallSeconds))
	line("approval", s.ApprovalMode+", by "+s.Reviewer)
	line("trusted to read only", strings.Join(s.TrustedReadOnly, ", "))
	return w.Flush()
}
