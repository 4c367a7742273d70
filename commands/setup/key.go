package setup

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
)

// maxKey bounds a key read from standard input, in bytes.
const maxKey = 64 << 10

func newKey(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key NAME",
		Short: "Store one key in <home>/.env",
		Long: `Store one key in <home>/.env, which only you can read.

The key is read from standard input, or without an echo when that is a terminal; it is never an argument,
because other users can see those. NAME is the variable a provider names with api_key_env; one that no
provider names is stored with a warning.`,
		Example: `  reasonix setup key DEEPSEEK_API_KEY
  pass show deepseek | reasonix setup key DEEPSEEK_API_KEY
  reasonix setup key OLD_API_KEY --remove`,
		Args:              keyArgs,
		ValidArgsFunction: completeKeyNames(app),
	}
	remove := cmd.Flags().Bool("remove", false, "remove the key instead")
	cmdutil.MayExit(cmd, cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := app.RequireHome(); err != nil {
			return err
		}
		if !variable(args[0]) {
			return cmdutil.Usagef("%q is no variable's name: want letters, digits and _", args[0])
		}
		if *remove {
			return removeKey(app, args[0])
		}
		value, err := readKey(cmd, app, args[0])
		if err != nil {
			return err
		}
		return storeKey(app, args[0], value)
	}
	return cmd
}

// keyArgs wants the name and nothing else. What else there is may be the key, so
// it is not repeated.
func keyArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cmdutil.WithHint(cmdutil.Usagef("no variable is named"), "name the variable, e.g. reasonix setup key DEEPSEEK_API_KEY")
	case len(args) > 1:
		return cmdutil.WithHint(cmdutil.Usagef("a key is never an argument: if the second one is a key, it is now in your shell's history"),
			"delete it there, then give it on standard input or when asked: reasonix setup key NAME")
	}
	return nil
}

func readKey(cmd *cobra.Command, app *cmdutil.App, name string) (string, error) {
	var value string
	var err error
	if app.StdinTTY {
		ctx, stop := cmdutil.WithSignals(cmd.Context())
		defer stop()
		value, err = newConsole(app, app.Err).hidden(ctx, name+" (not shown): ")
	} else {
		var all []byte
		all, err = io.ReadAll(io.LimitReader(app.In, maxKey+1))
		value = strings.TrimSpace(string(all))
	}
	switch {
	case err != nil:
		return "", err
	case value == "":
		return "", cmdutil.WithHint(cmdutil.Usagef("no key was given for %s", name), "give it on standard input, or use --remove")
	case len(value) > maxKey || !oneLine(value):
		return "", cmdutil.Usagef("the key for %s is not one line of text", name)
	}
	return value, nil
}

// oneLine reports whether a key could be stored and sent.
func oneLine(key string) bool {
	return strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

func storeKey(app *cmdutil.App, name, value string) error {
	if err := config.StoreKey(app.Home, name, value); err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	if _, err := fmt.Fprintf(app.Out, "stored %s in %s\n", name, slash(envFile(app))); err != nil {
		return err
	}
	if all := names(app); !slices.Contains(all, name) {
		fmt.Fprintf(app.Err, "warning: nothing refers to it: no configured provider has api_key_env = %q, and no MCP server of yours ${%s}%s\n", name, name, meant(name, all))
	}
	return nil
}

// removeKey removes a key, and says so when there is none.
func removeKey(app *cmdutil.App, name string) error {
	did := "%s is not in %s: nothing was changed\n"
	has, err := config.HasKey(app.Home, name)
	if has && err == nil {
		did = "removed %s from %s\n"
		err = config.StoreKey(app.Home, name, "")
	}
	if err != nil {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	_, err = fmt.Fprintf(app.Out, did, name, slash(envFile(app)))
	return err
}

func envFile(app *cmdutil.App) string {
	_, _, env := config.Files(config.Input{Home: app.Home})
	return env
}

// meant says which of the variables may have been meant: the nearest, else which
// there are.
func meant(name string, all []string) string {
	if near := cmdutil.Nearest(name, all); near != "" {
		return " (is it " + near + "?)"
	}
	if len(all) > 0 {
		return "; what is referred to is " + strings.Join(all, ", ")
	}
	return ""
}

func variable(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}

// names lists the variables that configured providers and servers of the user refer to.
func names(app *cmdutil.App) []string {
	cfg, _ := config.LoadLenient(wire.Input(app.Home, app.WorkDir, app.Environ)) // what is good is enough
	var list []string
	for i := range cfg.Providers {
		if name := cfg.Providers[i].APIKeyEnv; name != nil && *name != "" && !slices.Contains(list, *name) {
			list = append(list, *name)
		}
	}
	for i := range cfg.Plugins {
		if p := &cfg.Plugins[i]; !p.FromProject {
			list = append(list, p.Variables()...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func completeKeyNames(app *cmdutil.App) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(app), cobra.ShellCompDirectiveNoFileComp
	}
}
