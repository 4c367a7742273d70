package permission

import (
	"path"
	"path/filepath"
	"strings"
)

// expand replaces a leading "~/".
func (p *Policy) expand(name string) string {
	if p.Home != "" && strings.HasPrefix(name, "~/") {
		return filepath.ToSlash(p.Home) + name[1:]
	}
	return name
}

// absolute cleans name, which starts at dir unless it is absolute.
func absolute(dir, name string) string {
	if isAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// relative cleans name and reports whether it lies in the workspace, whose name
// may be written with its links or without them.
func (p *Policy) relative(name string) (string, bool) {
	if !isAbs(name) {
		rel := path.Clean(name)
		if rel != ".." && !strings.HasPrefix(rel, "../") {
			return rel, true
		}
		name = path.Join(p.root(), rel)
	}
	abs := path.Clean(name)
	if rel, ok := p.below(p.root(), abs); ok {
		return rel, true
	}
	return p.below(p.realRoot(), abs)
}

// linked are the roots with their links resolved, found out when they are needed
// while one call is judged.
type linked struct {
	root     string
	write    []string
	rootDone bool
}

// realRoot is the workspace with its links resolved, "" when links do not count.
func (p *Policy) realRoot() string {
	if p.linked == nil {
		return ""
	}
	if !p.linked.rootDone {
		p.linked.root, p.linked.rootDone = p.resolve(p.root()), true
	}
	return p.linked.root
}

// realWrite are the writable roots with their links resolved.
func (p *Policy) realWrite() []string {
	if p.linked == nil {
		return nil
	}
	for _, root := range p.Places.Write[len(p.linked.write):] {
		p.linked.write = append(p.linked.write, p.resolve(filepath.ToSlash(root)))
	}
	return p.linked.write
}

// below returns what of the clean path abs follows dir.
func (p *Policy) below(dir, abs string) (string, bool) {
	dir = strings.TrimSuffix(dir, "/")
	switch {
	case dir == "" || len(abs) < len(dir) || !p.same(abs[:len(dir)], dir):
		return "", false
	case len(abs) == len(dir):
		return ".", true
	}
	return abs[len(dir)+1:], abs[len(dir)] == '/'
}

// same compares paths as the file system does.
func (p *Policy) same(a, b string) bool {
	return a == b || p.FoldCase && strings.EqualFold(a, b)
}

func (p *Policy) root() string { return filepath.ToSlash(p.Root) }

// follow returns the path a program reaches that opens name in dir: links are
// resolved before a ".." behind them counts.
func (p *Policy) follow(dir, name string) string {
	if p.Resolve == nil {
		return absolute(dir, name)
	}
	if !strings.Contains(name, "..") {
		return p.resolve(absolute(dir, name))
	}
	at := dir
	if isAbs(name) {
		root := strings.IndexByte(name, '/') + 1
		at, name = name[:root], name[root:]
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			at = path.Dir(p.resolve(at))
			continue
		}
		at = path.Join(at, part)
	}
	return p.resolve(at)
}

func (p *Policy) resolve(abs string) string {
	if p.Resolve == nil {
		return abs
	}
	return filepath.ToSlash(p.Resolve(filepath.FromSlash(abs)))
}

// isAbs knows the roots of every system: a rule is judged where it was written.
func isAbs(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// wildcard matches the whole of text: "*" is any run of characters, "?" one.
func wildcard(pattern, text string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == text[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
