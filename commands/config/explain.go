package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

type explained struct {
	Key      string      `json:"key"`
	Type     string      `json:"type"`
	Doc      string      `json:"doc"`
	Values   []string    `json:"values,omitempty"` // what it can be
	Variable string      `json:"variable,omitempty"`
	Notes    []string    `json:"notes,omitempty"`
	Value    any         `json:"value"`
	Origin   origin      `json:"origin"`
	Layers   []layerSaid `json:"layers"` // strongest first
	Off      []offPart   `json:"off,omitempty"`
	Problems []problem   `json:"problems"`
}

// An offPart is what a project's file says about the key, and does not count.
type offPart struct {
	Part    string `json:"part"`
	Value   string `json:"value"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Command string `json:"command"` // shows it and asks about granting it
}

// offParts are the parts that are off of what key is, or holds.
func offParts(c *config.Config, key string) []offPart {
	var off []offPart
	for _, p := range c.Ungranted {
		if within(key, p.Key) || within(p.Key, key) {
			off = append(off, offPart{p.Label(), p.Text, slash(p.File), p.Line, p.TrustCommand()})
		}
	}
	return off
}

// within reports whether key is table or stands in it.
func within(key, table string) bool { return strings.HasPrefix(key+".", table+".") }

func (p offPart) String() string {
	return fmt.Sprintf("%s = %s  (%s:%d; until you grant it: %s)", p.Part, p.Value, p.File, p.Line, p.Command)
}

type layerSaid struct {
	Value  any    `json:"value"`
	Origin origin `json:"origin"`
	text   string
}

func newExplain(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain KEY",
		Short: "Say what one key means, what it is and why",
		Long: `Say what one key means, its value, which layer set it, and what it would be otherwise. What a project's
file says about it and does not count is shown with the command that grants it.

Of a table, such as permissions, it lists the keys. Names with a dot are quoted:
providers.deepseek.model_overrides."deepseek-v4.5".context_window.`,
		Example: `  reasonix config explain default_model
  reasonix config explain permissions
  reasonix config explain providers.deepseek.base_url`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeKeys(app),
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c, err := load(input(app))
		k, key, unknown := config.Lookup(args[0])
		if unknown != nil {
			if table := tableOf(c, args[0]); len(table.Keys) > 0 {
				return table.print(app, c, err, *format)
			}
			return unknownKey(unknown)
		}
		e := explain(c, k, key)
		e.Problems = problems(c, err)
		if *format == cmdutil.JSON {
			if err := cmdutil.PrintJSON(app.Out, e); err != nil {
				return err
			}
			return broken(err)
		}
		if _, err := fmt.Fprint(app.Out, e.text(k)); err != nil {
			return err
		}
		if err == nil {
			e.Problems = about(key, e.Problems)
		}
		printProblems(app.Err, e.Problems)
		return broken(err)
	}
	return cmd
}

// about picks the problems that name key, such as a project's value of it that
// is ignored.
func about(key string, list []problem) []problem {
	return slices.DeleteFunc(list, func(p problem) bool {
		return !slices.ContainsFunc(p.Keys, func(of string) bool { return within(key, of) })
	})
}

func explain(c *config.Config, k config.Key, key string) explained {
	origins := c.Origins(key)
	e := explained{
		Key: key, Type: string(k.Kind), Doc: k.Doc, Values: k.Enum, Variable: k.EnvName(), Notes: k.Notes(),
		Value: c.Value(key), Origin: originOf(origins[0]), Off: offParts(c, key),
	}
	for _, o := range origins {
		e.Layers = append(e.Layers, layerSaid{config.Mask(key, o.Value), originOf(o), slash(o.String())})
	}
	return e
}

func (e explained) text(k config.Key) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s\n\n%s\n", e.Key, text(e.Value), e.Doc)
	for _, note := range e.Notes {
		fmt.Fprintln(&b, note)
	}
	fmt.Fprintf(&b, "\ntype      %s\n", e.Type)
	if len(e.Values) > 0 {
		fmt.Fprintf(&b, "values    %s\n", strings.Join(e.Values, ", "))
	}
	if e.Variable != "" {
		fmt.Fprintf(&b, "variable  %s\n", e.Variable)
	}
	fmt.Fprintf(&b, "from      %s\n", e.Layers[0].text)
	for _, p := range e.Off {
		fmt.Fprintf(&b, "off       %s\n", p)
	}
	if len(e.Layers) == 1 {
		return b.String()
	}
	label := "otherwise"
	if k.Accumulate {
		label = "added up"
		fmt.Fprintf(&b, "%-9s %s  (%s)\n", label, text(e.Layers[0].Value), e.Layers[0].text)
		label = ""
	}
	for _, l := range e.Layers[1:] {
		fmt.Fprintf(&b, "%-9s %s  (%s)\n", label, text(l.Value), l.text)
		label = ""
	}
	return b.String()
}
