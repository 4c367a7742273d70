// Package search has the built-in tools that find text and files in the
// workspace.
//
// A search walks in parallel through core/internal/walk, so it leaves out what git
// would leave out, follows no links below the path it was given and meets each
// file once. It opens nothing the workspace hides, holds at most one block of a
// file per worker in memory, shows results in an order that does not depend on the
// workers, and says what it skipped and where it stopped. It reads the disk, not an
// editor's unsaved buffers. Importing the package registers the tools.
//
// A hit is no read: a search looks at lines and does not know the content as a
// whole, so it leaves what the workspace has seen of a file as it was. edit_file
// needs no more than the text of a hit, write_file needs a real read.
package search

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reasonix/core/internal/walk"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

func init() {
	tool.RegisterBuiltin(glob{})
	tool.RegisterBuiltin(grep{})
}

// patience bounds one search; what was found until then is kept.
const patience = 30 * time.Second

// defaultCap bounds, in bytes, what one search shows when nothing is configured.
const defaultCap = 32_000

// session is what the search tools of one session share.
type session struct {
	files     *workspace.FS
	home, xdg string        // where the user's git configuration is
	cap       int           // bytes shown
	limit     time.Duration // of one search
}

// bind makes the session's part of a tool. A configured cap is that of command
// output; a search gets twice as much, as reading a file does.
func bind(env tool.Env) (session, error) {
	if env.Files == nil {
		return session{}, tool.ErrUnbound
	}
	s := session{files: env.Files, cap: defaultCap, limit: patience}
	if env.Settings.OutputCap > 0 {
		s.cap = 2 * env.Settings.OutputCap
	}
	for _, kv := range env.Settings.Environ {
		switch key, value, _ := strings.Cut(kv, "="); strings.ToUpper(key) {
		case "HOME":
			s.home = value
		case "USERPROFILE":
			if s.home == "" {
				s.home = value
			}
		case "XDG_CONFIG_HOME":
			s.xdg = value
		}
	}
	return s, nil
}

// start is how every call begins.
func (s session) start(ctx context.Context, args json.RawMessage, schema string, dst any) error {
	if s.files == nil {
		return tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return tool.Decode(args, json.RawMessage(schema), dst)
}

// options are how every search walks dir for the files of f.
func (s session) options(dir string, f filter, ignored bool) walk.Options {
	opt := walk.Options{
		Dir: dir, Top: s.files.Dir(), Home: s.home, XDG: s.xdg, Forbid: s.files.Hidden,
		Hidden: ignored || f.hidden, Ignored: ignored,
	}
	if dir == s.files.Dir() {
		opt.Only = f.below()
	}
	return opt
}

// subject describes a search for a pattern below a path. It takes any arguments.
func (s session) subject(args json.RawMessage, verb string) tool.Subject {
	var in struct{ Pattern, Path string }
	subj := tool.Subject{Title: verb, Kind: "search"}
	if json.Unmarshal(args, &in) != nil {
		return subj
	}
	if in.Pattern != "" {
		subj.Title += " " + workspace.Quote(in.Pattern)
	}
	if in.Path == "" {
		in.Path = "."
	}
	if s.files == nil {
		return subj
	}
	abs := s.files.Abs(in.Path)
	if in.Path != "." {
		subj.Title += " in " + s.files.Show(abs)
	}
	if filepath.IsAbs(abs) {
		subj.Paths = []string{abs}
	}
	if real, err := s.files.ReadPath(in.Path); err == nil && !slices.Contains(subj.Paths, real) {
		subj.Paths = append(subj.Paths, real)
	}
	return subj
}
