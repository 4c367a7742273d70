package commands

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

// Page is one page about a command, as a file.
type Page struct {
	Name string // file name, such as reasonix_run.md or reasonix-run.1
	Text string
}

// Pages returns a page of docs/cli for every command, in the order of the tree:
// its help as it is printed, in Markdown.
func Pages() []Page {
	var pages []Page
	walk(documented(), func(cmd *cobra.Command) {
		pages = append(pages, Page{pageName(cmd), pageText(cmd)})
	})
	return pages
}

// Completions returns the completion script of each shell by its file name.
func Completions() (map[string][]byte, error) {
	root := documented()
	scripts := map[string][]byte{}
	for name, generate := range map[string]func(io.Writer) error{
		"reasonix.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_reasonix":     root.GenZshCompletion,
		"reasonix.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"reasonix.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return nil, fmt.Errorf("generate %s: %w", name, err)
		}
		scripts[name] = script.Bytes()
	}
	return scripts, nil
}

// documented is the tree in a world that is the same everywhere.
func documented() *cobra.Command {
	return Root(&cmdutil.App{
		In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
		Version: "VERSION", Now: func() time.Time { return time.Time{} },
	})
}

// children are the commands that have a page.
func children(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.Name() == "help"
	})
}

func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	cmd.InitDefaultHelpFlag()
	visit(cmd)
	for _, child := range children(cmd) {
		walk(child, visit)
	}
}

func pageName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "_") + ".md"
}

func pageText(cmd *cobra.Command) string {
	var help strings.Builder
	cmdutil.PrintHelp(&help, cmd)
	text := "# " + cmd.CommandPath() + "\n\n```\n" + strings.TrimSpace(help.String()) + "\n```\n"
	var links []string
	if cmd.HasParent() {
		links = append(links, link(cmd.Parent()))
	}
	for _, child := range children(cmd) {
		links = append(links, link(child))
	}
	if len(links) > 0 {
		text += "\nSee also " + strings.Join(links, ", ") + ".\n"
	}
	return text
}

func link(cmd *cobra.Command) string { return "[" + cmd.CommandPath() + "](" + pageName(cmd) + ")" }
