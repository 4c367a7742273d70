package permissions

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/permission"
)

const explainLong = `Say what would become of a call, and why: the verdict for every simple command and redirection, the rule
that gave it with its file and line, and the rule that would allow what is not.

The command is one argument in quotes, or "-" for standard input. --tool judges a call of another tool; what
only a running server knows of its tool is given with --hint. Rules given as flags replace all configured ones.
Nothing is run and no session is opened. It exits with 0 whatever the verdict is; scripts read "verdict" of
--output-format json.`

// question is what explain is asked.
type question struct {
	app              *cmdutil.App
	allow, ask, deny []string
	mode, posture    *string
	dir, tool, args  string
	paths            []string
	headless         bool
	approval, hint   *string
	format           *string
	open             func(dir string, tell bool) (*scene, error)
}

func newExplain(app *cmdutil.App) *cobra.Command {
	return explainCommand(&question{app: app, open: func(dir string, tell bool) (*scene, error) { return open(app, dir, tell) }})
}

func explainCommand(q *question) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [flags] [--] COMMAND",
		Short: "Say what would become of a call, and why",
		Long:  explainLong,
		Example: `  reasonix permissions explain 'git status && touch x'
  reasonix permissions explain --allow 'Bash(git:*)' --deny 'Bash(git push:*)' 'git -C /tmp push'
  reasonix permissions explain --tool edit_file --path docs/index.md
  reasonix permissions explain --tool mcp__docs__delete_page --hint destructive
  reasonix permissions explain --headless --output-format json 'make install' | jq -r .verdict`,
		Args:              cobra.ArbitraryArgs,
		RunE:              func(_ *cobra.Command, args []string) error { return q.answer(args) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&q.allow, "allow", nil, "allow rule, in place of the configured rules (repeatable)")
	f.StringArrayVar(&q.ask, "ask", nil, "ask rule, in place of the configured rules (repeatable)")
	f.StringArrayVar(&q.deny, "deny", nil, "deny rule, in place of the configured rules (repeatable)")
	q.mode = cmdutil.EnumFlag(cmd, "mode", "", "what no rule decides, in place of permissions.mode", "ask", "allow", "deny")
	q.posture = cmdutil.EnumFlag(cmd, "permission-mode", "", "posture, in place of permissions.posture", "ask", "auto", "yolo")
	f.BoolVar(&q.headless, "headless", false, "as where nobody can be asked")
	f.StringVar(&q.dir, "dir", "", "as in a session in this directory")
	f.StringVar(&q.tool, "tool", "", "a call of this tool instead of a shell command")
	f.StringArrayVar(&q.paths, "path", nil, "with --tool: the path it is given (twice for a move)")
	f.StringVar(&q.args, "args", "", "with --tool: all its arguments, as JSON")
	q.approval = cmdutil.EnumFlag(cmd, "approval-mode", "", "with --tool mcp__SERVER__TOOL: its approval mode, in place of the configured one", "auto", "prompt", "writes", "approve")
	q.hint = cmdutil.EnumFlag(cmd, "hint", "", "with --tool mcp__SERVER__TOOL: what the server says of it", hintReadOnly, hintDestructive)
	q.format = cmdutil.OutputFormat(cmd)
	_ = cmd.RegisterFlagCompletionFunc("tool", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return toolNames(), cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

func (q *question) answer(words []string) error {
	c, err := q.call(words)
	if err != nil {
		return err
	}
	dir, err := workspace(q.app, q.dir)
	if err != nil {
		return err
	}
	s, err := q.open(dir, *q.format == cmdutil.Text)
	if err != nil {
		return err
	}
	if err := q.replace(s); err != nil {
		return err
	}
	if err := q.remotely(s); err != nil {
		return err
	}
	v := s.judge(c, q.headless)
	if *q.format == cmdutil.JSON {
		return cmdutil.PrintJSON(q.app.Out, v)
	}
	return v.print(q.app.Out, q.app.ColorOut())
}

// replace puts the flags in the place of what is configured.
func (q *question) replace(s *scene) error {
	if len(q.allow)+len(q.ask)+len(q.deny) > 0 {
		for _, list := range []struct {
			flag  string
			texts []string
			rules *[]permission.Rule
		}{
			{"--allow", q.allow, &s.policy.Allow},
			{"--ask", q.ask, &s.policy.Ask},
			{"--deny", q.deny, &s.policy.Deny},
		} {
			rules, err := permission.ParseRules(list.flag, list.texts)
			if err != nil {
				return cmdutil.Usagef("%s: %w", list.flag, err)
			}
			for i, r := range rules {
				if nearest, ok := permission.Known(r, toolNames()); !ok {
					return unknownTool(list.flag+" "+list.texts[i], r.Tool, nearest)
				}
			}
			*list.rules = rules
		}
	}
	if *q.mode != "" {
		s.policy.Mode, _ = permission.ParseDecision(*q.mode) // the flag takes nothing else
	}
	if *q.posture != "" {
		s.posture = permission.Posture(*q.posture)
	}
	return nil
}

func unknownTool(where, name, nearest string) error {
	err := cmdutil.Usagef("%s: there is no tool %s", where, name)
	if nearest == "" {
		return err
	}
	return cmdutil.WithHint(err, "did you mean "+nearest+"?")
}

// maxCommand is how much is read from standard input, in bytes.
const maxCommand = 1 << 20

func (q *question) command(words []string) (string, error) {
	switch {
	case len(words) == 0:
		return "", cmdutil.WithHint(cmdutil.Usagef("no command given"), `reasonix permissions explain 'git status', or --tool NAME for another tool`)
	case len(words) > 1:
		return "", cmdutil.WithHint(cmdutil.Usagef("%d arguments, want one command", len(words)), "put the command in quotes, as it would stand in a script")
	case words[0] != "-":
		return words[0], nil
	}
	text, err := io.ReadAll(io.LimitReader(q.app.In, maxCommand+1))
	if err != nil {
		return "", fmt.Errorf("read the command from standard input: %w", err)
	}
	if len(text) > maxCommand {
		return "", cmdutil.Usagef("the command on standard input is longer than %d bytes", maxCommand)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}
