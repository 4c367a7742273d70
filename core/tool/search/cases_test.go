package search_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"reasonix/core/internal/textenc"
)

func TestGR05HugeLine(t *testing.T) {
	var b strings.Builder
	for range 10_000 {
		b.WriteString("function hit(a,b){return a+b};" + strings.Repeat("x", 2970))
	}
	b.WriteString("END\nlast hit\n")
	dir := tree(t, map[string]string{"min.js": b.String()})
	tests := []struct{ pattern, want string }{
		{"hit", "min.js:1:function hit(a,b)"},
		{`h.{1,20}t\(a,b\)\{`, "min.js:1:function hit(a,b)"},
		{`[a-z]{3}\(a{1,3},b{1,3}\)`, "min.js:1:function hit(a,b)"},
		{`h.{1,40}t\(z{2,9}\)`, "(no matches)"},
	}
	for _, tt := range tests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := grep(t, dir, args{"pattern": tt.pattern})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s: allocated %d bytes", tt.pattern, used)
		}
		if len(out) > 1000 {
			t.Errorf("%s: %d bytes of output", tt.pattern, len(out))
		}
		if !strings.HasPrefix(out, tt.want) {
			t.Errorf("%s: got %.200s, want %s", tt.pattern, out, tt.want)
		}
	}
	out := grep(t, dir, args{"pattern": "hit"})
	if !strings.Contains(out, "... [cut, match at byte 10 of the line]\nmin.js:2:last hit") {
		t.Errorf("got %s", out)
	}
	out = grep(t, dir, args{"pattern": "END", "context": 1})
	if !strings.Contains(out, "xxxEND [cut, match at byte 30000001 of the line]\nmin.js-2-last hit") {
		t.Errorf("got %s", out)
	}
}

// TestEdgesOfPiecesAreNoEdgesOfLines covers lines that are searched in pieces.
func TestEdgesOfPiecesAreNoEdgesOfLines(t *testing.T) {
	dir := tree(t, map[string]string{"a": strings.Repeat("hit;"+strings.Repeat("x", 3000), 60) + "END\nx\n"})
	for pattern, line := range map[string]string{
		`x{4,8}END$`: "a:1:...", `\bEND\b`: "(no matches)", `^x`: "a:2:x", `;$`: "(no matches)", `t;x.*END$`: "a:1:...", `^hit.*x`: "a:1:hit;",
	} {
		if out := grep(t, dir, args{"pattern": pattern}); !strings.HasPrefix(out, line) {
			t.Errorf("%s: got %.200s, want %s", pattern, out, line)
		}
	}
}

func TestGR06OddNamesAndBinary(t *testing.T) {
	cjk := strings.Repeat("\u540d", 85) // 255 bytes
	files := map[string]string{"-rf": "hit\n", cjk: "hit\n", "bin": "\x7fELF\x00\x01\nhit\x00\n", "bin2": "\x00no\n"}
	lines := []string{"-rf:1:hit", "bin: binary file matches", cjk + ":1:hit"}
	if runtime.GOOS == "linux" {
		files["a\nb"], files["caf\xe9"] = "hit\n", "hit\n"
		lines = []string{"-rf:1:hit", `"a\nb":1:hit`, "bin: binary file matches", `"caf\xe9":1:hit`, cjk + ":1:hit"}
	}
	dir := tree(t, files)
	out := grep(t, dir, args{"pattern": "hit"})
	want(t, out, lines...)
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ":")
		if again := grep(t, dir, args{"pattern": "hit", "path": name}); again != line {
			t.Errorf("opening %s again: got %s", name, again)
		}
	}
}

func TestGR09RunawayScope(t *testing.T) {
	root := "/"
	if runtime.GOOS == "windows" {
		root = `C:\`
	}
	began := make(chan struct{})
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("cancelled by the user")
	time.AfterFunc(time.Second, func() { cancel(cause); close(began) })
	done := make(chan error, 1)
	go func() {
		_, err := grepErr(t, ctx, t.TempDir(), args{"pattern": `[a-z]+\d+[A-Z]{40}q`, "path": root, "include_ignored": true})
		done <- err
	}()
	<-began
	start := time.Now()
	select {
	case err := <-done:
		if !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still running 5 s after the cancellation")
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("returned %v after the cancellation", took)
	}
	// TestMain checks that no goroutine is left.
}

// TestED05LegacyEncodings finds text in files that are not UTF-8.
func TestED05LegacyEncodings(t *testing.T) {
	text := "int main() {\n" + strings.Repeat("\t// \u8fd9\u662f\u4e00\u4e2a\u6d4b\u8bd5\u6587\u4ef6\n", 20) + "\t// \u4e2d\u6587 answer\n}\n"
	files := map[string]string{}
	for _, enc := range []textenc.Encoding{textenc.GB18030, textenc.UTF16LEBOM, textenc.UTF16BEBOM, textenc.UTF8BOM} {
		data, err := enc.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.ReplaceAll(enc.String(), " ", "_")+".c"] = enc.BOM() + string(data)
	}
	latin, err := textenc.Latin1.Encode("le caf\u00e9 est ouvert\n")
	if err != nil {
		t.Fatal(err)
	}
	files["latin"] = string(latin)
	dir := tree(t, files)
	for pattern, line := range map[string]string{
		"\u4e2d\u6587": "22:\t// \u4e2d\u6587 answer", "answer": "22:\t// \u4e2d\u6587 answer",
		`\p{Han}{2} answer`: "22:\t// \u4e2d\u6587 answer", `^int main`: "1:int main() {",
	} {
		out := grep(t, dir, args{"pattern": pattern})
		if n := strings.Count(out, line); n != 4 {
			t.Errorf("%s: found in %d files of 4:\n%s", pattern, n, out)
		}
	}
	want(t, grep(t, dir, args{"pattern": "caf\u00e9"}), "latin:1:le caf\u00e9 est ouvert")
	want(t, grep(t, dir, args{"pattern": "ouvert"}), "latin:1:le caf\u00e9 est ouvert")
}

// TestLargeFilesAreReadInBlocks covers hits, numbers and context across blocks,
// plain and decoded.
func TestLargeFilesAreReadInBlocks(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		switch i {
		case 29_999, 59_998:
			b.WriteString("\u9488\u9488 here\n")
		default:
			b.WriteString("\u8349\u5806 ordinary \u8349\u5806\n")
		}
	}
	wide, err := textenc.UTF16LEBOM.Encode(b.String())
	if err != nil {
		t.Fatal(err)
	}
	gb, err := textenc.GB18030.Encode(b.String())
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, map[string]string{"utf8": b.String(), "wide": textenc.UTF16LEBOM.BOM() + string(wide), "gb": string(gb)})
	for _, name := range []string{"utf8", "wide", "gb"} {
		out := grep(t, dir, args{"pattern": "\u9488 h", "path": name, "context": 1})
		hay := "\u8349\u5806 ordinary \u8349\u5806"
		want(t, out, name+"-29999-"+hay, name+":30000:\u9488\u9488 here", name+"-30001-"+hay, "--",
			name+"-59998-"+hay, name+":59999:\u9488\u9488 here", name+"-60000-"+hay)
	}
}
