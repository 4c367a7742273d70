package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
		link:   rapid.SampledFrom([]string{"", "symlink", "hard"}).Draw(t, "link"),
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

func TestBytesOutsideTheEditStayAsTheyWere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(rt)
		b := open(t)
		body := func(lines ...[]string) string {
			var all []string
			for _, l := range lines {
				all = append(all, l...)
			}
			return strings.Join(all, s.eol)
		}
		end := ""
		if s.final {
			end = s.eol
		}
		head := encoded(t, s.enc, body(s.before)+s.eol)
		tail := strings.TrimPrefix(encoded(t, s.enc, s.eol+body(s.after)+end), s.enc.BOM())
		whole := encoded(t, s.enc, body(s.before, s.inFile(), s.after)+end)
		name := s.place(t, b, whole)

		b.edit(name, strings.Join(s.old, "\n"), strings.Join(s.new, "\n"))

		got, err := os.ReadFile(filepath.Join(b.dir, name))
		if err != nil {
			rt.Fatal(err)
		}
		if !strings.HasPrefix(string(got), head) || !strings.HasSuffix(string(got), tail) {
			rt.Fatalf("bytes outside the edit changed\nfrom %q\nto   %q", whole, got)
		}
		if want := encoded(t, s.enc, body(s.before, s.new, s.after)+end); !s.untidy && string(got) != want {
			rt.Fatalf("got\n%q, want\n%q", got, want)
		}
		s.checkPlace(t, b, got)
	})
}

// place makes the file and, for a link, the name it is edited by.
func (s situation) place(t *testing.T, b *bench, content string) string {
	path := b.put("file", content)
	if err := os.Chmod(path, s.mode); err != nil {
		t.Fatal(err)
	}
	var err error
	switch s.link {
	case "symlink":
		err = os.Symlink("file", filepath.Join(b.dir, "link"))
	case "hard":
		err = os.Link(path, filepath.Join(b.dir, "link"))
	default:
		return "file"
	}
	if err != nil { // Windows makes links for some users only
		return "file"
	}
	return "link"
}

func (s situation) checkPlace(t *testing.T, b *bench, content []byte) {
	info, err := os.Lstat(filepath.Join(b.dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info.Mode() != s.mode {
		t.Errorf("mode %v, want %v", info.Mode(), s.mode)
	}
	b.holds("file", string(content))
}
