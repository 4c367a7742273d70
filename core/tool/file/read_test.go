package file_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadShowsNumberedLines(t *testing.T) {
	tests := []struct {
		name, file    string
		offset, limit int
		want          string
	}{
		{"whole", "a\n\tb\n\nc", 0, 0, "1\ta\n2\t\tb\n3\t\n4\tc\n"},
		{"CRLF", "a\r\nb\r\n", 0, 0, "1\ta\n2\tb\n"},
		{"from", "a\nb\nc\n", 2, 0, "2\tb\n3\tc\n"},
		{"limited", "a\nb\nc\n", 1, 2, "1\ta\n2\tb\n[lines 1-2 of 3; continue with offset=3]\n"},
		{"last line", "a\nb\nc", 3, 5, "3\tc\n"},
		{"empty", "", 0, 0, "[f is empty]"},
		{"one empty line", "\n", 0, 0, "1\t\n"},
		{"damaged UTF-8", "中文中文\xff\n", 0, 0, "1\t中文中文\uFFFD\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t)
			b.put("f", tt.file)
			a := args{"path": "f"}
			if tt.offset > 0 {
				a["offset"] = tt.offset
			}
			if tt.limit > 0 {
				a["limit"] = tt.limit
			}
			if got := b.ok("read_file", a); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadStopsAtTheLimitAndSaysHowToGoOn(t *testing.T) {
	b := open(t)
	b.put("f", numbered(5000))
	got := b.read("f")
	if !strings.HasSuffix(got, "2000\tline 2000\n[lines 1-2000 of 5000; continue with offset=2001]\n") {
		t.Errorf("ends in %q", got[len(got)-200:])
	}
	long := strings.Repeat("x", 999) + "\n"
	b.put("g", strings.Repeat(long, 100))
	got = b.read("g")
	if len(got) > 32_200 || !strings.HasSuffix(got, "[lines 1-31 of 100; continue with offset=32]\n") {
		t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-100:])
	}
	b.put("h", "a\n"+strings.Repeat("中", 20_000)+"\nb\n")
	if got = b.read("h"); got != "1\ta\n[lines 1-1 of 3; continue with offset=2]\n" {
		t.Errorf("got %q", got)
	}
	got = b.ok("read_file", args{"path": "h", "offset": 2})
	if !strings.HasPrefix(got, "2\t中中") || !strings.Contains(got, "line 2 is cut: 28") || !strings.Contains(got, "offset=3") || strings.Contains(got, "\uFFFD") {
		t.Errorf("got %d bytes, ends in %q", len(got), got[len(got)-200:])
	}
}

func TestReadRefusals(t *testing.T) {
	b := open(t)
	b.put("src/main.go", "package main\n")
	b.put("a.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	b.refused("read_file", args{"path": "src"}, "is a directory; use ls")
	b.refused("read_file", args{"path": "a.png"}, "binary file (image/png, 16 bytes)")
	b.refused("read_file", args{"path": "src/mian.go"}, "no such file", "nearest: src/main.go")
	b.refused("read_file", args{"path": "main.go"}, "nearest: src/main.go")
	b.refused("read_file", args{"path": "scr/main.go"}, "read scr/main.go: no such file", "nearest: src/main.go")
	b.refused("read_file", args{"path": "src/main.go", "offset": 9}, "offset 9 is past the end, the file has 1 lines")
	b.refused("read_file", args{"path": "~/x"}, "~ is not expanded")
	b.refused("read_file", args{"path": "a\x00b"}, "NUL")
	b.refused("read_file", args{"path": ""}, "empty")
}

func TestTooLargeToEditIsSaid(t *testing.T) {
	b := open(t)
	path := b.put("huge", numbered(200_000))
	if err := os.Truncate(path, 300<<20); err != nil {
		t.Fatal(err)
	}
	b.refusedQuietly("edit_file", args{"path": "huge", "old_string": "line 1", "new_string": "x"}, "over the limit")
	if got := b.ok("read_file", args{"path": "huge", "limit": 1}); got != "1\tline 1\n[lines 1-1 of more than 1; continue with offset=2]\n" {
		t.Errorf("got %q", got)
	}
}

func TestListShowsEverythingOnce(t *testing.T) {
	b := open(t)
	b.put("b/c/d.txt", "12345")
	b.put("a.txt", "1")
	b.put(".gitignore", "a.txt\n")
	b.put(".git/config", "x")
	if got, want := b.ok("ls", args{}), ".git/\n.gitignore\t6\na.txt\t1\nb/\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := b.ok("ls", args{"path": ".", "recursive": true}), ".git/\n.gitignore\t6\na.txt\t1\nb/\nb/c/\nb/c/d.txt\t5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := b.ok("ls", args{"path": "b/c/d.txt"}); got != "b/c/d.txt\t5\n" {
		t.Errorf("got %q", got)
	}
	b.refused("ls", args{"path": "d"}, "no such file")
	for i := range 1200 {
		b.put(fmt.Sprintf("many/f%04d", i), "")
	}
	got := b.ok("ls", args{"path": "many"})
	if strings.Count(got, "\n") != 1001 || !strings.HasSuffix(got, "[200 more entries not shown; list a subdirectory]\n") {
		t.Errorf("ends in %q", got[len(got)-100:])
	}
}
