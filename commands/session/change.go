package session

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

func newRename(s *shelf) *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID TITLE",
		Short: "Give a session a title",
		Long: `Give a session a title. An empty one removes it: the first prompt's first line is the title again.

The session must not be open elsewhere. It stays at its place in the list.`,
		Example: `  reasonix session rename 20260102-150405 "The parser, second try"
  reasonix session rename 20260102-150405 ""`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: s.complete(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := s.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return f.store.Rename(cmd.Context(), f.id, args[1])
		},
	}
}

func newDelete(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete ID...",
		Short: "Delete sessions and all that was saved beside them",
		Long: `Delete sessions: the journal, its index, images and outputs. Nothing of them is kept.

It shows what it would delete and asks; --yes does not ask, and is needed where nobody can be asked. A
session that is open in another process is not deleted.`,
		Example: `  reasonix session delete 20260102-150405
  reasonix session delete --yes 20260102-150405-a1b2c3 20260103-091500-0f0f0f`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: s.complete(true),
	}
	yes := cmd.Flags().Bool("yes", false, "do not ask")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all, err := s.findAll(cmd.Context(), args)
		if err != nil {
			return err
		}
		if !*yes {
			if ok, err := s.confirm(cmd.Context(), all); err != nil || !ok {
				return err
			}
		}
		var errs error
		for _, f := range all {
			if err := f.store.Delete(cmd.Context(), f.id); err != nil {
				errs = errors.Join(errs, err)
				continue
			}
			fmt.Fprintf(s.app.Err, "deleted %s\n", f.id)
		}
		return errs
	}
	return cmd
}

// confirm shows the sessions and asks whether to delete them.
func (s *shelf) confirm(ctx context.Context, all []found) (bool, error) {
	if !s.app.StdinTTY {
		return false, cmdutil.WithHint(cmdutil.Usagef("nothing was deleted: nobody can be asked here"), "add --yes")
	}
	for _, f := range all {
		in, err := f.store.Info(ctx, f.id)
		if err != nil {
			return false, err
		}
		line := fmt.Sprintf("%s  %s  %s", in.ID, at(in.Updated), cmp.Or(plain(in.Title), "(no title)"))
		if !f.here {
			line += "  " + plain(slash(in.Workspace))
		}
		fmt.Fprintln(s.app.Err, line)
	}
	fmt.Fprintf(s.app.Err, "Delete %s for good? [y/N] ", cmdutil.Count(len(all), "session"))
	word, err := s.ask(ctx)
	if err != nil {
		return false, err
	}
	if word != "y" && word != "yes" {
		fmt.Fprintln(s.app.Err, "nothing was deleted")
		return false, nil
	}
	return true, nil
}

// ask reads one line, as long as ctx allows.
func (s *shelf) ask(ctx context.Context) (string, error) {
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(s.app.In).ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case a := <-got:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return "", a.err
		}
		return strings.ToLower(strings.TrimSpace(a.line)), nil
	}
}
