package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// shelf is where sessions are looked for: those of one directory, and all others.
type shelf struct {
	app *cmdutil.App
	dir string // --dir
}

// place is the sessions of one workspace.
type place struct {
	store *jsonl.Store
	dir   string // of the journals
	here  bool
}

// here is the place of the working directory, or of --dir.
func (s *shelf) here() (place, error) {
	home, err := s.app.RequireHome()
	if err != nil {
		return place{}, err
	}
	at := s.dir
	if !filepath.IsAbs(at) {
		wd, err := s.app.RequireWorkDir()
		if err != nil {
			return place{}, err
		}
		at = filepath.Join(wd, at)
	}
	dir := jsonl.Dir(home, at)
	return place{store: jsonl.New(dir, s.options(dir, at)), dir: dir, here: true}, nil
}

// others are the places of every other directory.
func (s *shelf) others(here place) ([]place, error) {
	dirs, err := jsonl.Dirs(s.app.Home)
	if err != nil {
		return nil, err
	}
	var places []place
	for _, dir := range dirs {
		if dir != here.dir {
			places = append(places, place{store: jsonl.New(dir, s.options(dir, "")), dir: dir})
		}
	}
	return places, nil
}

// places are this directory's alone, or all.
func (s *shelf) places(all bool) ([]place, error) {
	here, err := s.here()
	if err != nil || !all {
		return []place{here}, err
	}
	others, err := s.others(here)
	return append([]place{here}, others...), err
}

// found is a session and where it is.
type found struct {
	place
	id event.SessionID
}

// find resolves what the user calls a session: here by id or title, elsewhere by id
// alone.
func (s *shelf) find(ctx context.Context, name string) (found, error) {
	here, err := s.here()
	if err != nil {
		return found{}, err
	}
	id, err := session.Find(ctx, here.store, name)
	if err == nil || !errors.Is(err, session.ErrUnknown) {
		return found{here, id}, readable(err)
	}
	others, oerr := s.others(here)
	if oerr != nil {
		return found{}, oerr
	}
	var all []session.Meta
	at := map[event.SessionID]place{}
	for _, p := range others {
		list, lerr := p.store.List(ctx, session.Query{})
		if lerr != nil {
			continue // another directory's trouble is not this search's
		}
		for _, m := range list {
			m.Title = ""
			all, at[m.ID] = append(all, m), p
		}
	}
	m, rerr := session.Resolve(all, name)
	if _, many := errors.AsType[*session.AmbiguousError](rerr); many {
		return found{}, rerr
	}
	if rerr != nil {
		return found{}, cmdutil.WithHint(cmdutil.Usage(err), "run 'reasonix session list' for this directory's sessions, with --all for every directory's")
	}
	return found{at[m.ID], m.ID}, nil
}

// aboutOne makes cmd one about a single session, which all of its arguments together
// name.
func (s *shelf) aboutOne(cmd *cobra.Command, do func(ctx context.Context, f found) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = cobra.MinimumNArgs(1), s.complete(false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := s.find(cmd.Context(), strings.Join(args, " "))
		if err != nil {
			return err
		}
		return do(cmd.Context(), f)
	}
	return cmd
}

// findAll resolves every name, each once.
func (s *shelf) findAll(ctx context.Context, names []string) ([]found, error) {
	var all []found
	seen := map[event.SessionID]bool{}
	for _, name := range names {
		f, err := s.find(ctx, name)
		if err != nil {
			return nil, err
		}
		if !seen[f.id] {
			seen[f.id] = true
			all = append(all, f)
		}
	}
	return all, nil
}

// readable gives a home that cannot be read the code of configuration errors.
func readable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return cmdutil.Exit(cmdutil.CodeConfig, err)
	}
	return err
}

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// complete offers the ids of this directory's sessions, newest first; many says whether
// more than one may be given.
func (s *shelf) complete(many bool) completion {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) > 0 && !many {
			return nil, directive
		}
		here, err := s.here()
		if err != nil {
			return nil, directive
		}
		list, err := here.store.List(cmd.Context(), session.Query{Limit: 100})
		if err != nil {
			return nil, directive
		}
		var words []string
		for _, m := range list {
			words = append(words, string(m.ID)+"\t"+cmp.Or(plain(m.Title), "(no title)"))
		}
		return words, directive
	}
}
