package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/tool"
)

// maxFiles is how many files one glob shows.
const maxFiles = 500

const globSchema = `{"properties":{` +
	`"include_ignored":{"type":"boolean"},"path":{"type":"string"},"pattern":{"type":"string"}},` +
	`"required":["pattern"],"type":"object"}`

// glob finds files by their names. A pattern without a slash is about the last
// element of a path, one with a slash about the path from the searched directory
// or from the workspace on.
type glob struct{ session }

type globArgs struct {
	Pattern, Path  string
	IncludeIgnored bool `json:"include_ignored"`
}

func (glob) Name() string { return "glob" }
func (glob) Description() string {
	return "Find files by glob pattern, newest first."
}
func (glob) Schema() json.RawMessage { return json.RawMessage(globSchema) }
func (glob) ReadOnly() bool          { return true }

func (t glob) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t glob) Subject(args json.RawMessage) tool.Subject { return t.subject(args, "Find") }

func (t glob) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	in := globArgs{}
	if err := t.start(ctx, args, globSchema, &in); err != nil {
		return "", err
	}
	if in.Path == "" {
		in.Path = "."
	}
	abs, err := t.files.ReadPath(in.Path)
	if err != nil {
		return "", err
	}
	filter, err := t.wanted(in.Pattern)
	if err != nil {
		return "", err
	}
	switch info, err := os.Stat(abs); {
	case err != nil:
		return "", fmt.Errorf("search %s: %w", t.files.Show(abs), reason(err))
	case !info.IsDir():
		return "", fmt.Errorf("search %s: not a directory", t.files.Show(abs))
	}
	limited, stop := context.WithTimeoutCause(ctx, t.limit, errPatience)
	defer stop()
	s := &fileSearch{scope: scope{shown: t.files.Rel(abs), limit: t.limit}, filter: filter, most: maxFiles}
	err = s.run(limited, t.options(abs, filter, in.IncludeIgnored))
	if err != nil && !errors.Is(err, errPatience) {
		return "", err
	}
	return s.report(t.cap, err != nil), nil
}

// wanted makes a filter of the pattern. One that is an absolute path must lie in
// the workspace, from which it is then taken.
func (t glob) wanted(pattern string) (filter, error) {
	if filepath.IsAbs(pattern) {
		rel := t.files.Rel(filepath.FromSlash(pattern))
		if filepath.IsAbs(filepath.FromSlash(rel)) {
			return filter{}, fmt.Errorf("glob %q: not in the workspace; give the directory as path and the rest as pattern", pattern)
		}
		pattern = rel
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return filter{}, fmt.Errorf("glob %q: a pattern cannot climb; give the directory as path", pattern)
	}
	if pattern == "" || pattern == "." {
		pattern = "**"
	}
	if strings.HasPrefix(pattern, "!") {
		pattern = `\` + pattern // a name, not an exclusion
	}
	return newFilter(pattern)
}
