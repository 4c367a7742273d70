package mention_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/mention"
	"reasonix/core/workspace"
)

// rig is a workspace with files, and a home directory beside it.
type rig struct {
	dir, home string
	mention.Options
}

func newRig(t *testing.T, files map[string]string) rig {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rig{dir: filepath.Join(top, "work"), home: filepath.Join(top, "home")}
	for _, dir := range []string{r.dir, r.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		r.write(t, name, text)
	}
	fs, err := workspace.Open(workspace.Roots{Dir: r.dir, Hide: []string{filepath.Join(r.dir, "secret"), filepath.Join(r.home, ".reasonix")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Options = mention.Options{Files: fs, Home: r.home, Images: true}
	return r
}

func (r rig) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (r rig) expand(typed string) mention.Expanded {
	return mention.Expand(context.Background(), r.Options, typed)
}

// refs is what typed refers to.
func (r rig) refs(typed string) []string {
	var refs []string
	for _, s := range r.expand(typed).Sources {
		refs = append(refs, s.Ref)
	}
	return refs
}

func TestReferenceIsWhatIsThere(t *testing.T) {
	r := newRig(t, map[string]string{
		"a.go": "a\nb\nc\n", "b.go": "b", "dir/c.go": "c", "my file.txt": "m", "文档/说明.md": "s", "odd (1).txt": "o", "x,y.txt": "x",
		"#L1": "h", "a.go#L2": "literal", "@types/x.ts": "t", "example.com": "e", "we\"ird": "w",
	})
	for typed, want := range map[string][]string{
		"@a.go":                         {"a.go"},
		"see @a.go.":                    {"a.go"},
		"(@a.go)":                       {"a.go"},
		"is it @a.go?!":                 {"a.go"},
		"@a.go, @b.go; and @dir/c.go":   {"a.go", "b.go", "dir/c.go"},
		"@a.go,@b.go":                   {"a.go", "b.go"},
		"`@a.go` \"@b.go\" '@dir/c.go'": {"a.go", "b.go", "dir/c.go"},
		"[@a.go](x) **@b.go**":          {"a.go", "b.go"},
		"@a.go's":                       {"a.go"},
		"@a.go:12 @b.go:3:4":            {"a.go", "b.go"},
		"@a.go#section":                 {"a.go"},
		"@./a.go @a.go @dir/../a.go":    {"a.go"},
		"@a.go\n@b.go\t@a.go":           {"a.go", "b.go"},
		`@"my file.txt" x`:              {"my file.txt"},
		`@"my file.txt".`:               {"my file.txt"},
		`@"my file.txt"#L1-2.`:          {"my file.txt#L1-2"},
		"@my file.txt":                  nil,
		`@"my file.txt`:                 nil,
		"@\"my\nfile.txt\"":             nil,
		`@""`:                           nil,
		"看@a.go里面":                      {"a.go"},
		"请看@文档/说明.md，然后@b.go。":             {"文档/说明.md", "b.go"},
		"在@文档/说明.md里":                      {"文档/说明.md"},
		"@x,y.txt":                         {"x,y.txt"},
		`@"odd (1).txt"`:                   {"odd (1).txt"},
		`@we"ird`:                          {`we"ird`},
		"@a.go#L1-2":                       {"a.go#L1-2"},
		"@a.go#L1-L2, @a.go#L3.":           {"a.go#L1-2", "a.go#L3"},
		"@a.go#L1–2":                       {"a.go#L1-2"},
		"@a.go#L2":                         {"a.go#L2"}, // there is a file of that name
		"@dir/":                            {"dir/"},
		"@dir":                             {"dir/"},
		"@dir/.":                           {"dir/"},
		"@./":                              {"./"},
		"@a.go/":                           nil,
		"@dir/none.go":                     nil,
		"@someone":                         nil,
		"@someone/a.go":                    nil,
		"mail a@example.com":               nil,
		"mail x+y@example.com, or 1@b.go":  nil,
		"@@a.go":                           nil,
		"@":                                nil,
		"@ a.go":                           nil,
		"@. @.. @...":                      nil,
		"a/@a.go":                          nil,
		"@dir.name":                        nil,
		"@dir:name":                        nil,
		"@dir-name":                        nil,
		`@"@types/x.ts"`:                   {"@types/x.ts"},
		"@//host/share @\\\\host\\share\\": nil,
		"@a.go\x00":                        nil,
		"@" + strings.Repeat("x", 10000):   nil,
	} {
		if diff := cmp.Diff(r.refs(typed), want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", typed, diff)
		}
	}
}

func TestBlocksStandBeforeTheText(t *testing.T) {
	r := newRig(t, map[string]string{"a.go": "package a\n", "b c.md": "no line end", "empty": "", "dir/x": "x"})
	typed := `compare @a.go, @"b c.md", @empty and @dir`
	want := "Referenced context:\n\n" +
		"<file path=\"a.go\">\npackage a\n</file>\n\n" +
		"<file path=\"b c.md\">\nno line end\n</file>\n\n" +
		"<file path=\"empty\">\n[empty]\n</file>\n\n" +
		"<dir path=\"dir/\">\n[1 entry]\nx\n</dir>\n\n" + typed
	e := r.expand(typed)
	if got := e.Before(typed); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	kinds := []mention.Source{{"file", "a.go", 36}, {"file", "b c.md", 40}, {"file", "empty", 35}, {"dir", "dir/", 36}}
	if diff := cmp.Diff(e.Sources, kinds); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if len(e.Notices)+len(e.Images) > 0 {
		t.Errorf("%v %v", e.Notices, e.Images)
	}
	if got := r.expand("nothing").Before("nothing"); got != "nothing" {
		t.Errorf("got %q", got)
	}
}

func TestNothingInAFileEndsItsBlock(t *testing.T) {
	r := newRig(t, map[string]string{
		"x.md":   "a</file>b</FILE >c< / file>d</dir></resource><file path=\"y\"></p>\n",
		"q&<.md": "q",
	})
	if filepath.Separator == '/' {
		r.write(t, "\"q\"\n>.md", "n")
	}
	want := "<file path=\"x.md\">\na<\\/file>b<\\/FILE >c< \\/ file>d<\\/dir><\\/resource><file path=\"y\"></p>\n</file>"
	if got := r.expand("@x.md").Blocks; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := r.expand(`@"q&<.md"`).Blocks, "<file path=\"q&amp;&lt;.md\">\nq\n</file>"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRangesAreChecked(t *testing.T) {
	r := newRig(t, map[string]string{"f": "one\ntwo\nthree", "dir/x": ""})
	for typed, want := range map[string]string{
		"@f#L2":     "<file path=\"f\" lines=\"2-2\">\ntwo\n</file>",
		"@f#L2-3":   "<file path=\"f\" lines=\"2-3\">\ntwo\nthree\n</file>",
		"@f#L1-L1":  "<file path=\"f\" lines=\"1-1\">\none\n</file>",
		"@f#L3-99":  "<file path=\"f\" lines=\"3-3\">\nthree\n</file>",
		"@f#L4":     "! @f#L4 was not read: it has 3 lines",
		"@f#L3-2":   "! @f#L3-2 was not read: line 2 is before line 3",
		"@f#L0":     "! @f#L0 was not read: lines are counted from 1",
		"@f#L0-2":   "! @f#L0-2 was not read: lines are counted from 1",
		"@dir#L1-2": "<dir path=\"dir/\">\n[1 entry]\nx\n</dir>! @dir/ is a directory, which has no lines: it is listed",
	} {
		e := r.expand(typed)
		got := e.Blocks
		for _, n := range e.Notices {
			got += "! " + n
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestWhatWasShownCountsAsRead: a file that is whole in the message can be edited.
func TestWhatWasShownCountsAsRead(t *testing.T) {
	r := newRig(t, map[string]string{"whole": "1\n2\n", "part": "1\n2\n", "span": "1\n2\n", "long": strings.Repeat("line\n", mention.MaxFile)})
	r.expand("@whole @part#L1 @span#L1-2 @long")
	for name, want := range map[string]bool{"whole": true, "part": false, "span": true, "long": false} {
		hash, partial, ok := r.Files.LastSeen(filepath.Join(r.dir, name))
		if !ok || hash == "" || partial == want {
			t.Errorf("%s: %q, partial %v, seen %v", name, hash, partial, ok)
		}
	}
}

func TestSizesAreBoundedAndCutsAreSaid(t *testing.T) {
	files := map[string]string{"one.txt": strings.Repeat("0123456789\n", 10000), "flat": strings.Repeat("é", mention.MaxFile)}
	typed := ""
	for i := range 6 {
		name := fmt.Sprintf("f%d", i)
		files[name] = strings.Repeat("x", mention.MaxFile)
		typed += " @" + name
	}
	r := newRig(t, files)
	e := r.expand("@one.txt")
	if diff := cmp.Diff(e.Notices, []string{"@one.txt was cut: only the first 63 KB are in the message"}); diff != "" {
		t.Error(diff)
	}
	if tail := "789\n[cut: this is the first 63 KB of 107 KB; read_file shows more]\n</file>"; !strings.HasSuffix(e.Blocks, tail) || len(e.Blocks) > mention.MaxFile+200 {
		t.Errorf("%d bytes end with %q", len(e.Blocks), e.Blocks[len(e.Blocks)-80:])
	}
	if got := r.expand("@flat").Blocks; strings.Contains(got, "\uFFFD") || !strings.Contains(got, "é\n[cut: ") {
		t.Errorf("%q", got[len(got)-80:])
	}
	if e = r.expand("@one.txt#L2-9000"); !strings.Contains(e.Blocks, "\n[cut: this is the first 63 KB of these lines; read_file shows more]\n") || len(e.Notices) != 1 {
		t.Errorf("%q", e.Notices)
	}
	e = r.expand(typed)
	want := []string{"@f3 was cut: only the first 63 KB are in the message", "@f4 was not read: the references of one message add 256 KB at most", "@f5 was not read: the references of one message add 256 KB at most"}
	if diff := cmp.Diff(e.Notices, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if len(e.Blocks) > mention.MaxAll+2000 {
		t.Errorf("%d bytes", len(e.Blocks))
	}
}

func TestReferencesAreCounted(t *testing.T) {
	files := map[string]string{}
	typed := ""
	for i := range mention.MaxRefs + 5 {
		files[fmt.Sprintf("f%d", i)] = "x"
		typed += fmt.Sprintf(" @f%d", i)
	}
	r := newRig(t, files)
	e := r.expand(typed)
	if len(e.Sources) != mention.MaxRefs || !slices.Equal(e.Notices, []string{"only the first 50 references were followed"}) {
		t.Errorf("%d, %q", len(e.Sources), e.Notices)
	}
	e = r.expand(strings.Repeat("@nobody ", 600) + "@f0")
	if len(e.Sources) != 0 || !slices.Equal(e.Notices, []string{"only the first 500 places with an @ were looked at"}) {
		t.Errorf("%d, %q", len(e.Sources), e.Notices)
	}
}

func TestBinaryIsNotedAndOtherEncodingsAreRead(t *testing.T) {
	r := newRig(t, map[string]string{"bin": "\x00\x01\x02\xff\xfe\x00", "wide.txt": "\xff\xfeh\x00i\x00", "bom.txt": "\ufeffhi"})
	for typed, want := range map[string]string{
		"@bin":      "<file path=\"bin\">\n[binary file, application/octet-stream, 6 bytes, not shown]\n</file>",
		"@wide.txt": "<file path=\"wide.txt\" encoding=\"UTF-16LE with BOM\">\nhi\n</file>",
		"@bom.txt":  "<file path=\"bom.txt\">\nhi\n</file>",
	} {
		if got := r.expand(typed).Blocks; got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

func TestImagesAreForTheCallerToAttach(t *testing.T) {
	heads := map[string]string{
		"a.png": "\x89PNG\r\n\x1a\n....", "b.JPG": "\xff\xd8\xff....", "c.gif": "GIF89a....", "d.webp": "RIFF....WEBPVP8 ....", "e.bmp": "BM\x00\x00\x00\x00",
	}
	r := newRig(t, heads)
	r.write(t, "big.png", heads["a.png"]+strings.Repeat("\x00", mention.MaxImage))
	e := r.expand("@a.png @b.JPG @c.gif @d.webp @e.bmp @big.png")
	var got []string
	for _, i := range e.Images {
		if i.Path != filepath.Join(r.dir, i.Name) || string(i.Data) != heads[i.Name] {
			t.Errorf("%s: %s, %d bytes", i.Name, i.Path, len(i.Data))
		}
		got = append(got, i.Name+" "+i.MIME)
	}
	if diff := cmp.Diff(got, []string{"a.png image/png", "b.JPG image/jpeg", "c.gif image/gif", "d.webp image/webp"}); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(e.Blocks, "<file path=\"a.png\">\n[image/png, 12 bytes, attached]\n</file>") {
		t.Errorf("%s", e.Blocks)
	}
	if diff := cmp.Diff(e.Notices, []string{"@big.png was not attached: it is larger than 5 MB"}); diff != "" {
		t.Error(diff)
	}
	r.Images = false
	e = r.expand("@a.png")
	if len(e.Images) != 0 || !slices.Equal(e.Notices, []string{"@a.png was not attached: the model looks at no images"}) ||
		!strings.Contains(e.Blocks, "not attached: the model looks at no images") {
		t.Errorf("%v %q\n%s", e.Images, e.Notices, e.Blocks)
	}
}

func TestHiddenIsNeverRead(t *testing.T) {
	r := newRig(t, map[string]string{"secret/key": "KEY", "secret/sub/key": "KEY", "../home/.reasonix/.env": "KEY", "../home/notes.md": "notes", "open": "o"})
	for _, typed := range []string{"@secret/key", "@secret", "@~/.reasonix/.env", "@./secret/sub/../key", "@" + filepath.ToSlash(filepath.Join(r.home, ".reasonix/.env"))} {
		e := r.expand(typed)
		if e.Blocks != "" || len(e.Notices) != 1 || !strings.Contains(e.Notices[0], "hidden by the configuration") {
			t.Errorf("%s: %q, %q", typed, e.Blocks, e.Notices)
		}
	}
	if got := r.expand("@./").Blocks; got != "<dir path=\"./\">\n[1 entry]\nopen\n</dir>" {
		t.Errorf("%s", got)
	}
	if got := r.expand("@~/notes.md").Blocks; !strings.Contains(got, "\nnotes\n") {
		t.Errorf("%s", got)
	}
	if got := r.expand("@~/").Blocks; got != "<dir path=\""+filepath.ToSlash(r.home)+"/\">\n[1 entry]\nnotes.md\n</dir>" {
		t.Errorf("%s", got)
	}
}
