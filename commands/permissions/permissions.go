// Package permissions is `reasonix permissions`: what the rules in force make of
// a call and why, which rules there are and where each one stands, what is wrong
// with them, and which widening parts of a repository the user trusts. It decides
// nothing: core/permission judges, core/trust keeps the grants. No session is
// opened. The root command adds it to the tree.
package permissions

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "permissions",
		Short: "Explain, list and check what may run without asking",
		Long: `Explain, list and check what may run without asking.

A rule is Tool or Tool(specifier), such as Bash(go test:*), Edit(docs/**) or web_fetch(domain:example.com).
deny beats ask, ask beats allow; without a rule reading is allowed and anything else is what permissions.mode
says. A shell command is judged by each simple command in it. docs/permissions.md has the whole of it.`,
		Example: `  reasonix permissions explain 'git status && rm -rf build'
  reasonix permissions list
  reasonix permissions check
  reasonix permissions trust --show`,
	}
	cmd.AddCommand(newExplain(app), newList(app), newCheck(app), newTrust(app))
	return cmd
}

// workspace is the directory that --dir names, else the working directory.
func workspace(app *cmdutil.App, name string) (string, error) {
	if name == "" {
		return app.RequireWorkDir()
	}
	dir := absolute(app.WorkDir, name)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = cmdutil.Usagef("--dir %s: it is not a directory", name)
	}
	return dir, cmdutil.Usage(err)
}

func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
