package file_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reasonix/core/internal/textenc"
)

// situation is one file and one edit of some of its lines.
type situation struct {
	enc         textenc.Encoding
	eol         string
	final       bool
	mode        os.FileMode
	link        string // "", symlink, hard
	before, old []string
	after, new  []string
	untidy      bool // the file has blanks and typography that old lacks
}

// drawLines makes lines that no other line of the file equals.
func drawLines(t *rapid.T, name string, most int, chars []rune) []string {
	words := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom(chars), 0, 12, -1), 1, most).Draw(t, name)
	for i, w := range words {
		words[i] = fmt.Sprintf("%s%d %s.", name, i, w)
	}
	return words
}

func draw(t *rapid.T) situation {
	s := situation{
		enc:    rapid.SampledFrom([]textenc.Encoding{textenc.UTF8, textenc.UTF8BOM, textenc.GB18030, textenc.Latin1, textenc.UTF16LEBOM, textenc.UTF16BEBOM}).Draw(t, "encoding"),
		eol:    rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end"),
		final:  rapid.Bool().Draw(t, "final newline"),
		mode:   rapid.SampledFrom([]os.FileMode{0o644, 0o755, 0o600, 0o664}).Draw(t, "mode"),
		link:   rapid.SampledFrom([]string{"", "symlink", "hard"}).Draw(t, "link.py"),
		untidy: rapid.Bool().Draw(t, "untidy"),
	}
	chars := []rune("ab c\t'\"-{}()")
	switch s.enc {
	case textenc.Latin1:
		chars = append(chars, 'é')
	default:
		chars = append(chars, '中', '文', '’', '“', '—')
	}
	s.before = drawLines(t, "before", 4, chars)
	s.old = drawLines(t, "old", 3, chars)
	s.after = drawLines(t, "after", 4, chars)
	s.new = drawLines(t, "new", 3, chars)
	if s.enc == textenc.GB18030 { // enough of it to be recognised
		s.before = append(s.before, "这是一个文件的注释")
	}
	if s.enc == textenc.Latin1 {
		s.before = append(s.before, "für élève")
	}
	return s
}

// inFile is how the lines to be edited stand in the file.
func (s situation) inFile() []string {
	if !s.untidy || s.enc == textenc.Latin1 {
		return s.old
	}
	lines := make([]string, len(s.old))
	for i, line := range s.old {
		lines[i] = strings.NewReplacer("'", "’", `"`, "”").Replace(line) + "  "
	}
	return lines
}

// attempt is one call of a tool on a situation: the lines of the file in three
// parts, of which the call changes the middle one to want.
type attempt struct {
	before, middle, after []string
	call                  args
	want                  []string
	loose                 bool // the middle may keep what it has of its own
}

// attempts are the tools that change a part of a file.
var attempts = map[string]func(s situation) attempt{
	"edit_file": func(s situation) attempt {
		return attempt{
			s.before, s.inFile(), s.after,
			args{"old_string": strings.Join(s.old, "\n"), "new_string": strings.Join(s.new, "\n")},
			s.new, s.untidy,
		}
	},
	"multi_edit": func(s situation) attempt {
		return attempt{s.before, s.inFile(), s.after, args{"edits": []args{
			{"old_string": strings.Join(s.old, "\n"), "new_string": "between"},
			{"old_string": "between", "new_string": strings.Join(s.new, "\n")},
		}}, s.new, true}
	},
	"delete_range": func(s situation) attempt {
		return attempt{s.before, s.inFile(), s.after, args{"start_anchor": s.old[0], "end_anchor": s.old[len(s.old)-1]}, nil, false}
	},
	"delete_symbol": func(s situation) attempt {
		return attempt{
			append(comments(s.before), ""), append(comments(s.old), "def target():", "    pass", ""), comments(s.after),
			args{"name": "target"},
			nil, false,
		}
	},
	"notebook_edit": func(s situation) attempt {
		source, _ := quoted(s.new)
		return attempt{
			append(listed("{", s.before), `"cells": [{"id": "x", "source":`),
			[]string{`""`},
			append([]string{`}],`}, listed(`"z": [`, s.after)[1:]...),
			args{"cell_id": "x", "new_source": strings.Join(s.new, "\n")},
			source, false,
		}
	},
}

// comments makes lines harmless in a program.
func comments(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "# " + line
	}
	return out
}

// listed is JSON that holds the lines.
func listed(open string, lines []string) []string {
	out := []string{open}
	for i, line := range lines {
		text, _ := quoted([]string{line})
		if open == "{" {
			out = append(out, fmt.Sprintf("%q: %s,", "k"+strconv.Itoa(i), text[0]))
		} else {
			out = append(out, fmt.Sprintf("%q: %s,", "z"+strconv.Itoa(i), text[0]))
		}
	}
	if open != "{" {
		out = append(out, `"nbformat": 4}`)
	}
	return out
}

// quoted is the lines as one JSON string.
func quoted(lines []string) ([]string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(strings.Join(lines, "\n"))
	return []string{strings.TrimSpace(b.String())}, err
}

func TestBytesOutsideTheEditStayAsTheyWere(t *testing.T) {
	for name, make := range attempts {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { check(t, rt, name, draw(rt), make) })
		})
	}
}

func check(t *testing.T, rt *rapid.T, tool string, s situation, make func(situation) attempt) {
	a := make(s)
	b := open(t)
	end := ""
	if s.final {
		end = s.eol
	}
	join := func(parts ...[]string) string { return strings.Join(slices.Concat(parts...), s.eol) }
	whole := encoded(t, s.enc, join(a.before, a.middle, a.after)+end)
	head := encoded(t, s.enc, join(a.before)+s.eol)
	tail := strings.TrimPrefix(encoded(t, s.enc, join(a.after)+end), s.enc.BOM())
	a.call["path"] = s.place(t, b, whole)

	b.ok(tool, a.call)

	got, err := os.ReadFile(filepath.Join(b.dir, s.file()))
	if err != nil {
		rt.Fatal(err)
	}
	if !strings.HasPrefix(string(got), head) || !strings.HasSuffix(string(got), tail) {
		rt.Fatalf("bytes outside the edit changed\nfrom %q\nto   %q", whole, got)
	}
	if want := encoded(t, s.enc, join(a.before, a.want, a.after)+end); !a.loose && string(got) != want {
		rt.Fatalf("got\n%q, want\n%q", got, want)
	}
	if len(b.diffs) != 1 || b.diffs[0].Unified == "" {
		rt.Fatalf("the call has the diffs %+v", b.diffs)
	}
	s.checkPlace(t, b, got)
}

// TestMovedBytesStayAsTheyWere is the same for a file that gets another name.
func TestMovedBytesStayAsTheyWere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(rt)
		b := open(t)
		whole := encoded(t, s.enc, strings.Join(slices.Concat(s.before, s.inFile(), s.after), s.eol))
		name := s.place(t, b, whole)
		b.move(name, "d/moved")
		if name != s.file() { // the other name of a link
			b.holds(s.file(), whole)
		}
		if name == s.file() || s.link == "hard" {
			b.holds("d/moved", whole)
		}
	})
}

// file is the name of the file itself.
func (situation) file() string { return "file.py" }

// place makes the file and, for a link, the name it is edited by.
func (s situation) place(t *testing.T, b *bench, content string) string {
	path := b.put(s.file(), content)
	if err := os.Chmod(path, s.mode); err != nil {
		t.Fatal(err)
	}
	var err error
	switch s.link {
	case "symlink":
		err = os.Symlink(s.file(), filepath.Join(b.dir, "link.py"))
	case "hard":
		err = os.Link(path, filepath.Join(b.dir, "link.py"))
	default:
		return s.file()
	}
	if err != nil { // Windows makes links for some users only
		return s.file()
	}
	return "link.py"
}

func (s situation) checkPlace(t *testing.T, b *bench, content []byte) {
	info, err := os.Lstat(filepath.Join(b.dir, s.file()))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info.Mode() != s.mode {
		t.Errorf("mode %v, want %v", info.Mode(), s.mode)
	}
	b.holds(s.file(), string(content))
}
