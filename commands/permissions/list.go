package permissions

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/permission"
)

// listing is what list prints.
type listing struct {
	Dir              string   `json:"dir"`
	Rules            []listed `json:"rules"` // in the order in which they count
	Mode             setting  `json:"mode"`
	Posture          setting  `json:"posture"`
	Headless         setting  `json:"headless"`
	ReadOnlyCommands setting  `json:"read_only_commands"`
	Places           places   `json:"places"`
	Commands         []string `json:"commands,omitempty"` // with --read-only-commands
	home             string   // the user's
}

// listed is a rule and where it stands.
type listed struct {
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"`
	Layer   string `json:"layer"`
	File    string `json:"file"` // or the variable; "" for a flag
	Line    int    `json:"line"`
	On      bool   `json:"on"`
	Granted bool   `json:"granted"` // a project's rule that the user granted
	Why     string `json:"why"`     // why it is off
	place   string
}

// setting is one word of [permissions].
type setting struct {
	Value  string `json:"value"`
	Layer  string `json:"layer"`
	Source string `json:"source"`
}

// places are the paths that count without a rule.
type places struct {
	Write     []string `json:"write"`
	Hidden    []string `json:"hidden"`
	Bare      []string `json:"readable_below_hidden"`
	Protected []string `json:"protected"`
	Names     []string `json:"protected_names"`
	Secrets   []string `json:"secrets"`
}

func newList(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules in force and where they stand",
		Long: `List the rules in force, in the order in which they count, with the file and line of each one, and what
counts without a rule: the mode, the posture, what becomes of a question where nobody can be asked, and the
places that are protected. A project's rule that waits for a grant is listed as off.`,
		Example: `  reasonix permissions list
  reasonix permissions list --read-only-commands
  reasonix permissions list --output-format json | jq -r '.rules[] | select(.on) | .rule'`,
		Args: cobra.NoArgs,
	}
	dir := cmd.Flags().String("dir", "", "as in a session in this directory")
	table := cmd.Flags().Bool("read-only-commands", false, "also the shell commands that run without a question because they only read")
	format := cmdutil.OutputFormat(cmd)
	_ = cmd.MarkFlagDirname("dir")
	cmd.RunE = func(*cobra.Command, []string) error {
		at, err := workspace(app, *dir)
		if err != nil {
			return err
		}
		s, err := open(app, at, *format == cmdutil.Text)
		if err != nil {
			return err
		}
		l := s.list(*table)
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, l)
		}
		return l.print(app.Out, app.ColorOut())
	}
	return cmd
}

func (s *scene) list(table bool) listing {
	l := listing{
		Dir: filepath.ToSlash(s.dir()), Rules: []listed{}, home: filepath.ToSlash(s.policy.Home),
		Mode: s.setting("permissions.mode"), Posture: s.setting("permissions.posture"), Headless: s.setting("permissions.headless"),
		ReadOnlyCommands: s.setting("permissions.read_only_commands"),
		Places: places{
			Write: slashed(s.policy.Places.Write), Hidden: slashed(s.policy.Places.Hidden), Bare: slashed(s.policy.Places.Bare),
			Protected: slashed(s.policy.Places.Protected), Names: slashed(s.policy.Places.Names), Secrets: slashed(s.policy.Places.Secrets),
		},
	}
	for _, r := range standings(s.cfg, map[string][]byte{}) {
		text := r.Rule.String()
		if r.err != nil {
			text = r.text
		}
		l.Rules = append(l.Rules, listed{
			Verdict: r.decision.String(), Rule: text, Layer: string(r.layer), File: r.file, Line: r.line,
			On: r.off == "", Granted: r.granted, Why: r.off, place: r.place(),
		})
	}
	if table {
		l.Commands = permission.ReadOnlyCommands()
	}
	return l
}

func (s *scene) setting(key string) setting {
	o := s.cfg.Origin(key)
	return setting{Value: fmt.Sprint(s.cfg.Value(key)), Layer: string(o.Layer), Source: filepath.ToSlash(o.String())}
}

func (l listing) print(out io.Writer, color bool) error {
	var b strings.Builder
	if len(l.Rules) == 0 {
		fmt.Fprintln(&b, "no rules")
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range l.Rules {
		word := r.Verdict
		if !r.On {
			word = "off"
		}
		line := fmt.Sprintf("%s\t%s\t%s", word, config.Printable(r.Rule), config.Printable(r.place))
		switch {
		case !r.On:
			line += "\t" + r.Verdict + ", " + config.Printable(r.Why)
		case r.Granted:
			line += "\tgranted"
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	for _, line := range []struct {
		name string
		setting
	}{{"mode", l.Mode}, {"posture", l.Posture}, {"headless", l.Headless}, {"read-only commands", l.ReadOnlyCommands}} {
		fmt.Fprintf(w, "%s\t%s\t%s\n", line.name, line.Value, config.Printable(line.Source))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	l.Places.print(&b, l.home)
	if len(l.Commands) > 0 {
		fmt.Fprintf(&b, "\ncommands that only read:\n%s", readers(l.Commands))
	}
	_, err := io.WriteString(out, colored(b.String(), color))
	return err
}

// readers is the table of commands that only read.
func readers(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(wrapped(strings.Fields(line)))
	}
	return b.String()
}

// width is how wide lists are printed, in columns.
const width = 100

// wrapped is words in indented lines.
func wrapped(words []string) string {
	var b strings.Builder
	column := 0
	for i, word := range words {
		switch {
		case i == 0:
			b.WriteString("  ")
			column = 2
		case column+1+len(word) > width:
			b.WriteString("\n      ")
			column = 6
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}

// colored paints the verdicts at the beginning of lines.
func colored(text string, color bool) string {
	if !color {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if word, rest, ok := strings.Cut(line, " "); ok {
			lines[i] = paint(word, true) + " " + rest
		}
	}
	return strings.Join(lines, "")
}

// print writes the places, those of the user's home from "~".
func (p places) print(b *strings.Builder, home string) {
	for _, group := range []struct {
		title string
		paths []string
	}{
		{"writable besides the working directory", p.Write},
		{"neither read nor written", p.Hidden},
		{"readable although below such a place", p.Bare},
		{"written only after a review each time", p.Protected},
		{"the same, wherever it stands in a writable directory", p.Names},
		{"read only after a review each time, unless a rule names it", p.Secrets},
	} {
		if len(group.paths) == 0 {
			continue
		}
		words := make([]string, len(group.paths))
		for i, path := range group.paths {
			if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "" {
				path = "~/" + rest
			}
			words[i] = config.Printable(path)
			if i < len(words)-1 {
				words[i] += ","
			}
		}
		fmt.Fprintf(b, "\n%s:\n%s", group.title, wrapped(words))
	}
}
