// Package session is `reasonix session`: what is kept of sessions, for people and for
// scripts. It lists, shows, renames, deletes, checks, repairs and exports them, cleans
// up, and adds up what they cost. It opens no session and asks no model; the store
// does the work, and what is printed of a session's own words is made harmless for a
// terminal. The root command adds it to the tree.
package session

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/session/jsonl"
)

const about = `Look at the sessions of this directory: list, show, rename, delete, check, repair and export them.

Every session is one file, from its first prompt on (docs/session-format.md). ID is a session's id, the
beginning of one, or words of its title; when that means several, they are listed. An id, or the
beginning of one, is also looked for among the sessions of other directories.`

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "List, show, export and tidy up sessions",
		Long:  about,
		Example: `  reasonix session list
  reasonix session show 20260102-150405
  reasonix session export --format html -o talk.html fix parser`,
	}
	s := &shelf{app: app}
	cmd.PersistentFlags().StringVar(&s.dir, "dir", "", "the sessions of another directory")
	_ = cmd.MarkPersistentFlagDirname("dir") // fails only for a flag that does not exist
	cmd.AddCommand(newList(s), newShow(s), newRename(s), newDelete(s), newGC(s), newCheck(s), newRepair(s), newExport(s), newCost(s), newRewind(s))
	return cmd
}

// options are those of every store this package opens.
func (s *shelf) options(dir, workspace string) jsonl.Options {
	return jsonl.Options{
		Workspace: workspace, Writer: "reasonix " + s.app.Version, Now: s.app.Now,
		Beside: []string{filepath.Join(filepath.Dir(dir), "checkpoints")},
	}
}
