// Package models is `reasonix models`: every model of every configured provider
// with what is known of it, for a person as a table and for a script as JSON.
// `models check` says what is known of an endpoint and, with --online, tries it;
// nothing else here asks one. The root command adds it to the tree.
package models

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
)

// price is what a million tokens cost.
type price struct {
	CacheHit float64 `json:"cache_hit"`
	Input    float64 `json:"input"`
	Output   float64 `json:"output"`
	Currency string  `json:"currency"`
}

// model is one line. Zero and null mean that nothing is known.
type model struct {
	Model         string   `json:"model"` // provider/model
	Provider      string   `json:"provider"`
	Default       bool     `json:"default"`
	ContextWindow int      `json:"context_window"` // tokens
	Price         *price   `json:"price"`
	Efforts       []string `json:"efforts"`
	DefaultEffort string   `json:"default_effort"`
	KeyPresent    bool     `json:"key_present"` // or none is wanted
	KeySource     string   `json:"key_source"`  // file:line or env NAME
	Problem       string   `json:"problem,omitempty"`
}

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the configured models",
		Long: `List every model of every configured provider: what --model and default_model take.

The default is marked with *. The price is per million tokens: input, output, and input from the cache.
KEY says where the provider's key is from, "none needed" or "missing". No endpoint is asked: the models
an endpoint offers beyond those are listed by reasonix setup.`,
		Example: `  reasonix models
  reasonix models deepseek
  reasonix models --output-format json | jq -r '.[] | select(.key_present) | .model'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProviders(app),
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		cfg, err := config.Load(input(app))
		if err != nil {
			return err
		}
		if *format == cmdutil.Text {
			for _, w := range cfg.Warnings {
				fmt.Fprintf(app.Err, "warning: %s\n", w)
			}
		}
		found, err := listed(cfg, args)
		if err != nil {
			return err
		}
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, found)
		}
		return printTable(app, found)
	}
	cmd.AddCommand(newCheck(app))
	return cmd
}

func input(app *cmdutil.App) config.Input {
	return wire.Input(app.Home, app.WorkDir, app.Environ)
}

// listed describes the models of the provider in args, or of all.
func listed(cfg *config.Config, args []string) ([]model, error) {
	if len(args) == 1 && !slices.Contains(providers(cfg), args[0]) {
		err := cmdutil.Usagef("no provider %q is configured", args[0])
		return nil, cmdutil.WithHint(err, "the configured ones are: "+strings.Join(providers(cfg), ", "))
	}
	found := []model{}
	for _, m := range cfg.Models() {
		if len(args) == 0 || m.Provider.Name == args[0] {
			found = append(found, describe(cfg, m))
		}
	}
	return found, nil
}

func describe(cfg *config.Config, m config.Model) model {
	d := model{
		Model: m.Ref, Provider: m.Provider.Name, Default: m.Default, ContextWindow: m.ContextWindow,
		Efforts: m.Efforts, DefaultEffort: m.DefaultEffort, KeySource: filepath.ToSlash(cfg.KeySource(m.Provider)),
	}
	if d.Efforts == nil {
		d.Efforts = []string{}
	}
	if p := m.Price; p != nil {
		d.Price = &price{CacheHit: p.CacheHit, Input: p.Input, Output: p.Output, Currency: p.Currency}
	}
	_, err := cfg.Key(m.Provider)
	d.KeyPresent = err == nil
	if _, incomplete := cfg.ResolveModel(m.Ref); incomplete != nil {
		err = incomplete
	}
	if err != nil {
		d.Problem = err.Error()
	}
	return d
}

func printTable(app *cmdutil.App, list []model) error {
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tCONTEXT\tPRICE\tEFFORTS\tKEY")
	for _, m := range list {
		name := m.Model
		if m.Default {
			name += " *"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, m.context(), m.price(), m.efforts(), m.key())
	}
	return w.Flush()
}

func (m model) context() string {
	switch n := m.ContextWindow; {
	case n == 0:
		return "-"
	case n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "M"
	case n%1000 == 0:
		return strconv.Itoa(n/1000) + "k"
	default:
		return strconv.Itoa(n)
	}
}

func (m model) price() string {
	if m.Price == nil {
		return "-"
	}
	p := m.Price
	return fmt.Sprintf("%g / %g / %g %s", p.Input, p.Output, p.CacheHit, p.Currency)
}

// efforts lists the reasoning efforts, the default one in brackets.
func (m model) efforts() string {
	if len(m.Efforts) == 0 {
		return "-"
	}
	words := slices.Clone(m.Efforts)
	for i, e := range words {
		if e == m.DefaultEffort {
			words[i] = "[" + e + "]"
		}
	}
	return strings.Join(words, " ")
}

func (m model) key() string {
	switch {
	case m.KeySource != "":
		return m.KeySource
	case m.KeyPresent:
		return "none needed"
	}
	return "missing"
}

func providers(cfg *config.Config) []string {
	var names []string
	for i := range cfg.Providers {
		names = append(names, cfg.Providers[i].Name)
	}
	return names
}

func completeProviders(app *cmdutil.App) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		cfg, _ := config.LoadLenient(input(app)) // what is good is enough to complete
		return providers(cfg), cobra.ShellCompDirectiveNoFileComp
	}
}
