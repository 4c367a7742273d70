package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/event"
)

// examine looks at one server from its declaration to one call, and stops where
// nothing further can be found out. An error is about the command, not the server.
func (x *doctor) examine(ctx context.Context, cfg *config.Config, e entry) (r report, err error) {
	r = report{Server: e.Name, OK: true}
	r.add("declared", isOK, e.place()+", "+e.target(), "")
	switch {
	case e.State == stateOff:
		r.add("enabled", isLeft, "it is turned off", "reasonix mcp enable "+word(e.Name))
		return r, nil
	case e.server == nil:
		r.add("trust", isOdd, "this project declares it, and you have not let it start", "reasonix mcp trust "+word(e.Name))
		return r, nil
	case e.Problem != "":
		r.add("settings", isBad, problem(*e.server), problemFix(*e.server))
		return r, nil
	}
	if e.Type == "sse" {
		r.add("transport", isOdd, "sse is deprecated", "ask for an address of type http (Streamable HTTP)")
	}
	if why := x.cannotStart(*e.server); why != "" {
		r.add("program", isBad, why, "install it, give its full path as command, or extend PATH")
		return r, nil
	}
	if how := unattended(*e.server); how != "" {
		r.add("login", isOK, how+"; no browser is needed", "")
	}
	l, err := x.start(cfg, []config.Server{*e.server}, nil)
	if err != nil {
		return r, err
	}
	l.news.quiet = true // what it tells is in the report
	defer func() { err = l.end(err) }()
	err = x.live(ctx, cfg, l, *e.server, &r)
	return r, err
}

// live examines a server that was started.
func (x *doctor) live(ctx context.Context, cfg *config.Config, l *live, s config.Server, r *report) error {
	begun := time.Now()
	err := l.connect(ctx, s.Name)
	if err != nil && context.Cause(ctx) != nil {
		return err
	}
	st := l.state(s.Name)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "MCP server "+s.Name+": ")
		r.add("start", isBad, why, startFix(s, why, st.Log))
		return nil
	}
	r.add("start", isOK, fmt.Sprintf("started and answered in %s", time.Since(begun).Round(time.Millisecond)), "")
	r.add("protocol", isOK, cmp.Or(st.Protocol, "unknown"), "")
	tools := l.offered([]config.Server{s})
	x.names(r, s, tools, st.Renamed)
	for _, d := range st.Dropped {
		r.add("schema", isOdd, fmt.Sprintf("tool %s is left out: %s", d.Tool, d.Why), "the others work; tell the server's authors")
	}
	cost := fmt.Sprintf("about %d tokens of every prompt", st.Tokens)
	if budget := cfg.Tools.MCPSchemaBudget; st.Tokens > budget {
		r.add("cost", isOdd, fmt.Sprintf("%s, over tools.mcp_schema_budget (%d): the model finds the tools with tool_search", cost, budget), "")
	} else {
		r.add("cost", isOK, cost, "")
	}
	if err := x.call(ctx, l, r, tools); err != nil {
		return err
	}
	l.Listed(ctx, s.Name)
	if st = l.state(s.Name); st.Noise > 0 {
		r.add("output", isOdd, fmt.Sprintf("%d lines of its standard output are no messages and were skipped", st.Noise), "a server logs to its standard error")
	}
	if st.Prompts+st.Resources > 0 {
		r.add("more", isOK, fmt.Sprintf("%s, %s", cmdutil.Count(st.Prompts, "prompt"), cmdutil.Count(st.Resources, "resource")), "")
	}
	return nil
}

// names tells of the tools and of the names that they have for the model.
func (x *doctor) names(r *report, s config.Server, tools []offered, renamed map[string]string) {
	if len(tools) == 0 {
		r.add("tools", isOdd, "it offers no tools", "")
		return
	}
	r.add("tools", isOK, cmdutil.Count(len(tools), "tool")+": "+listed(tools), "")
	for _, raw := range slices.Sorted(maps.Keys(renamed)) {
		r.add("names", isOK, fmt.Sprintf("%s is %s for the model", raw, renamed[raw]), "")
	}
	var unknown []string
	for _, raw := range slices.Sorted(maps.Keys(s.Tools)) {
		if _, found := pick(tools, raw); !found {
			unknown = append(unknown, raw)
		}
	}
	if len(unknown) > 0 {
		r.add("approval", isOdd, "its block sets the approval of tools that it does not have: "+strings.Join(unknown, ", "), "reasonix mcp tools "+word(s.Name))
	}
}

// listed has the first few names that the model calls tools by.
func listed(tools []offered) string {
	const few = 4
	var names []string
	for _, t := range tools[:min(len(tools), few)] {
		names = append(names, t.Name)
	}
	text := strings.Join(names, ", ")
	if more := len(tools) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// call makes one call, when there is one that does no harm.
func (x *doctor) call(ctx context.Context, l *live, r *report, tools []offered) error {
	t, found := x.harmless(tools)
	switch {
	case x.noCall:
		return nil
	case !found && x.tool != "":
		r.add("call", isBad, fmt.Sprintf("there is no tool %q", x.tool), "reasonix mcp tools "+word(r.Server))
		return nil
	case !found:
		r.add("call", isLeft, "no tool only reads, by the server's word, and needs no arguments", "name one with --call TOOL --args JSON")
		return nil
	}
	begun := time.Now()
	out, err := x.callTool(ctx, l, t, json.RawMessage(x.args), &keeper{max: maxOutput})
	if err != nil {
		return err
	}
	took := time.Since(begun).Round(time.Millisecond)
	switch {
	case out.Failed && x.tool == "" && l.state(r.Server).State == event.ServerReady:
		// It works, and its tool wants what nobody gave it.
		r.add("call", isOdd, fmt.Sprintf("%s answered in %s, with an error: %s", t.Tool, took, clip(out.Text)), "name another one with --call TOOL --args JSON")
		return nil
	case out.Failed:
		r.add("call", isBad, fmt.Sprintf("%s failed after %s: %s", t.Tool, took, clip(out.Text)), "look at "+cmp.Or(slash(l.state(r.Server).Log), "the server's log"))
		return nil
	}
	r.add("call", isOK, fmt.Sprintf("%s answered in %s: %s", t.Tool, took, clip(out.Text)), "")
	return nil
}

// harmless is the tool to call.
func (x *doctor) harmless(tools []offered) (offered, bool) {
	if x.tool != "" {
		return pick(tools, x.tool)
	}
	for _, t := range tools {
		var schema struct {
			Required []string `json:"required"`
		}
		if err := json.Unmarshal(t.Schema, &schema); err == nil && t.ReadOnly && !t.Destructive && len(schema.Required) == 0 {
			return t, true
		}
	}
	return offered{}, false
}

// clip is the beginning of a text on one line.
func clip(text string) string {
	const limit = 100
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	return text
}

// problemFix is what to do about a server that is not even tried.
func problemFix(s config.Server) string {
	if len(s.Missing) == 0 {
		return "reasonix mcp get " + word(s.Name) + " shows what is declared"
	}
	if s.FromProject {
		return "export " + s.Missing[0] + ", or put it in this directory's .env"
	}
	return "reasonix setup key " + s.Missing[0]
}

// startFix is what to do about a server that does not start.
func startFix(s config.Server, why, log string) string {
	text := strings.ToLower(why)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if s.OAuth.Unattended() {
		if fix := loginFix(s, has); fix != "" {
			return fix
		}
	}
	switch {
	case has("wants a login", "unauthorized", "401"):
		return "reasonix mcp auth " + word(s.Name) + ", or give it a header"
	case has("forbidden", "403"):
		return "its key or login does not let you in: check the headers of its block"
	case has("no such host", "connection refused", "network is unreachable", "dial tcp"):
		return "check the address, the network and the proxy"
	case has("404", "405", "not found") && s.Type != "stdio":
		return "check the address; an old server wants type = \"sse\""
	case has("not found", "no such file"):
		return "install what it needs, or give the full path as command"
	case has("in time", "deadline", "longer than", "no answer", "slow"):
		return fmt.Sprintf("raise start_timeout_seconds (now %g) in its block", s.StartTimeout.Seconds())
	case has("permission denied", "read-only file system", "operation not permitted") && s.Sandbox && !s.FromProject:
		return "it may need to write outside: sandbox.allow_write lets it, or sandbox = false in its block"
	case log != "":
		return "look at " + slash(log)
	default:
		return ""
	}
}
