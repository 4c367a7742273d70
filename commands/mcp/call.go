package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/message"
	"reasonix/core/tool"
	"reasonix/integrations/mcp"
)

// result is what call prints as JSON.
type result struct {
	Server string               `json:"server"`
	Tool   string               `json:"tool"`
	Text   string               `json:"text"`
	Failed bool                 `json:"failed"`
	Files  []message.Attachment `json:"files"`
}

// A caller is one `mcp call`.
type caller struct {
	*desk
	format *string
	save   string
}

func newCall(d *desk) *cobra.Command {
	c := &caller{desk: d}
	cmd := &cobra.Command{
		Use:   "call [flags] SERVER TOOL [JSON]",
		Short: "Call one tool of a server, for scripts",
		Long: `Start a server, call one of its tools with a JSON object of arguments, print the result and stop the server.

TOOL is the server's own name of it or the one the model calls; JSON is - for stdin and {} when left out. You are
the one who calls: no rule and no approval is asked. What the server asks meanwhile is put to you on a terminal, a form
field by field and an address to look at, which is never opened for you; with JSON, or without a terminal, it is
declined, and a line on stderr says so. Pictures and other files of a result go to a directory
(--save; else a new temporary one) and are named in the text.

It exits with 1 when the tool says that it failed, with 2 when there is no such tool or the arguments are no JSON
object, and with 3 when the server cannot be started.`,
		Example: `  reasonix mcp call files read_text_file '{"path": "README.md"}'
  reasonix mcp call files list_directory '{"path": "."}' --output-format json | jq -r .text
  jq -n '{text: "a b"}' | reasonix mcp call example wordcount -`,
		Args:              cobra.RangeArgs(2, 3),
		ValidArgsFunction: d.completeNames(func(e entry) bool { return e.State == stateOn || e.State == stateOff }),
	}
	cmd.Flags().StringVar(&c.save, "save", "", "directory for files of the result")
	_ = cmd.MarkFlagDirname("save")
	c.format = cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		return c.run(ctx, args)
	}
	return cmd
}

// maxArguments is the most that is read from stdin, in bytes.
const maxArguments = 16 << 20

func (c *caller) run(ctx context.Context, args []string) (err error) {
	text := "{}"
	if len(args) > 2 {
		text = args[2]
	}
	arguments, err := c.arguments(text)
	if err != nil {
		return err
	}
	cfg, servers, err := c.chosen(args[:1])
	if err != nil {
		return err
	}
	questions := c.asker(*c.format, len(args) > 2 && args[2] == "-")
	l, err := c.start(cfg, servers, func(w *mcp.World) { w.Ask = questions.ask })
	if err != nil {
		return err
	}
	defer func() { err = l.end(err) }()
	l.news.quiet = *c.format == cmdutil.JSON
	if err := l.connect(ctx, args[0]); err != nil {
		return err
	}
	all := l.offered(servers)
	t, ok := pick(all, args[1])
	if !ok {
		return noTool(all, args[0], args[1])
	}
	out, err := c.call(ctx, l, t, arguments)
	if err != nil {
		return err
	}
	return c.print(out)
}

// arguments are those of a call as they are typed; - stands for what is on stdin.
func (d *desk) arguments(text string) (json.RawMessage, error) {
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(d.app.In, maxArguments))
		if err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		text = string(data)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return nil, cmdutil.Usagef("want a JSON object of arguments, such as '{\"path\": \".\"}'")
	}
	return json.RawMessage(text), nil
}

// pick finds a tool by either of its names.
func pick(all []offered, name string) (offered, bool) {
	for _, t := range all {
		if t.Tool == name || t.Name == name {
			return t, true
		}
	}
	return offered{}, false
}

func noTool(all []offered, server, name string) error {
	var names []string
	for _, t := range all {
		names = append(names, t.Tool)
	}
	hint := "reasonix mcp tools " + word(server) + " lists them"
	if near := cmdutil.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return cmdutil.WithHint(cmdutil.Usagef("server %s has no tool %q", server, name), hint)
}

// call makes the call. That the tool failed is no error.
func (d *desk) callTool(ctx context.Context, l *live, t offered, arguments json.RawMessage, k *keeper) (result, error) {
	out := result{Server: t.Server, Tool: t.Tool, Files: []message.Attachment{}}
	found, ok := l.Find(t.Name)
	if !ok {
		return out, cmdutil.Usagef("server %s has no tool %q any more", t.Server, t.Tool)
	}
	ctx = tool.WithCall(ctx, &tool.Call{ID: "call", Save: k.save, Attach: func(a message.Attachment) { out.Files = append(out.Files, a) }})
	text, err := found.Execute(ctx, arguments)
	if cause := context.Cause(ctx); cause != nil {
		return out, cause
	}
	if err != nil {
		out.Failed, text = true, err.Error()
	}
	out.Text = text
	return out, nil
}

func (c *caller) call(ctx context.Context, l *live, t offered, arguments json.RawMessage) (result, error) {
	dir := c.save
	if dir != "" {
		dir = c.absolute(dir)
	}
	return c.callTool(ctx, l, t, arguments, &keeper{dir: dir, max: maxOutput})
}

func (c *caller) print(out result) error {
	code := cmdutil.CodeOK
	if out.Failed {
		code = cmdutil.CodeInternal
	}
	if *c.format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(c.app.Out, out); err != nil {
			return err
		}
		return cmdutil.Exit(code, nil)
	}
	text := strings.TrimRight(out.Text, "\n")
	if c.app.StdoutTTY || out.Failed {
		text = lines(text)
	}
	if out.Failed {
		return cmdutil.Exit(code, fmt.Errorf("%s: %s", out.Tool, text))
	}
	_, err := fmt.Fprintln(c.app.Out, text)
	return err
}
