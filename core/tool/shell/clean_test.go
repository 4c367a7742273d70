package shell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanMakesTerminalOutputPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"plain\ttext\n":                        "plain\ttext\n",
		"no newline":                           "no newline",
		"a\r\nb\r\n":                           "a\nb\n",
		"10%\r20%\r100%\n":                     "100%\n",
		"10%\r":                                "10%",
		"10%\r\r\n":                            "10%\n",
		"10%\r\x1b[K20%\x1b[0m\n":              "20%\n",
		"a\b\bbc\n":                            "bc\n",
		"界\b文":                                 "文",
		"\x1b[38;5;1mred\x1b[m":                "red",
		"\x1b]0;title\x07a\x1b]8;;u\x1b\\b":    "ab",
		"\x1bPq#0\x1b\\after":                  "after",
		"\x1b]never ended\nnext":               "\nnext",
		"\x1b(B\x1b=\x1b7x":                    "x",
		"\x1b[31\nx":                           "\nx",
		"\x1b\x1b[31mx":                        "x",
		"\x1b[3\xe4\xb8\xadx":                  "中x",
		"end\x1b":                              "end",
		"bell\x07":                             "bell",
		"\x00\x01\x0b\x0c\x7f":                 `\x00\x01\x0b\x0c\x7f`,
		"\xff\xfe":                             `\xff\xfe`,
		"\xe4\xb8":                             `\xe4\xb8`,
		"\xe4\xb8x":                            `\xe4\xb8x`,
		"\xe4\xb8\n":                           `\xe4\xb8` + "\n",
		"\xe4\xe4\xb8\xad":                     `\xe4中`,
		"\xc2\x9b31m":                          `\u009b31m`,
		"\xed\xa0\x80":                         `\xed\xa0\x80`,
		"given \ufffd stays":                   "given \ufffd stays",
		"1\r\xff2\n":                           `\xff2` + "\n",
		"中文\n结束":                               "中文\n结束",
		strings.Repeat("x", maxLine+5) + "\ry": strings.Repeat("x", maxLine+5) + "y",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%.80q)\n got %.80q\nwant %.80q", in, got, want)
		}
	}
}

func FuzzCleanIsTheSameInPieces(f *testing.F) {
	f.Add([]byte("a\r\x1b[31mb\xe4\xb8\xad\xff\n\b\x00"), uint8(1))
	f.Add([]byte("\x1b]0;t\x07\xc2\x9b\r\r\n"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		want := clean(string(in))
		if !utf8.ValidString(want) || strings.ContainsAny(want, "\x00\x1b\r\b\x07\x7f") {
			t.Fatalf("clean(%q) = %q", in, want)
		}
		if strings.Count(want, "\ufffd") > strings.Count(string(in), "\ufffd") {
			t.Fatalf("clean(%q) = %q has a replacement character that was not there", in, want)
		}
		var got strings.Builder
		c := cleaner{emit: func(p []byte) {
			if !utf8.Valid(p) {
				t.Fatalf("emitted %q", p)
			}
			got.Write(p)
		}}
		for n := int(step%7) + 1; len(in) > 0; in = in[min(n, len(in)):] {
			c.write(in[:min(n, len(in))])
		}
		c.end()
		if got.String() != want {
			t.Fatalf("in pieces %q, at once %q", got.String(), want)
		}
	})
}

func BenchmarkCleanFlood(b *testing.B) {
	chunk := []byte(strings.Repeat("y\n", 16<<10))
	c := cleaner{emit: func([]byte) {}}
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		c.write(chunk)
	}
}
