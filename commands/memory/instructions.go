package memory

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/instruction"
)

// loaded is an instruction file in JSON.
type loaded struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Scope string `json:"scope"`
	Bytes int    `json:"bytes"` // imports included
	Hash  string `json:"sha256"`
}

// leftOut is what was not loaded, and why, in JSON.
type leftOut struct {
	Code string `json:"code"`
	Path string `json:"path"`
	Text string `json:"text"`
}

func newInstructions(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "instructions",
		Short: "List the instruction files a session here loads, and what it does not",
		Long: `List the instruction files that a session here loads, weakest first: yours in <home>, then those from the
repository's root down to the working directory. REASONIX.md, AGENTS.md and CLAUDE.md and their .local.md
variants are read; lines "@file" import other files. What is not loaded is named on stderr with the reason.`,
		Example: `  reasonix memory instructions
  reasonix memory instructions --output-format json`,
		Args: cobra.NoArgs,
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		dir, err := d.workspace()
		if err != nil {
			return err
		}
		found := instruction.Load(instruction.Options{Home: d.app.Home, Dir: dir})
		if *format == cmdutil.JSON {
			return d.printInstructions(found)
		}
		for _, n := range found.Notes {
			fmt.Fprintf(d.app.Err, "not loaded: %s\n", n.Text)
		}
		for _, n := range repeats(found) {
			fmt.Fprintf(d.app.Err, "not loaded: %s\n", n.Text)
		}
		if len(found.Files) == 0 {
			_, err := fmt.Fprintln(d.app.Err, "no instruction files")
			return err
		}
		w := tabwriter.NewWriter(d.app.Out, 0, 0, 2, ' ', 0)
		for _, f := range found.Files {
			fmt.Fprintf(w, "%s\t%d bytes\t%s\n", f.Scope, len(f.Text), f.Path)
		}
		return w.Flush()
	}
	return cmd
}

func (d *desk) printInstructions(found instruction.Found) error {
	files, notes := []loaded{}, []leftOut{}
	for _, f := range found.Files {
		files = append(files, loaded{Path: f.Path, Name: f.Name, Scope: string(f.Scope), Bytes: len(f.Text), Hash: f.Hash})
	}
	for _, n := range found.Notes {
		notes = append(notes, leftOut{Code: n.Code, Path: n.Path, Text: n.Text})
	}
	notes = append(notes, repeats(found)...)
	return cmdutil.PrintJSON(d.app.Out, struct {
		Files []loaded  `json:"files"`
		Left  []leftOut `json:"not_loaded"`
	}{files, notes})
}

// repeats says of each file that another repeats which one that is.
func repeats(found instruction.Found) []leftOut {
	var list []leftOut
	for _, f := range found.Repeated {
		for _, other := range found.Files {
			if other.Hash == f.Hash {
				list = append(list, leftOut{Code: "repeated", Path: f.Path, Text: f.Path + " says the same as " + other.Path})
			}
		}
	}
	return list
}
