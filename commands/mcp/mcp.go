// Package mcp is `reasonix mcp`: list, show, add, remove, turn on and off, import,
// trust, log in to, examine and call the MCP servers that sessions in a directory
// have. The files are core/config's, the grants core/trust's, the client is
// integrations/mcp. Only the verbs that say so start a server, and never one that
// its user has not let start. The root command adds it to the tree.
package mcp

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/config"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "List, add, trust, examine and call MCP servers",
		Long: `List, add, trust, examine and call MCP servers, whose tools the model is offered as mcp__<server>__<tool>.

A server of yours is a [[plugins]] block in <home>/config.toml. A repository declares its own in reasonix.toml or
.mcp.json; those are off until you let them start with: reasonix mcp trust NAME. docs/mcp.md has the whole of it.`,
		Example: `  reasonix mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  reasonix mcp add docs https://mcp.example.com --header 'Authorization: Bearer ${DOCS_TOKEN}'
  reasonix mcp list
  reasonix mcp doctor files`,
	}
	d := &desk{app: app}
	cmd.AddCommand(newList(d), newGet(d), newAdd(d), newRemove(d), newEnable(d, true), newEnable(d, false), newImport(d), newTrust(d), newAuth(d), newDoctor(d), newTools(d), newCall(d))
	return cmd
}

// A desk is where one invocation works.
type desk struct{ app *cmdutil.App }

func (d *desk) input() config.Input { return wire.Input(d.app.Home, d.app.WorkDir, d.app.Environ) }

// load reads the configuration as a session here would, as far as it is good, and
// says on stderr what is odd about the files of servers. The error is about what is
// not good.
func (d *desk) load(tell bool) (*config.Config, error) {
	cfg, err := config.LoadLenient(d.input())
	for _, w := range cfg.Warnings {
		if tell && (w.Code == wire.WarnGrants || w.Code == config.WarnServers || w.Code == config.WarnLink) {
			fmt.Fprintf(d.app.Err, "warning: %s\n", slash(w.String()))
		}
	}
	return cfg, err
}

// Scopes are the files that a server can be written to.
const (
	scopeUser    = "user"
	scopeProject = "project"
)

// file is the file of a scope.
func (d *desk) file(scope string) (string, error) {
	user, project, _ := config.Files(d.input())
	if scope == scopeProject {
		_, err := d.app.RequireWorkDir()
		return project, err
	}
	_, err := d.app.RequireHome()
	return user, err
}

// unknown is the error of a name that no server has.
func unknown(cfg *config.Config, name string) error {
	names := serverNames(cfg)
	hint := "reasonix mcp list shows the servers, reasonix mcp add adds one"
	if near := cmdutil.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return cmdutil.WithHint(cmdutil.Usagef("there is no MCP server %q here", name), hint)
}

// serverNames are those of all servers, started or not, sorted.
func serverNames(cfg *config.Config) []string {
	var names []string
	for _, e := range entries(cfg) {
		names = append(names, e.Name)
	}
	return names
}

// partServer is the name of the server that a part declares, "" for another part.
func partServer(p config.Part) string {
	if p.Kind != config.PartServer {
		return ""
	}
	parts, err := config.SplitPath(p.Key)
	if err != nil || len(parts) != 2 {
		return ""
	}
	return parts[1]
}

// completeNames offers the servers that keep says yes to; nil: all.
func (d *desk) completeNames(keep func(entry) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		cfg, _ := d.load(false) // what is good is enough to complete
		var words []string
		for _, e := range entries(cfg) {
			if keep == nil || keep(e) {
				words = append(words, cobra.CompletionWithDesc(config.Printable(e.Name), e.State+" "+e.target()))
			}
		}
		slices.Sort(words)
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// slash shows a path with forward slashes, on every system.
func slash(s string) string { return filepath.ToSlash(s) }

// absolute is a path from the working directory.
func (d *desk) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(d.app.WorkDir, path)
}
