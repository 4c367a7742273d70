// Package history is `reasonix history`: search what was said in saved sessions, and
// show a part of one. It only reads, works while sessions run, and needs no
// configuration. The work is in core/history; this package turns it into text and
// JSON. The root command adds it to the tree.
package history

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/history"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Search and read what was said in saved sessions",
		Long: `Search and read what was said in saved sessions: prompts, replies with their tool calls, and results.

A search covers the sessions of the working directory; --scope global those of every workspace and the
archives of compaction. The index is made and kept up to date by searching; it may be deleted at any time.`,
		Example: `  reasonix history search "retry backoff"
  reasonix history search --scope global 会话恢复
  reasonix history show 20260102-150405-a1b2c3 --around 120`,
	}
	cmd.AddCommand(newSearch(app), newShow(app))
	return cmd
}

// open returns the history as it is seen from the working directory.
func open(app *cmdutil.App) (*history.History, error) {
	home, err := app.RequireHome()
	if err != nil {
		return nil, err
	}
	dir, err := app.RequireWorkDir()
	if err != nil {
		return nil, err
	}
	return history.New(history.Below(home, jsonl.Dir(home, dir)), app.Now), nil
}

// completeSessions offers the ids of this workspace's sessions, newest first.
func completeSessions(app *cmdutil.App) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		const done = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) > 0 || app.Home == "" || app.WorkDir == "" {
			return nil, done
		}
		store := jsonl.New(jsonl.Dir(app.Home, app.WorkDir), jsonl.Options{})
		list, err := store.List(cmd.Context(), session.Query{Limit: 50})
		if err != nil {
			return nil, done
		}
		var ids []string
		for _, m := range list {
			ids = append(ids, string(m.ID)+"\t"+m.Title)
		}
		return ids, done
	}
}

// noSession makes a session that is not there, or not the only one, a usage error.
func noSession(err error) error {
	if _, several := errors.AsType[*history.AmbiguousError](err); several {
		return cmdutil.WithHint(cmdutil.Usage(err), "give more of its id")
	}
	if errors.Is(err, session.ErrUnknown) {
		return cmdutil.WithHint(cmdutil.Usage(err), "'reasonix history search' names the session of each hit")
	}
	return err
}

// slash shows a path with forward slashes, on every system.
func slash(path string) string { return filepath.ToSlash(path) }

// local is a time as a person reads it; empty when it is not known.
func local(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02 15:04")
}

// stamp is a time in JSON; nil when it is not known.
func stamp(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}
