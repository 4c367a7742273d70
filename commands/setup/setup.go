// Package setup is `reasonix setup`: it connects a model. On a terminal it asks
// (provider, key, default model), tries the key, and writes what was answered at
// the end and in one step a file; elsewhere it writes the commented example file
// and says what to edit. `setup key` stores one key, `setup --check` tries every
// provider. Keys go to <home>/.env and are never printed. It decides nothing
// about configuration itself: core/config edits files and resolves models, and
// wire asks endpoints. The root command adds it to the tree.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/core/i18n"
)

const long = `Connect a model.

On a terminal setup asks for a provider, its key and the default model. It looks for model servers on
this machine (Ollama, LM Studio, llama.cpp, vLLM), tries the key, and lists the models. At the end it
stores the key in <home>/.env and changes the keys you answered in <home>/config.toml; everything else
in that file stays as it is, and the old file is kept beside it as .bak. A new file has what you answered
and nothing else. Ctrl-C before that writes nothing.

Without a terminal it writes <home>/config.toml with every key, its default and a comment, unless there
is one already, and says what to edit. --local writes reasonix.toml in the working directory, with
every key commented out.

--check tries every provider that has its key. It exits with 3 when the default model cannot be used for
lack of a key or a key is refused, and with 4 when an endpoint does not answer as it should.`

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Connect a model: provider, key, default",
		Long:  long,
		Example: `  reasonix setup
  reasonix setup --check
  reasonix setup key DEEPSEEK_API_KEY < key.txt`,
		Args: cobra.NoArgs,
	}
	local := cmd.Flags().Bool("local", false, "write reasonix.toml in the working directory, without questions")
	check := cmd.Flags().Bool("check", false, "try every configured provider")
	format := cmdutil.OutputFormat(cmd)
	cmdutil.MayExit(cmd, cmdutil.CodeProvider, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.AddCommand(newKey(app))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		switch {
		case *local && *check:
			return cmdutil.Usagef("--local and --check exclude each other")
		case *check:
			return checkProviders(ctx, app, *format)
		case cmd.Flags().Changed("output-format"):
			return cmdutil.Usagef("--output-format goes with --check")
		case *local:
			return writeLocal(app)
		case app.StdinTTY && app.StdoutTTY:
			return ask(ctx, app)
		default:
			return writeDefault(app)
		}
	}
	return cmd
}

// world is the process as wire sees it.
func world(app *cmdutil.App) wire.World {
	return wire.World{Home: app.Home, Version: app.Version, Environ: app.Environ, Now: app.Now}
}

// ask runs the wizard.
func ask(ctx context.Context, app *cmdutil.App) error {
	if _, err := app.RequireHome(); err != nil {
		return err
	}
	w, err := newWizard(ctx, app)
	if err != nil {
		return err
	}
	return w.run(ctx)
}

// writeDefault writes the user's file for somebody who will edit it.
func writeDefault(app *cmdutil.App) error {
	if _, err := app.RequireHome(); err != nil {
		return err
	}
	path, _, env := config.Files(config.Input{Home: app.Home})
	if err := create(app, path, config.Example()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(app.Out, `Nothing was asked, because this is no terminal: a new file has every key with its default.
Choose the model: edit default_model and [[providers]] in that file.
Store its key in %s: reasonix setup key DEEPSEEK_API_KEY (or the name in api_key_env) < file
Try it: reasonix setup --check
%s
`, slash(env), i18n.T(i18n.English, "setup.caution"))
	return err
}

// writeLocal writes the project's file for somebody who will edit it.
func writeLocal(app *cmdutil.App) error {
	dir, err := app.RequireWorkDir()
	if err != nil {
		return err
	}
	if err := create(app, filepath.Join(dir, config.ProjectFileName), projectExample()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(app.Out, "Remove the # before what the project should set. Provider keys stay in your own .env.")
	return err
}

// create writes a new file and leaves one that is there as it is.
func create(app *cmdutil.App, path string, text []byte) error {
	_, err := os.Lstat(path)
	if err == nil {
		_, err := fmt.Fprintf(app.Out, "%s is there already and stays as it is\n", slash(path))
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	change := config.Change{Path: path, After: text}
	if err := change.Write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(app.Out, "wrote %s\n", slash(path))
	return err
}

// slash shows a path with forward slashes, on every system.
func slash(s string) string { return filepath.ToSlash(s) }
