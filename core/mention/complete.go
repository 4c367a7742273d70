package mention

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Limits of a completion.
const (
	MaxCompletions = 200
	maxScanned     = 5000 // entries of one directory that are looked at
)

// Completion is one way to go on. The Insert of a directory or a template ends so that
// the next completion goes on inside it.
type Completion struct {
	Insert string // what replaces the reference so far, with its @
	Label  string // what to show: a name, of a directory with a slash
	Kind   string // KindFile, KindDir, KindResource, KindTemplate
}

// Completions are the ways to go on with the bytes From to To of a text.
type Completions struct {
	From, To int
	Items    []Completion
	More     bool // there are more than are listed, or were looked at
}

// Complete completes the reference that ends at cursor, a number of bytes of text. It
// lists one directory, nothing below it: what is in it and begins with what was typed,
// whatever the case, by name; names with a dot before them only when the dot is
// typed. Resources stand behind the entries of the workspace. It asks the disk and, behind
// the name of a server, that server. Without a reference at cursor there is nothing to
// complete.
func Complete(ctx context.Context, o Options, text string, cursor int) Completions {
	if cursor < 0 || cursor > len(text) {
		return Completions{}
	}
	from, typed, ok := begun(text[:cursor])
	if !ok {
		return Completions{}
	}
	c := Completions{From: from, To: cursor}
	server, uri := o.server(typed)
	if server == "" {
		c.entries(o, typed)
	}
	if ctx.Err() != nil || o.Resources == nil {
		return c
	}
	list := slices.DeleteFunc(slices.Clone(o.Resources.List()), func(r Resource) bool {
		return !r.begins(typed) || server != "" && r.Open != ""
	})
	if server != "" {
		list = append(list, o.Resources.Continue(ctx, server, uri)...)
	}
	c.resources(list)
	return c
}

// begun finds the reference that ends where text does, and what is typed of it.
func begun(text string) (from int, typed string, ok bool) {
	for at := len(text) - 1; at >= 0 && text[at] != '\n'; at-- {
		if text[at] != '@' || !opens(text[:at]) {
			continue
		}
		typed, quoted := strings.CutPrefix(text[at+1:], `"`)
		if quoted && !strings.Contains(typed, `"`) || !strings.ContainsFunc(typed, unicode.IsSpace) && !quoted {
			return at, typed, true
		}
	}
	return 0, "", false
}

// entries adds those of the directory that typed is about.
func (c *Completions) entries(o Options, typed string) {
	at := strings.LastIndexByte(typed, '/')
	if filepath.Separator == '\\' {
		at = strings.LastIndexAny(typed, `/\`)
	}
	dir, prefix := typed[:at+1], strings.ToLower(typed[at+1:])
	if elsewhere(dir) {
		return
	}
	abs, err := o.Files.ReadPath(cmp.Or(o.fromHome(dir), "."))
	if err != nil {
		return
	}
	names, more := scan(abs)
	c.More = more
	for _, e := range names {
		name := e.Name()
		switch {
		case !strings.HasPrefix(strings.ToLower(name), prefix),
			strings.HasPrefix(name, ".") && !strings.HasPrefix(prefix, "."),
			o.Files.Hidden(filepath.Join(abs, name)):
			continue
		case len(c.Items) == MaxCompletions:
			c.More = true
			return
		}
		if item, ok := complete(dir, name, isDir(abs, e)); ok {
			c.Items = append(c.Items, item)
		}
	}
}

// scan reads the entries of a directory, by name, but not all of a huge one.
func scan(abs string) (entries []fs.DirEntry, more bool) {
	d, err := os.Open(abs)
	if err != nil {
		return nil, false
	}
	defer d.Close()
	entries, err = d.ReadDir(maxScanned)
	if err != nil && !errors.Is(err, io.EOF) && len(entries) == 0 {
		return nil, false
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, len(entries) == maxScanned
}

func isDir(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

// complete is a name in dir, quoted when it must be. A name that cannot be written in
// a text is none.
func complete(dir, name string, isDir bool) (Completion, bool) {
	if strings.ContainsFunc(name, unwritable) {
		return Completion{}, false
	}
	item, slash := Completion{Label: name, Kind: KindFile}, ""
	if isDir {
		item.Label, item.Kind, slash = name+"/", KindDir, "/"
	}
	path := dir + name + slash
	quoted := path[0] == '@' || path[0] == '"' || strings.ContainsFunc(path, unicode.IsSpace)
	switch {
	case quoted && strings.Contains(path, `"`):
		return Completion{}, false
	case quoted && isDir:
		item.Insert = `@"` + path
	case quoted:
		item.Insert = `@"` + path + `"`
	default:
		item.Insert = "@" + path
	}
	return item, true
}

// begins reports whether r is server:uri, or has a name, that begins with what was typed.
func (r Resource) begins(typed string) bool {
	folded := strings.ToLower(typed)
	return strings.HasPrefix(strings.ToLower(r.ref()), folded) || typed != "" && strings.HasPrefix(strings.ToLower(r.Name), folded)
}

func (r Resource) ref() string { return r.Server + ":" + r.URI }

// resources adds those of a list that can be written in a text.
func (c *Completions) resources(list []Resource) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].ref() < list[j].ref() })
	for _, r := range slices.Compact(list) {
		if label := r.ref() + r.Open; strings.Contains(label, `"`) || strings.ContainsFunc(label, unwritable) {
			continue
		}
		if len(c.Items) == MaxCompletions {
			c.More = true
			return
		}
		c.Items = append(c.Items, r.completion())
	}
}

func (r Resource) completion() Completion {
	ref := r.ref()
	spaced := strings.ContainsFunc(ref, unicode.IsSpace)
	switch {
	case r.Open != "" && spaced:
		return Completion{Insert: `@"` + ref, Label: ref + r.Open, Kind: KindTemplate}
	case r.Open != "":
		return Completion{Insert: "@" + ref, Label: ref + r.Open, Kind: KindTemplate}
	case spaced || trimURI(ref) != ref:
		return Completion{Insert: `@"` + ref + `"`, Label: ref, Kind: KindResource}
	}
	return Completion{Insert: "@" + ref, Label: ref, Kind: KindResource}
}

// unwritable reports whether nobody can see r in a text.
func unwritable(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar
}
