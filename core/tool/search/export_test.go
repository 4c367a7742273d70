package search

import (
	"context"

	"reasonix/core/workspace"
)

// Files is a glob without a bound, for comparisons of whole results.
func Files(dir, pattern string) ([]string, error) {
	files, err := workspace.Open(workspace.Roots{Dir: dir}, nil)
	if err != nil {
		return nil, err
	}
	t := glob{session{files: files, limit: patience}}
	f, err := t.wanted(pattern)
	if err != nil {
		return nil, err
	}
	s := &fileSearch{scope: scope{shown: ".", limit: patience}, filter: f, most: 1 << 20}
	if err := s.run(context.Background(), t.options(dir, f, false)); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range s.found {
		names = append(names, f.rel)
	}
	return names, nil
}
