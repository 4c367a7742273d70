package models

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/provider/trial"
)

const checkLong = `Say what is known of a provider's endpoint, and whether its configuration is complete.

The profile is what reasonix expects of the vendor, by the host of base_url: where reasoning comes and whether
it is sent back, what is not sent, where the token counts are. docs/providers.md lists all of them. Without
--online nothing is sent. PROVIDER is a provider's name or provider/model; without it every provider is looked at.

--online tries the endpoint itself, without PROVIDER that of the default model: its list of models, a short
text, a tool call and its result, calls side by side, reasoning and its replay, token counts. That costs tokens:
at most 12 requests of about 400 tokens, each answered with at most 1024; the bound is said before the first.
It prints what the endpoint takes, where that differs from the profile, and the lines to set in the
provider's block.

A provider without a key only counts as wrong when it was named or is the default. Exit code 3 means that the
configuration is incomplete or the key is refused, 4 that an agent cannot work with the endpoint.`

func newCheck(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [PROVIDER]",
		Short: "Check a provider's configuration and, with --online, its endpoint",
		Long:  checkLong,
		Example: `  reasonix models check
  reasonix models check deepseek --online
  reasonix models check box/large --online --output-format json | jq '.providers[].config'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProviders(app),
	}
	online := cmd.Flags().Bool("online", false, "send requests to the endpoint; costs tokens")
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeProvider, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		cfg, err := config.Load(input(app))
		if err != nil {
			return err
		}
		c := checker{app: app, cfg: cfg, online: *online, text: *format == cmdutil.Text}
		return c.run(ctx, args)
	}
	return cmd
}

// checker is one run of `models check`.
type checker struct {
	app    *cmdutil.App
	cfg    *config.Config
	online bool
	text   bool              // print lines as they come; else JSON at the end
	reach  http.RoundTripper // nil: the network
}

// The statuses of a line. Those of package trial are the same words.
const (
	statusOK     = string(trial.OK)
	statusNote   = string(trial.Noted)
	statusFailed = string(trial.Failed)
)

// line is one check.
type line struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, note, failed, skipped
	Detail string `json:"detail"`
}

// checked is what is said of one provider.
type checked struct {
	Provider string   `json:"provider"`
	Model    string   `json:"model"` // provider/model, empty when it has none
	Default  bool     `json:"default"`
	Profile  *profile `json:"profile"` // null for a kind without a vendor's endpoint
	Checks   []line   `json:"checks"`
	Online   *tried   `json:"online,omitempty"`
	Config   []string `json:"config"` // lines to set in the provider's block

	code int
}

type checkReport struct {
	OK        bool      `json:"ok"`
	Providers []checked `json:"providers"`
}

func (c *checker) run(ctx context.Context, args []string) error {
	targets, err := c.targets(args)
	if err != nil {
		return err
	}
	report := checkReport{Providers: []checked{}}
	code := cmdutil.CodeOK
	for i, t := range targets {
		if i > 0 && c.text {
			fmt.Fprintln(c.app.Out)
		}
		r, err := c.check(ctx, t)
		if err != nil {
			return err
		}
		report.Providers = append(report.Providers, r)
		if r.code != cmdutil.CodeOK && (code == cmdutil.CodeOK || r.code < code) {
			code = r.code
		}
	}
	report.OK = code == cmdutil.CodeOK
	if !c.text {
		if err := cmdutil.PrintJSON(c.app.Out, report); err != nil {
			return err
		}
	}
	return cmdutil.Exit(code, nil)
}

// target is one provider to look at. wanted says that it matters when it cannot be
// used.
type target struct {
	ref    string // a provider's name, or provider/model
	p      *config.Provider
	wanted bool
}

func (c *checker) targets(args []string) ([]target, error) {
	if len(args) == 1 {
		return c.named(args[0])
	}
	var all []target
	chosen := ""
	if m, err := c.cfg.ResolveModel(""); err == nil {
		chosen = m.Provider.Name
	}
	for i := range c.cfg.Providers {
		p := &c.cfg.Providers[i]
		t := target{ref: p.Name, p: p, wanted: p.Name == chosen}
		if t.wanted && c.online {
			return []target{{c.cfg.DefaultModel, p, true}}, nil
		}
		all = append(all, t)
	}
	if c.online {
		return nil, cmdutil.Exit(cmdutil.CodeConfig, fmt.Errorf("default_model %q is no configured model: name a provider to ask", c.cfg.DefaultModel))
	}
	return all, nil
}

func (c *checker) named(ref string) ([]target, error) {
	name, model, _ := strings.Cut(ref, "/")
	i := slices.IndexFunc(c.cfg.Providers, func(p config.Provider) bool { return p.Name == name })
	if i < 0 {
		err := cmdutil.Usagef("no provider %q is configured", name)
		return nil, cmdutil.WithHint(err, "the configured ones are: "+strings.Join(providers(c.cfg), ", "))
	}
	if model != "" && !slices.ContainsFunc(c.cfg.Models(), func(m config.Model) bool { return m.Ref == ref }) {
		return nil, cmdutil.WithHint(cmdutil.Usagef("no model %q is configured", ref), "see reasonix models "+name)
	}
	return []target{{ref, &c.cfg.Providers[i], true}}, nil
}

// check looks at one provider and prints what it finds.
func (c *checker) check(ctx context.Context, t target) (checked, error) {
	r := checked{Provider: t.p.Name, Config: []string{}}
	m, err := c.cfg.ResolveModel(t.ref)
	if err == nil {
		r.Model, r.Default = m.Ref, m.Default
	}
	r.Profile = profileOf(t.p)
	c.heading(r)
	key := c.static(&r, t, m, err)
	c.describe(r.Profile)
	if c.online && r.code == cmdutil.CodeOK && r.Profile != nil {
		return r, c.try(ctx, &r, m, key)
	}
	return r, nil
}
