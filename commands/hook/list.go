package hook

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/hook"
)

// listing is what list prints in JSON.
type listing struct {
	Dir   string   `json:"dir"`
	Hooks []listed `json:"hooks"` // in the order in which they run, point by point
	Off   []off    `json:"off"`   // a repository's, not granted
}

type listed struct {
	Name           string  `json:"name"`
	Event          string  `json:"event"`
	Match          string  `json:"match"`
	Command        string  `json:"command"`
	Dir            string  `json:"dir"`
	TimeoutSeconds float64 `json:"timeout_seconds"`
	Scope          string  `json:"scope"` // user, project
	Claude         bool    `json:"claude"`
	File           string  `json:"file"`
	Line           int     `json:"line"`
	place          string
	hook           hook.Hook
}

type off struct {
	Name  string `json:"name"`
	ID    string `json:"id"` // what permissions trust takes
	Text  string `json:"text"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	shown string // the name, safe to print
	place string
}

func newList(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the hooks of a session here",
		Long: `List the hooks a session in this directory would have: point, what they are for, command, whose, where they
stand. Of one point those of the project run first and yours behind them. A repository's hooks that you have not
granted are listed as off: 'reasonix permissions trust' shows and grants them. Nothing is run.`,
		Example: `  reasonix hook list
  reasonix hook list --output-format json | jq -r '.hooks[] | select(.event == "PreToolUse") | .command'`,
		Args: cobra.NoArgs,
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		s, err := open(app, *format == cmdutil.Text)
		if err != nil {
			return err
		}
		l := s.list()
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, l)
		}
		if len(l.Hooks)+len(l.Off) == 0 {
			_, err := fmt.Fprintln(app.Err, "there are no hooks; docs/hooks.md says how one is written")
			return err
		}
		return l.print(app.Out)
	}
	return cmd
}

func (s *scene) list() listing {
	l := listing{Dir: filepath.ToSlash(s.dir), Hooks: []listed{}, Off: []off{}}
	for _, h := range wire.Hooks(s.cfg) {
		l.Hooks = append(l.Hooks, s.listed(h))
	}
	points := hook.Points()
	sort.SliceStable(l.Hooks, func(i, j int) bool {
		a, b := l.Hooks[i].hook, l.Hooks[j].hook
		return cmp.Or(
			cmp.Compare(slices.Index(points, a.Event), slices.Index(points, b.Event)),
			cmp.Compare(later(a), later(b)),
		) < 0
	})
	for _, p := range s.cfg.Ungranted {
		if p.Kind == config.PartHook {
			l.Off = append(l.Off, offHook(p, s.place(p.File, p.Line)))
		}
	}
	return l
}

// offHook is a part that declares a hook, under the hook's own name.
func offHook(p config.Part, place string) off {
	name := p.Key
	if parts, err := config.SplitPath(p.Key); err == nil && len(parts) > 1 {
		name = parts[1]
	}
	return off{
		Name: name, ID: p.ID(), Text: p.Text, File: filepath.ToSlash(p.File), Line: p.Line,
		shown: config.Printable(name), place: place,
	}
}

// later sorts the user's hooks behind the project's, as they run.
func later(h hook.Hook) int {
	if h.FromProject {
		return 0
	}
	return 1
}

func (s *scene) listed(h hook.Hook) listed {
	limit := h.Timeout
	if limit <= 0 {
		limit = h.DefaultTimeout()
	}
	return listed{
		Name: h.Name, Event: string(h.Event), Match: h.Match, Command: h.Command, Dir: filepath.ToSlash(cmp.Or(h.Dir, s.dir)),
		TimeoutSeconds: limit.Seconds(), Scope: owner(h), Claude: h.Claude, File: filepath.ToSlash(h.File), Line: h.Line,
		place: s.place(h.File, h.Line), hook: h,
	}
}

func (l listing) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range l.Hooks {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", h.Event, config.Printable(cmp.Or(h.Match, "*")), config.Printable(h.hook.Title()), h.Scope, h.place)
	}
	for _, o := range l.Off {
		fmt.Fprintf(w, "off\t%s\t%s: %s\tproject\t%s\n", o.ID, o.shown, o.Text, o.place)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(l.Off) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(out, "\n%s off without your grant: reasonix permissions trust\n", of(len(l.Off)))
	return err
}

// of counts a repository's hooks with their verb.
func of(n int) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return cmdutil.Count(n, "hook") + " of this repository " + verb
}
