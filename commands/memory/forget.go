package memory

import (
	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

func newForget(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forget ID",
		Short: "Take a fact out of use and keep it in the archive",
		Long: `Take a fact out of use. It is no longer searched or recalled and stays in the archive, from where
reasonix memory restore brings it back. To remove it for good, delete its files in .archive as well.`,
		Example: `  reasonix memory forget mem-1a2b3c4d5e6f
  reasonix memory forget mem-1a2b3c4d5e6f --reason 'we use yarn now'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(d, true, false),
	}
	reason := cmd.Flags().String("reason", "", "why, in one line")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		s, err := d.store()
		if err != nil {
			return err
		}
		id, err := find(s, args[0], false)
		if err != nil {
			return err
		}
		f, err := s.Forget(id, 0, *reason)
		if err != nil {
			return coded(err)
		}
		return d.report(*format, "forgot", f, true)
	}
	return cmd
}

func newRestore(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore ID",
		Short: "Bring back a forgotten fact, or an old revision",
		Long: `Bring back a forgotten fact as it was last, or with --revision any revision of a fact, also of one in use.
It becomes the highest revision; what was in use stays in the archive.`,
		Example: `  reasonix memory restore mem-1a2b3c4d5e6f
  reasonix memory restore mem-1a2b3c4d5e6f --revision 2`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(d, false, true),
	}
	revision := cmd.Flags().Int("revision", 0, "which one; default: the last")
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		s, err := d.store()
		if err != nil {
			return err
		}
		id, err := find(s, args[0], true)
		if err == nil && id == args[0] {
			id, err = find(s, args[0], false)
		}
		if err != nil {
			return err
		}
		c, err := s.Restore(id, *revision)
		if err != nil {
			return coded(err)
		}
		return d.report(*format, "restored", c.After, c.Changed())
	}
	return cmd
}
