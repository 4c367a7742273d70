// Package symbol finds the declarations in a source text: which lines a function,
// type or variable takes, with its comment and annotations. Go is parsed. Other
// languages are scanned: their strings, comments and brackets, or indentation,
// are understood, their grammar is not. So the scan never guesses: what it is not
// sure of is marked and must not be cut. It is a leaf that reads no files; the
// file tools call it.
package symbol

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ErrLanguage means that no scanner knows the file's language.
var ErrLanguage = errors.New("language not known")

// Symbol is one declaration. Start and End are offsets into the text: whole lines,
// with the comment above it and the line end behind it.
type Symbol struct {
	Name, Kind string
	Parent     string // the type, or module, it belongs to; "" at the top
	Line       int    // of its name, from 1
	Start, End int
	Unsure     string // why it must not be cut; "" when it may
}

// String names the symbol for a reader.
func (s Symbol) String() string {
	name := s.Name
	if s.Parent != "" {
		name = s.Parent + "." + name
	}
	return fmt.Sprintf("%s %s at line %d", s.Kind, name, s.Line)
}

// Languages lists the file name endings List knows, sorted.
func Languages() []string {
	list := []string{".go", ".py", ".pyi", ".rb", ".sh", ".bash"}
	for ext := range dialects() {
		list = append(list, ext)
	}
	slices.Sort(list)
	return list
}

// List finds the declarations of text, the content of the file called name, in
// their order. Those inside functions are not listed.
func List(name, text string) ([]Symbol, error) {
	ext := strings.ToLower(filepath.Ext(name))
	switch ext {
	case ".go":
		return listGo(text)
	case ".py", ".pyi":
		return listPython(text)
	case ".rb":
		return listRuby(text)
	case ".sh", ".bash":
		return listShell(text)
	}
	d, ok := dialects()[ext]
	if !ok {
		return nil, fmt.Errorf("%w: %q; known are %s", ErrLanguage, ext, strings.Join(Languages(), " "))
	}
	return listBraces(text, d)
}

// lineAt is the number of the line that holds offset i.
func lineAt(text string, i int) int { return 1 + strings.Count(text[:i], "\n") }

// lineStart is the offset at which the line of offset i begins.
func lineStart(text string, i int) int { return strings.LastIndexByte(text[:i], '\n') + 1 }

// lineEnd is the offset behind the line end of the line of offset i.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// indentAt is the white space the line of offset i begins with.
func indentAt(text string, i int) string {
	line := text[lineStart(text, i):]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// blank reports whether s is white space only.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

const sharesLine = "it shares a line with other code"
