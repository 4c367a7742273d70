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

// Completion is one way to go on. A directory's Insert ends so that the next
// completion goes on inside it.
type Completion struct {
	Insert string // what replaces the reference so far, with its @
	Label  string // what to show: a name, of a directory with a slash
	Kind   string // KindFile, KindDir, KindResource
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
// typed. Resources stand behind the entries of the workspace. It asks the disk, and
// nobody else. Without a reference at cursor there is nothing to complete.
func Complete(ctx context.Context, o Options, text string, cursor int) Completions {
	if cursor < 0 || cursor > len(text) {
		return Completions{}
	}
	from, typed, ok := begun(text[:cursor])
	if !ok {
		return Completions{}
	}
	c := Completions{From: from, To: cursor}
	if !o.ofServer(typed) {
		c.entries(o, typed)
	}
	if ctx.Err() == nil && o.Resources != nil {
		c.resources(o.Resources.List(ctx), typed)
	}
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

// ofServer reports whether typed is the beginning of a server's resource.
func (o Options) ofServer(typed string) bool {
	return slices.ContainsFunc(o.servers(), func(name string) bool { return strings.HasPrefix(typed, name+":") })
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
	if strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar }) {
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

// resources adds those that begin with what was typed: server:uri, or a name.
func (c *Completions) resources(list []Resource, typed string) {
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].Server+":"+list[i].URI < list[j].Server+":"+list[j].URI })
	folded := strings.ToLower(typed)
	for _, r := range slices.Compact(list) {
		ref := r.Server + ":" + r.URI
		if !strings.HasPrefix(strings.ToLower(ref), folded) && !(typed != "" && strings.HasPrefix(strings.ToLower(r.Name), folded)) {
			continue
		}
		if len(c.Items) == MaxCompletions {
			c.More = true
			return
		}
		insert := "@" + ref
		if strings.ContainsFunc(ref, unicode.IsSpace) || trimURI(ref) != ref {
			insert = `@"` + ref + `"`
		}
		if !strings.Contains(ref, `"`) {
			c.Items = append(c.Items, Completion{Insert: insert, Label: ref, Kind: KindResource})
		}
	}
}
