package memory

import (
	"errors"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

func newEdit(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a fact",
		Long: `Change a fact: with flags, which leave everything else as it is, or in your editor ($VISUAL, $EDITOR) on a
terminal. --body - takes the new text from stdin. The old revision stays in the archive. When the fact changes
while you edit it, nothing is lost: your text is kept in a file, which is named.`,
		Example: `  reasonix memory edit mem-1a2b3c4d5e6f
  reasonix memory edit mem-1a2b3c4d5e6f --title 'Use pnpm 10' --keyword pnpm,lockfile`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(d, true, false),
	}
	c := contentFlags(cmd)
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := d.store()
		if err != nil {
			return err
		}
		id, err := find(s, args[0], false)
		if err != nil {
			return err
		}
		f, err := s.Get(id)
		if err != nil {
			return coded(err)
		}
		draft := f.Draft()
		var ambiguous *memory.AmbiguousError
		if _, err := s.Try(draft); errors.As(err, &ambiguous) { // before anybody writes for nothing
			return coded(err)
		}
		switch {
		case !c.given() && !d.app.StdinTTY:
			return cmdutil.WithHint(cmdutil.Usagef("nothing says what to change"), "--title, --body, --description, --keyword, --type, --scope; --body - reads stdin")
		case !c.given():
			return d.write(cmd.Context(), s, *format, "changed", draft)
		case c.body == "-":
			if draft, err = d.read(draft); err != nil {
				return coded(err)
			}
		}
		return d.save(s, *format, "changed", c.into(draft))
	}
	return cmd
}
