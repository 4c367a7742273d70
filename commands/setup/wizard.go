package setup

import (
	"context"
	"fmt"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/i18n"
)

// askLimit is how long an endpoint has to answer one question of the wizard.
const askLimit = 20 * time.Second

// A wizard asks for a provider, its key and a model, and writes the answers at
// the end. Nothing it does before leaves a trace.
type wizard struct {
	app     *cmdutil.App
	console *console
	world   wire.World
	cfg     *config.Config // what counts outside any project
	file    string         // the user's file
	entries []entry
	answers
}

// newWizard refuses, before any question, a file it could not change.
func newWizard(ctx context.Context, app *cmdutil.App) (*wizard, error) {
	in := config.Input{Home: app.Home, Environ: app.Environ}
	cfg, broken := config.LoadLenient(in)
	w := &wizard{
		app: app, console: newConsole(app, app.Out), world: world(app), cfg: cfg, entries: catalog(app),
	}
	w.file, _, _ = config.Files(in)
	if broken != nil {
		return nil, cmdutil.WithHint(broken, "mend that first; setup changes no file it cannot read")
	}
	return w, ctx.Err()
}

func (w *wizard) text(key string, args ...any) string {
	return i18n.T(w.cfg.Language, "setup."+key, args...)
}

func (w *wizard) say(key string, args ...any) { w.console.say(w.text(key, args...)) }

func (w *wizard) line(ctx context.Context, key string, args ...any) (string, error) {
	return w.console.line(ctx, w.text(key, args...))
}

func (w *wizard) run(ctx context.Context) error {
	w.say("welcome")
	w.say("demo")
	chosen, err := w.chooseProvider(ctx)
	if err != nil {
		return err
	}
	models, tried, err := w.connect(ctx, chosen)
	if err != nil {
		return err
	}
	if err := w.chooseModel(ctx, models); err != nil {
		return err
	}
	if !tried {
		if err := w.tryModel(ctx); err != nil {
			return err
		}
	}
	return w.write(ctx)
}

// write stores the key and changes the file, each in one step.
func (w *wizard) write(ctx context.Context) error {
	change, err := w.change(w.file)
	if err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	if err := w.valid(change); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if w.store {
		if err := config.StoreKey(w.app.Home, *w.provider.APIKeyEnv, w.key); err != nil {
			return cmdutil.Exit(cmdutil.CodeConfig, err)
		}
		w.say("stored", *w.provider.APIKeyEnv, slash(w.cfg.EnvFile))
	}
	if !change.Changed() {
		w.say("same", slash(w.file))
		return w.close()
	}
	if err := change.Write(); err != nil {
		return err
	}
	w.say("wrote", slash(change.Path))
	if change.Backup != "" {
		w.say("backup", slash(change.Backup))
	}
	return w.close()
}

// valid checks what the file would say.
func (w *wizard) valid(change config.Change) error {
	cfg, err := config.Load(config.Input{
		Home: w.app.Home, Environ: w.app.Environ, Texts: map[string][]byte{change.Path: change.After},
	})
	if err == nil {
		_, err = cfg.ResolveModel(w.ref())
	}
	if err != nil {
		return cmdutil.WithHint(fmt.Errorf("setup: the answers do not make a configuration: %w", err), "nothing was changed")
	}
	return nil
}

// close says what comes next, and whether the new default counts here at all.
func (w *wizard) close() error {
	cfg, _ := config.LoadLenient(wire.Input(w.app.Home, w.app.WorkDir, w.app.Environ))
	if o := cfg.Origin("default_model"); o.Layer == config.LayerEnv || o.Layer == config.LayerProject {
		w.say("hidden", slash(o.String()))
	}
	w.say("caution")
	w.say("next")
	return nil
}
