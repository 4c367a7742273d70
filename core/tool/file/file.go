package file

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

func init() {
	tool.RegisterBuiltin(readFile{})
	tool.RegisterBuiltin(writeFile{})
	tool.RegisterBuiltin(editFile{})
	tool.RegisterBuiltin(multiEdit{})
	tool.RegisterBuiltin(moveFile{})
	tool.RegisterBuiltin(deleteRange{})
	tool.RegisterBuiltin(deleteSymbol{})
	tool.RegisterBuiltin(notebookEdit{})
	tool.RegisterBuiltin(list{})
}

// session is what the file tools of one session share.
type session struct {
	files *workspace.FS
	views *views
	cap   int  // bytes of a read shown at once
	dry   bool // a call only tells what it would change
}

// defaultCap bounds what read_file and ls show when nothing is configured.
const defaultCap = 32_000

// bind makes the session's part of a tool. A configured cap is that of command
// output; reading gets twice as much.
func bind(env tool.Env) (session, error) {
	if env.Files == nil {
		return session{}, tool.ErrUnbound
	}
	v, err := tool.Shared(env, func() (*views, error) { return newViews(), nil })
	if err != nil {
		return session{}, err
	}
	s := session{files: env.Files, views: v, cap: defaultCap}
	if env.Settings.OutputCap > 0 {
		s.cap = 2 * env.Settings.OutputCap
	}
	return s, nil
}

// start is how every call begins. From then on s.files lets it write what a person
// released for it.
func (s *session) start(ctx context.Context, args json.RawMessage, schema string, dst any) error {
	if s.files == nil {
		return tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.files = s.files.Releasing(tool.CallFrom(ctx).Release)
	return tool.Decode(args, json.RawMessage(schema), dst)
}

// subject describes a call on one path. It takes any arguments.
func (s session) subject(args json.RawMessage, kind, verb string) tool.Subject {
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &in) != nil || in.Path == "" {
		return tool.Subject{Title: verb, Kind: kind}
	}
	if s.files == nil {
		return tool.Subject{Title: verb + " " + workspace.Quote(filepath.ToSlash(in.Path)), Kind: kind}
	}
	abs := s.files.Abs(in.Path)
	subj := tool.Subject{Title: verb + " " + s.files.Show(abs), Kind: kind, Paths: []string{abs}}
	if real, err := s.files.ReadPath(in.Path); err == nil && !slices.Contains(subj.Paths, real) {
		subj.Paths = append(subj.Paths, real)
	}
	return subj
}

// edits describes a call that changes the file at one path. in is the tool as it
// works in another session.
func (s session) edits(args json.RawMessage, verb string, in func(session) tool.Tool) tool.Subject {
	subj := s.subject(args, "edit", verb)
	subj.Preview = s.preview(args, subj.Paths, in)
	return subj
}

// preview makes the call dry: all of it is done but the writing, as if a person
// had allowed what it would write. It is nil for a tool that is not bound.
func (s session) preview(args json.RawMessage, paths []string, in func(session) tool.Tool) func(context.Context) []event.Diff {
	if s.files == nil {
		return nil
	}
	s.dry = true
	return func(ctx context.Context) []event.Diff {
		call := &tool.Call{Release: paths}
		// Why it would fail is for the model to read, when it does.
		_, _ = in(s).Execute(tool.WithCall(ctx, call), args)
		return call.Diffs
	}
}

// missing adds the nearest names to an error about a path that does not exist.
func (s session) missing(ctx context.Context, name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &missingError{err: err, near: s.nearest(ctx, s.files.Abs(name))}
}

// refusal is an error whose text tells the model how to go on.
type refusal struct {
	text string
	err  error
}

func (e *refusal) Error() string { return e.text }
func (e *refusal) Unwrap() error { return e.err }
