package textenc_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"reasonix/core/internal/textenc"
)

// encoded is text in e with its byte order mark.
func encoded(t testing.TB, e textenc.Encoding, text string) []byte {
	t.Helper()
	data, err := e.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(e.BOM()), data...)
}

func TestDetect(t *testing.T) {
	const chinese = "package main\n\n// 计算两个数字的和，返回结果\nfunc add(a, b int) int { return a + b }\n"
	const german = "# Größe für Übung\nname = \"Käse\"\n"
	tests := []struct {
		name string
		data []byte
		want textenc.Encoding
	}{
		{"empty", nil, textenc.UTF8},
		{"ascii", []byte("hello\n"), textenc.UTF8},
		{"UTF-8", []byte(chinese), textenc.UTF8},
		{"UTF-8 with a mark", encoded(t, textenc.UTF8BOM, chinese), textenc.UTF8BOM},
		{"UTF-8 with one bad byte", []byte(chinese + "\xff\n"), textenc.UTF8},
		{"UTF-16LE with a mark", encoded(t, textenc.UTF16LEBOM, chinese), textenc.UTF16LEBOM},
		{"UTF-16BE with a mark", encoded(t, textenc.UTF16BEBOM, "中文"), textenc.UTF16BEBOM},
		{"UTF-16LE", encoded(t, textenc.UTF16LE, german), textenc.UTF16LE},
		{"UTF-16BE", encoded(t, textenc.UTF16BE, german), textenc.UTF16BE},
		{"GB18030", encoded(t, textenc.GB18030, chinese), textenc.GB18030},
		{"GB18030 short", encoded(t, textenc.GB18030, "// 注释\n"), textenc.GB18030},
		{"GB18030 four bytes", encoded(t, textenc.GB18030, "状态 😀 好\n"), textenc.GB18030},
		{"Latin-1", encoded(t, textenc.Latin1, german), textenc.Latin1},
		{"Latin-1 before letters", encoded(t, textenc.Latin1, "für äußerst naïve élève"), textenc.Latin1},
		{"Windows-1252", encoded(t, textenc.Windows1252, "“quoted” – 5 €, it’s"), textenc.Windows1252},
		{"binary", []byte("\x7fELF\x02\x01\x00\x00\x00\x10\x00"), textenc.Binary},
		{"controls", []byte("\x01\x02\x03\x04abc"), textenc.Binary},
		{"odd length", []byte("a\x00b"), textenc.Binary},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := textenc.Detect(tt.data); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if len(tt.data) < 40 || tt.want == textenc.Binary {
				return
			}
			for cut := len(tt.data) / 2; cut < len(tt.data); cut++ {
				if got := textenc.DetectPrefix(tt.data[:cut]); got != tt.want && !ascii(tt.data[:cut]) {
					t.Fatalf("first %d bytes: got %v, want %v", cut, got, tt.want)
				}
			}
		})
	}
}

func ascii(data []byte) bool {
	return !bytes.ContainsFunc(data, func(r rune) bool { return r > 0x7e })
}

func TestEncodeNamesTheCharacterItCannotWrite(t *testing.T) {
	tests := []struct {
		enc  textenc.Encoding
		text string
		want textenc.CharError
	}{
		{textenc.Latin1, "grün €", textenc.CharError{Char: '€', Encoding: textenc.Latin1, Offset: 6}},
		{textenc.Windows1252, "a😀", textenc.CharError{Char: '😀', Encoding: textenc.Windows1252, Offset: 1}},
		{textenc.GB18030, "a\xff", textenc.CharError{Char: '\uFFFD', Encoding: textenc.GB18030, Offset: 1}},
	}
	for _, tt := range tests {
		_, err := tt.enc.Encode(tt.text)
		var got *textenc.CharError
		if !errors.As(err, &got) || *got != tt.want {
			t.Errorf("%v %q: got %v, want %v", tt.enc, tt.text, err, &tt.want)
		}
	}
}

// FuzzDetect checks the promise that edits rest on: what is claimed to be text
// comes back byte for byte.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "\xef\xbb\xbfx", "\xff\xfea\x00", "\xc4\xe3\xba\xc3", "\x80\x81", "a\x00b\x00", "\x840\x819\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e := textenc.Detect(data)
		textenc.DetectPrefix(data)
		if e == textenc.Binary {
			return
		}
		text := e.Decode(data)
		back, err := e.Encode(text)
		if err != nil {
			t.Fatalf("%v: %q: %v", e, data, err)
		}
		if whole := e.BOM() + string(back); whole != string(data) {
			t.Fatalf("%v: %q came back as %q", e, data, whole)
		}
		if half := strings.ToValidUTF8(text[:len(text)/2], ""); !e.IsUTF8() && strings.HasPrefix(text, half) {
			if n := e.Len(half); !bytes.HasPrefix(back, must(e.Encode(half))) || n > len(back) {
				t.Errorf("%v: the first half of the text is not the first %d bytes", e, n)
			}
		}
	})
}

func must(data []byte, _ error) []byte { return data }
