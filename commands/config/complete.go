package config

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeKeys offers every key, those of providers and plugins by the names
// that are configured.
func completeKeys(app *cmdutil.App) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, _ := config.LoadLenient(input(app)) // what is good is enough to complete
		return keys(c), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSet offers a key, then what that key can be.
func completeSet(app *cmdutil.App) completion {
	first := completeKeys(app)
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return first(cmd, args, word)
		}
		k, key, err := config.Lookup(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, _ := config.LoadLenient(input(app))
		return values(c, k, key), cobra.ShellCompDirectiveNoFileComp
	}
}

func keys(c *config.Config) []string {
	names := map[string][]string{}
	for _, p := range c.Providers {
		names["providers"] = append(names["providers"], p.Name)
	}
	for _, p := range c.Plugins {
		names["plugins"] = append(names["plugins"], p.Name)
	}
	for _, h := range c.Hooks {
		names["hooks"] = append(names["hooks"], h.Name)
	}
	var list []string
	for _, k := range config.Keys() {
		table, rest, named := strings.Cut(k.Path, ".<name>.")
		switch {
		case k.Retired:
		case !named:
			list = append(list, k.Path+"\t"+k.Doc)
		case !strings.Contains(rest, "<"):
			for _, name := range names[table] {
				list = append(list, table+"."+config.JoinPath([]string{name})+"."+rest+"\t"+k.Doc)
			}
		}
	}
	for _, path := range c.Paths() {
		if !slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, path+"\t") }) {
			list = append(list, path)
		}
	}
	return list
}

func values(c *config.Config, k config.Key, key string) []string {
	switch {
	case len(k.Enum) > 0:
		return k.Enum
	case k.Kind == config.KindBool:
		return []string{"true", "false"}
	case strings.HasSuffix(k.Path, "_model"):
		var refs []string
		for _, m := range c.Models() {
			refs = append(refs, m.Ref)
		}
		return refs
	}
	if v := c.Value(key); v != nil && v != config.Hidden {
		return []string{config.Render(v)}
	}
	return nil
}
