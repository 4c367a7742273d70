package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/provider"
)

// checkLimit is how long one provider has to answer.
const checkLimit = 15 * time.Second

// What a check found.
const (
	statusOK         = "ok"
	statusNoKey      = "no_key"
	statusIncomplete = "incomplete"
	statusRefused    = "refused" // the endpoint does not take the key
	statusFailed     = "failed"
)

// checkResult is one provider's line.
type checkResult struct {
	Provider   string `json:"provider"`
	Model      string `json:"model,omitempty"` // the model asked
	Default    bool   `json:"default"`         // default_model is one of its models
	Status     string `json:"status"`
	Key        string `json:"key,omitempty"` // where it is from
	Models     int    `json:"models"`        // how many it lists
	Phase      string `json:"phase,omitempty"`
	HTTP       int    `json:"http_status,omitempty"`
	Message    string `json:"message,omitempty"`
	Millis     int64  `json:"duration_ms"`
	codeIfUsed int
}

type checkReport struct {
	OK        bool          `json:"ok"`
	Providers []checkResult `json:"providers"`
}

// checkProviders tries every provider, all at once.
func checkProviders(ctx context.Context, app *cmdutil.App, format string) error {
	cfg, err := config.Load(wire.Input(app.Home, app.WorkDir, app.Environ))
	if err != nil {
		return err
	}
	results := make([]checkResult, len(cfg.Providers))
	var wg sync.WaitGroup
	for i := range cfg.Providers {
		wg.Go(func() { results[i] = checkProvider(ctx, app, cfg, &cfg.Providers[i]) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	code := cmdutil.CodeOK
	for _, r := range results {
		if r.codeIfUsed != cmdutil.CodeOK && (code == cmdutil.CodeOK || r.codeIfUsed < code) {
			code = r.codeIfUsed
		}
	}
	if err := printCheck(app, checkReport{OK: code == cmdutil.CodeOK, Providers: results}, format); err != nil {
		return err
	}
	return cmdutil.Exit(code, nil)
}

func checkProvider(ctx context.Context, app *cmdutil.App, cfg *config.Config, p *config.Provider) checkResult {
	r := checkResult{Provider: p.Name, Status: statusOK, Key: slash(cfg.KeySource(p))}
	for _, m := range cfg.Models() {
		r.Default = r.Default || m.Default && m.Provider.Name == p.Name
	}
	m, err := cfg.ResolveModel(p.Name)
	if err != nil {
		return r.fail(statusIncomplete, err)
	}
	r.Model = m.Ref
	key, err := cfg.Key(p)
	if err != nil {
		return r.fail(statusNoKey, err)
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	start := app.Now()
	probed, err := world(app).Probe(ctx, cfg, m, key)
	r.Millis, r.Models = app.Now().Sub(start).Milliseconds(), len(probed.Models)
	if err != nil {
		return r.fail(statusFailed, err)
	}
	return r
}

// fail fills in what went wrong and which exit code that is. A provider nobody
// gave a key to is of no concern unless it is the default.
func (r checkResult) fail(status string, err error) checkResult {
	r.Status, r.Message, r.codeIfUsed = status, err.Error(), cmdutil.CodeProvider
	var f *provider.Failure
	if errors.As(err, &f) {
		r.Phase, r.HTTP = f.Phase, f.Status
	}
	switch {
	case f != nil && f.Kind == provider.KindAuth:
		r.Status, r.codeIfUsed = statusRefused, cmdutil.CodeConfig
	case status == statusNoKey && !r.Default:
		r.codeIfUsed = cmdutil.CodeOK
	case cmdutil.CodeOf(err) == cmdutil.CodeConfig:
		r.codeIfUsed = cmdutil.CodeConfig
	}
	return r
}

func printCheck(app *cmdutil.App, report checkReport, format string) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(app.Out, report)
	}
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROVIDER\tSTATUS\tMODEL\tDETAIL")
	for _, r := range report.Providers {
		name := r.Provider
		if r.Default {
			name += " *"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, strings.ReplaceAll(r.Status, "_", " "), orDash(r.Model), r.detail())
	}
	return w.Flush()
}

func (r checkResult) detail() string {
	switch {
	case r.Message != "" && r.Phase != "":
		return fmt.Sprintf("%s (%s)", r.Message, strings.ReplaceAll(r.Phase, "_", " "))
	case r.Message != "":
		return r.Message
	case r.Models == 0:
		return fmt.Sprintf("answers in %d ms", r.Millis)
	}
	return fmt.Sprintf("%s, answers in %d ms", cmdutil.Count(r.Models, "model"), r.Millis)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
