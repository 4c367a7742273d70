package mcp

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/durable"
)

// maxImport is the largest file that is imported, in bytes.
const maxImport = 1 << 20

// imported is what import prints as JSON.
type imported struct {
	File     string   `json:"file"` // that the servers are in now
	Imported []string `json:"imported"`
	Skipped  []string `json:"skipped"` // that were there before
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`
}

func newImport(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import [flags] FILE [NAME]...",
		Short: "Take over the servers of another program's configuration",
		Long: `Take over the servers of another program's JSON file, all or those of NAME, into your configuration: the
mcpServers of Claude (.mcp.json, ~/.claude.json, claude_desktop_config.json), Cursor, Windsurf or Gemini, or the
servers of VS Code (.vscode/mcp.json). - reads stdin. ${env:X} and ${input:x} of those programs become ${X}.

They count as yours afterwards: look at the file before you import what somebody else wrote. A name that is there
stays as it is unless --replace is given. It exits with 2 when an entry makes no server; the others are taken.`,
		Example: `  reasonix mcp import ~/.claude.json
  reasonix mcp import .vscode/mcp.json github
  reasonix mcp import --scope project - < servers.json`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	scope := cmdutil.EnumFlag(cmd, "scope", scopeUser, "whose configuration", scopeUser, scopeProject)
	replace := cmd.Flags().Bool("replace", false, "take the place of servers of the same name")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		file, err := d.file(*scope)
		if err != nil {
			return err
		}
		list, problems, err := d.readImport(args[0])
		if err != nil {
			return err
		}
		if list, err = only(list, problems, args[1:]); err != nil {
			return err
		}
		out, err := d.take(file, list, *replace)
		for _, p := range problems {
			if len(args) == 1 || slices.Contains(args[1:], p.Name) {
				out.Problems = append(out.Problems, p.Error())
			}
		}
		if err != nil {
			return err
		}
		return out.print(d, *format)
	}
	return cmd
}

func (d *desk) readImport(name string) ([]config.Plugin, []config.ServerError, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = io.ReadAll(io.LimitReader(d.app.In, maxImport))
	} else {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.app.WorkDir, path)
		}
		text, err = durable.ReadFile(path, maxImport)
	}
	if err != nil {
		return nil, nil, cmdutil.Usage(fmt.Errorf("import %s: %w", name, err))
	}
	list, left, err := config.ImportServers(text)
	if err != nil {
		return nil, nil, cmdutil.Usage(fmt.Errorf("import %s: %w", name, err))
	}
	if len(list)+len(left) == 0 {
		return nil, nil, cmdutil.WithHint(cmdutil.Usagef("import %s: it has no MCP servers", name), "want a member mcpServers or servers")
	}
	return list, left, nil
}

// only filters servers by name; a name that the file does not have is an error.
func only(list []config.Plugin, bad []config.ServerError, names []string) ([]config.Plugin, error) {
	if len(names) == 0 {
		return list, nil
	}
	var out []config.Plugin
	for _, name := range names {
		i := slices.IndexFunc(list, func(p config.Plugin) bool { return p.Name == name })
		switch {
		case i >= 0:
			out = append(out, list[i])
		case !slices.ContainsFunc(bad, func(e config.ServerError) bool { return e.Name == name }):
			return nil, cmdutil.Usagef("there is no server %q in the file", name)
		}
	}
	return out, nil
}

// take writes the servers to file.
func (d *desk) take(file string, list []config.Plugin, replace bool) (imported, error) {
	out := imported{File: slash(file), Imported: []string{}, Skipped: []string{}, Problems: []string{}, Notes: []string{}}
	for _, p := range list {
		write := config.AddServer
		if replace {
			write = config.ReplaceServer
		}
		_, err := write(file, p)
		var refused *config.ServerError
		switch {
		case errors.As(err, &refused) && !replace:
			out.Skipped = append(out.Skipped, p.Name)
		case err != nil:
			return out, err
		default:
			out.Imported = append(out.Imported, p.Name)
		}
	}
	for _, name := range out.Imported {
		for _, note := range d.notes(name) {
			out.Notes = append(out.Notes, name+": "+note)
		}
	}
	return out, nil
}

func (out imported) print(d *desk, format string) error {
	code := cmdutil.CodeOK
	if len(out.Problems) > 0 {
		code = cmdutil.CodeUsage
	}
	if format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(d.app.Out, out); err != nil {
			return err
		}
		return cmdutil.Exit(code, nil)
	}
	for _, name := range out.Imported {
		fmt.Fprintf(d.app.Out, "added %s to %s\n", config.Printable(name), out.File)
	}
	for _, name := range out.Skipped {
		fmt.Fprintf(d.app.Out, "skipped %s: there is one of that name (--replace takes its place)\n", config.Printable(name))
	}
	for _, p := range out.Problems {
		fmt.Fprintf(d.app.Err, "error: %s: left out\n", p)
	}
	for _, n := range out.Notes {
		fmt.Fprintf(d.app.Err, "note: %s\n", config.Printable(n))
	}
	return cmdutil.Exit(code, nil)
}
