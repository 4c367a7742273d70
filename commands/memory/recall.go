package memory

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

func newRecall(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recall TEXT...",
		Short: "Show what is added to a prompt from memory, or was",
		Long: `Show what would be added to a prompt of these words: at most 4 facts and 2,400 characters, and nothing for a
prompt that only tells to go on. A session is not told the same revision twice; here it is as if it were told
nothing yet. --last shows what the last session of this project was told last, with the scores.`,
		Example: `  reasonix memory recall 'why does the build fail?'
  reasonix memory recall --last`,
	}
	last := cmd.Flags().Bool("last", false, "what the last session was told")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *last != (len(args) == 0) {
			return cmdutil.Usagef("want TEXT or --last")
		}
		if *last {
			return d.showLast(cmd.Context(), *format)
		}
		s, err := d.store()
		if err != nil {
			return err
		}
		text := strings.Join(args, " ")
		r, err := s.Recall(text, memory.RecallOptions{})
		if err != nil {
			return err
		}
		return d.showRecall(*format, text, r)
	}
	return cmd
}

// recalled is what recall prints in JSON.
type recalled struct {
	Hits    []hit  `json:"hits"`
	Generic bool   `json:"generic"` // the prompt only tells to go on
	Text    string `json:"text"`    // what is appended to the prompt
}

func (d *desk) showRecall(format, prompt string, r memory.Recalled) error {
	generic := memory.Generic(prompt)
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(d.app.Out, recalled{Hits: hitsOf(r.Hits), Generic: generic, Text: r.Text})
	}
	switch {
	case generic:
		fmt.Fprintln(d.app.Err, "nothing: the prompt only tells to go on")
		return nil
	case len(r.Hits) == 0:
		fmt.Fprintln(d.app.Err, "nothing fits")
		return nil
	}
	_, err := fmt.Fprintln(d.app.Out, r.Text)
	return err
}
