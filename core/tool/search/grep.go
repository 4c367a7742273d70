package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"reasonix/core/tool"
)

// maxMatches is how many matching lines, or files, one search shows.
const maxMatches = 200

// maxContext is how many lines are shown on each side of a match at most.
const maxContext = 50

const grepSchema = `{"properties":{` +
	`"context":{"type":"integer"},"files_only":{"type":"boolean"},` +
	`"glob":{"description":"as *.{ts,tsx}; ! excludes","type":"string"},` +
	`"ignore_case":{"type":"boolean"},"include_ignored":{"type":"boolean"},` +
	`"path":{"type":"string"},"pattern":{"type":"string"}},` +
	`"required":["pattern"],"type":"object"}`

// grep finds lines.
type grep struct{ session }

type grepArgs struct {
	Pattern        string
	Path           string
	Glob           string
	Context        int
	IgnoreCase     bool `json:"ignore_case"`
	FilesOnly      bool `json:"files_only"`
	IncludeIgnored bool `json:"include_ignored"`
}

func (grep) Name() string { return "grep" }
func (grep) Description() string {
	return "Find lines by RE2 expression, as path:line:text."
}
func (grep) Schema() json.RawMessage { return json.RawMessage(grepSchema) }
func (grep) ReadOnly() bool          { return true }

func (t grep) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t grep) Subject(args json.RawMessage) tool.Subject { return t.subject(args, "Search") }

// errPatience is the cause of a search's end that keeps what was found.
var errPatience = errors.New("the time for one search is over")

func (t grep) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	in := grepArgs{}
	if err := t.start(ctx, args, grepSchema, &in); err != nil {
		return "", err
	}
	if in.Path == "" {
		in.Path = "."
	}
	s, err := t.prepare(in)
	if err != nil {
		return "", err
	}
	limited, stop := context.WithTimeoutCause(ctx, t.limit, errPatience)
	defer stop()
	err = s.run(limited, t.options(s.top, s.filter, in.IncludeIgnored))
	if err != nil && !errors.Is(err, errPatience) {
		return "", err
	}
	return s.report(ctx, err != nil), nil
}

// prepare checks everything that can be wrong before a file is opened.
func (t grep) prepare(in grepArgs) (*lineSearch, error) {
	m, err := compile(in.Pattern, in.IgnoreCase)
	if err != nil {
		return nil, err
	}
	filter, err := newFilter(in.Glob)
	if err != nil {
		return nil, err
	}
	abs, err := t.files.ReadPath(in.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", t.files.Show(abs), reason(err))
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("search %s: neither a file nor a directory", t.files.Show(abs))
	}
	return &lineSearch{
		scope: scope{shown: t.files.Rel(abs), limit: t.limit}, matcher: m, filter: filter, top: abs, isFile: !info.IsDir(),
		around: min(in.Context, maxContext), filesOnly: in.FilesOnly, room: t.cap,
		hidden: t.files.HiddenFile,
	}, nil
}

// reason is an error of the system without the path in it.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
