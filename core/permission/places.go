package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// empty reports whether nothing but the workspace is known.
func (l *Places) empty() bool {
	return len(l.Hidden)+len(l.Protected)+len(l.Names)+len(l.Secrets) == 0
}

// isHidden reports whether the absolute path name is neither read nor written.
func (p *Policy) isHidden(name string) bool {
	return p.in(p.Places.Hidden, name) && !p.in(p.Places.Bare, name)
}

func (p *Policy) isSecret(name string) bool { return p.in(p.Places.Secrets, name) }

// isOutside reports whether no writable root holds the absolute path name. It
// knows nothing when the workspace is not known.
func (p *Policy) isOutside(name string) bool {
	if p.Root == "" || p.in(p.Places.Write, name) {
		return false
	}
	_, inside := p.relative(name)
	return !inside && !p.in(p.realWrite(), name)
}

// protection returns the protected path that is name or holds it.
func (p *Policy) protection(name string) (string, bool) {
	for _, place := range p.Places.Protected {
		if place = filepath.ToSlash(place); p.within(place, name) {
			return place, true
		}
	}
	if len(p.Places.Names) == 0 {
		return "", false
	}
	if rel, ok := p.relative(name); ok {
		if end, ok := p.namedIn(rel); ok {
			return absolute(p.root(), name[:len(name)-len(rel)+end]), true
		}
	}
	for _, root := range p.Places.Write {
		if rel, ok := p.below(filepath.ToSlash(root), name); ok {
			if end, ok := p.namedIn(rel); ok {
				return name[:len(name)-len(rel)+end], true
			}
		}
	}
	return "", false
}

// namedIn returns where the first protected name in the relative path rel ends.
func (p *Policy) namedIn(rel string) (end int, ok bool) {
	for _, known := range p.Places.Names {
		if end := p.nameIn(rel, known); end > 0 {
			return end, true
		}
	}
	if !slices.Contains(p.Places.Names, ".git/config") {
		return 0, false
	}
	for _, inner := range keptByOthers {
		if end := p.nameIn(rel, inner); end > 0 {
			return end, true
		}
	}
	return 0, false
}

// keptByOthers are places that git or an editor writes all the time, so that the
// sandbox cannot keep them as they are, and that say what runs later: repositories of
// submodules, parts of worktrees, what a rebase has yet to do, attributes that call for
// filters, objects from elsewhere, tasks and settings of editors. What a word or a tool
// names there is as good as .git/config.
var keptByOthers = [...]string{
	".git/modules", ".git/worktrees", ".git/rebase-merge", ".git/rebase-apply", ".git/sequencer",
	".git/info/attributes", ".git/objects/info/alternates", ".git/objects/info/http-alternates",
	".vscode", ".idea", ".run", ".devcontainer", ".devcontainer.json",
}

// onlyHolds reports whether name is a directory of an editor, which by itself says
// nothing.
func onlyHolds(name string) bool { return oneOf(path.Base(name), ".vscode .idea .run .devcontainer") }

// nameIn returns where in name the elements of known end, 0 when they do not
// stand in it.
func (p *Policy) nameIn(name, known string) int {
	for from := 0; from+len(known) <= len(name); {
		end := from + len(known)
		if (end == len(name) || name[end] == '/') && p.same(name[from:end], known) {
			return end
		}
		next := strings.IndexByte(name[from:], '/')
		if next < 0 {
			break
		}
		from += next + 1
	}
	return 0
}

// protectedBelow returns the protected paths that would go away with name.
func (p *Policy) protectedBelow(name string) []string {
	var list []string
	for _, place := range p.Places.Protected {
		if place = filepath.ToSlash(place); p.holds(name, place) {
			list = append(list, place)
		}
	}
	return p.heads(list, name)
}

// protectedHead returns the protected paths that go through name, which is written as
// a file or a link: .git in a directory may lead to another repository.
func (p *Policy) protectedHead(name string) []string { return p.heads(nil, name) }

// heads adds the protected names that begin where name ends.
func (p *Policy) heads(list []string, name string) []string {
	for _, known := range p.Places.Names {
		for head := parent(known); head != ""; head = parent(head) {
			if !p.endsIn(name, head) || p.isOutside(name) {
				continue
			}
			if whole := absolute(p.root(), name+known[len(head):]); !slices.Contains(list, whole) {
				list = append(list, whole)
			}
		}
	}
	return list
}

// holds reports whether the absolute path place lies in name, which is absolute or
// starts at the workspace.
func (p *Policy) holds(name, place string) bool {
	if !isAbs(name) {
		rest, ok := p.below(p.root(), place)
		if !ok || name == "." {
			return ok
		}
		place = rest
	}
	_, ok := p.below(name, place)
	return ok || name == "/"
}

// endsIn reports whether the last elements of name are those of tail.
func (p *Policy) endsIn(name, tail string) bool {
	at := len(name) - len(tail)
	return at >= 0 && p.same(name[at:], tail) && (at == 0 || name[at-1] == '/')
}

// parent is the slash-separated relative path above name, "" when there is none.
func parent(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// in reports whether one of places is name or holds it.
func (p *Policy) in(places []string, name string) bool {
	for _, place := range places {
		if p.within(filepath.ToSlash(place), name) {
			return true
		}
	}
	return false
}

// within reports whether place is name or holds it. Both are clean; a name that
// is not absolute starts at the workspace.
func (p *Policy) within(place, name string) bool {
	if !isAbs(name) {
		root := strings.TrimSuffix(p.root(), "/")
		if _, ok := p.below(place, root); ok || place == "/" {
			return true
		}
		rest, ok := p.below(root, place)
		if !ok {
			return false
		}
		place = rest
	}
	if place == "/" {
		return true
	}
	_, ok := p.below(place, name)
	return ok
}
