package config

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
)

// A branch is the key table as a tree: one level of names.
type branch struct {
	key  *Key
	kids map[string]*branch
	any  *branch // below a name of the user's
}

var tree = sync.OnceValue(func() *branch {
	root := &branch{}
	keys := Keys()
	for i := range keys {
		b := root
		for part := range strings.SplitSeq(keys[i].Path, ".") {
			b = b.grow(part)
		}
		b.key = &keys[i]
	}
	return root
})

func (b *branch) grow(part string) *branch {
	if strings.HasPrefix(part, "<") {
		if b.any == nil {
			b.any = &branch{}
		}
		return b.any
	}
	if b.kids == nil {
		b.kids = map[string]*branch{}
	}
	if b.kids[part] == nil {
		b.kids[part] = &branch{}
	}
	return b.kids[part]
}

func (b *branch) child(part string) *branch {
	if kid := b.kids[part]; kid != nil {
		return kid
	}
	return b.any
}

// find follows path as far as the table knows it. rest is what lies beyond: for
// a key that is a table of the user's, the path inside it.
func find(path []string) (b *branch, rest []string) {
	b = tree()
	for i, part := range path {
		next := b.child(part)
		if next == nil {
			return b, path[i:]
		}
		b = next
	}
	return b, nil
}

// within reports whether rest may lie inside a value of kind k.
func (k Kind) within(rest []string) bool {
	switch k {
	case KindMap, KindIntMap:
		return len(rest) <= 1
	case KindAny:
		return true
	default:
		return len(rest) == 0
	}
}

// Lookup finds the key that path names: one of the table, or one entry of a key
// that is a table. The path it returns is canonical. An unknown path is an error
// with the nearest known one.
func Lookup(path string) (Key, string, error) {
	parts, err := SplitPath(path)
	if err != nil {
		return Key{}, "", err
	}
	k, err := lookup(parts)
	return k, JoinPath(parts), err
}

func lookup(parts []string) (Key, error) {
	b, rest := find(parts)
	if b.key == nil || !b.key.Kind.within(rest) {
		if b != tree() && b.key == nil && rest == nil {
			return Key{}, fmt.Errorf("key %s is a table: name one of %s", JoinPath(parts), strings.Join(b.names(), ", "))
		}
		return Key{}, unknownKey(parts)
	}
	k := *b.key
	if len(rest) > 0 {
		k.Kind, k.Default = k.Kind.element(), nil
	}
	return k, nil
}

// element is the kind of one entry of a table of kind k.
func (k Kind) element() Kind {
	switch k {
	case KindMap:
		return KindString
	case KindIntMap:
		return KindInt
	default:
		return KindAny
	}
}

func (b *branch) names() []string {
	names := make([]string, 0, len(b.kids))
	for name := range b.kids {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func unknownKey(parts []string) error {
	if near := nearest(parts); near != "" {
		return fmt.Errorf("unknown key %s (nearest known key: %s)", JoinPath(parts), near)
	}
	return fmt.Errorf("unknown key %s", JoinPath(parts))
}

// nearest is the known path most like parts, "" when nothing is like it: a name
// beside the unknown one, or the same name in another table.
func nearest(parts []string) string {
	b, rest := find(parts)
	if len(rest) == 0 {
		return ""
	}
	known := parts[:len(parts)-len(rest)]
	if near := closest(rest[0], b.names()); near != "" {
		return JoinPath(append(slices.Clone(known), near))
	}
	last := parts[len(parts)-1]
	for _, k := range Keys() {
		if !strings.Contains(k.Path, "<") && k.Path[strings.LastIndexByte(k.Path, '.')+1:] == last {
			return k.Path
		}
	}
	return ""
}

// closest is the name with the fewest edits to s, "" when all are far from it.
func closest(s string, names []string) string {
	best, found := len(s)/3+2, ""
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(s), strings.ToLower(name)); d < best {
			best, found = d, name
		}
	}
	return found
}
