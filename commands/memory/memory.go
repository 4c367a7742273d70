// Package memory is `reasonix memory`: list, show, add, change, forget and restore
// the facts that are kept for later sessions, search them, see what would be or was
// recalled for a prompt, and which instruction files count. What a person types
// here needs no approval. The work is in core/memory and core/instruction; this
// package turns it into text and JSON. The root command adds it to the tree.
package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/commands/wire"
	"reasonix/core/memory"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "List, add, change, forget and search what is kept for later sessions",
		Long: `List, add, change, forget and search the facts that are kept for later sessions.

A fact is a Markdown file with keys in front, in <home>/memory (yours, in every project) or
<home>/projects/<project>/memory; edit it with any editor. The few that fit what you type are added to your
prompt by themselves, and the model can search them. It may propose to keep or forget one and asks you each
time. Nothing is deleted: forgotten facts and old revisions are in .archive beside the facts.
docs/memory.md has the whole of it. What is always in the prompt is in instruction files instead:
reasonix memory instructions.`,
		Example: `  reasonix memory list
  reasonix memory add --title 'Use pnpm' --body 'Never npm: the lock file is pnpm-lock.yaml.'
  reasonix memory search deploy
  reasonix memory recall 'why does the build fail?'`,
	}
	d := &desk{app: app}
	cmd.PersistentFlags().StringVar(&d.dir, "dir", "", "the directory whose project is meant; default: the working directory")
	_ = cmd.MarkPersistentFlagDirname("dir")
	cmd.AddCommand(newList(d), newShow(d), newAdd(d), newEdit(d), newForget(d), newRestore(d), newSearch(d), newRecall(d), newInstructions(d))
	return cmd
}

// A desk is where one invocation works.
type desk struct {
	app *cmdutil.App
	dir string // --dir
}

// workspace is the directory whose project is meant, "" when there is none.
func (d *desk) workspace() (string, error) {
	if d.dir == "" {
		return d.app.WorkDir, nil
	}
	dir := d.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(d.app.WorkDir, dir)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("--dir %s: it is not a directory", d.dir)
	}
	return dir, cmdutil.Usage(err)
}

func (d *desk) store() (*memory.Store, error) {
	home, err := d.app.RequireHome()
	if err != nil {
		return nil, err
	}
	dir, err := d.workspace()
	if err != nil {
		return nil, err
	}
	return wire.Memory(home, dir, d.app.Environ, d.app.Now), nil
}

// coded gives an error of the store its exit code and says what to do.
func coded(err error) error {
	var invalid *memory.InvalidError
	var secret *memory.SecretError
	var duplicate *memory.DuplicateError
	var ambiguous *memory.AmbiguousError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrForgotten):
		return cmdutil.WithHint(cmdutil.Usage(err), "reasonix memory restore ID")
	case errors.Is(err, memory.ErrUnknown):
		return cmdutil.WithHint(cmdutil.Usage(err), "reasonix memory list shows the ids")
	case errors.Is(err, memory.ErrActive):
		return cmdutil.WithHint(cmdutil.Usage(err), "reasonix memory show ID --revisions lists them; choose with --revision")
	case errors.As(err, &duplicate):
		return cmdutil.WithHint(cmdutil.Usage(err), "reasonix memory edit "+duplicate.ID)
	case errors.As(err, &ambiguous):
		return cmdutil.Usage(err)
	case errors.As(err, &invalid), errors.As(err, &secret), errors.Is(err, memory.ErrNoPlace):
		return cmdutil.Usage(err)
	}
	return err
}

// find returns the id that word means: an id, a reference id@revision, or the
// beginning of just one id.
func find(s *memory.Store, word string, archived bool) (string, error) {
	word, _, _ = strings.Cut(word, "@")
	found, err := s.List(memory.Filter{Archived: archived})
	if err != nil {
		return "", err
	}
	var near []string
	for _, f := range found.Facts {
		if f.ID == word {
			return word, nil
		}
		if word != "" && strings.HasPrefix(f.ID, word) {
			near = append(near, f.ID)
		}
	}
	switch len(near) {
	case 0:
		return word, nil // the store says why there is none
	case 1:
		return near[0], nil
	}
	slices.Sort(near)
	return "", cmdutil.WithHint(cmdutil.Usagef("several facts begin with %q", word), strings.Join(near, ", "))
}

// warn tells what is odd about files.
func (d *desk) warn(problems []memory.Problem) {
	for _, p := range problems {
		skipped := ""
		if p.Skipped {
			skipped = " (skipped)"
		}
		fmt.Fprintf(d.app.Err, "warning: %s: %s%s\n", filepath.ToSlash(p.Path), p.Text, skipped)
	}
}
