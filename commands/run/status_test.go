package run

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestFitCutsToColumnsNotToBytes(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"go test", 20, "go test"},
		{"go test", 7, "go test"},
		{"go test ./...", 8, "go test…"},
		{"读取文件 a.txt", 8, "读取文…"},
		{"读取文件", 8, "读取文件"},
		{"読む", 3, "読…"},
		{"x", 0, ""},
		{"ab", 1, "…"},
	} {
		if got := fit(c.text, c.columns); got != c.want {
			t.Errorf("fit(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// screen is what stands on the last line of a terminal that got s.
func screen(s string) string {
	if i := strings.LastIndex(s, eraseLine); i >= 0 {
		s = s[i+len(eraseLine):]
	}
	return s[strings.LastIndex(s, "\n")+1:]
}

func TestTheStatusStandsBelowEverythingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tty bytes.Buffer
		s := &statusLine{w: &tty, columns: func() int { return 40 }, now: time.Now}
		out, errs := s.over(&tty, true), s.over(&tty, false)
		s.start()
		defer s.end()
		written := func() string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return tty.String()
		}
		s.set("go test ./...", 0)
		time.Sleep(300 * time.Millisecond)
		if got := written(); got != "" {
			t.Errorf("a short step is shown: %q", got)
		}
		time.Sleep(2 * time.Second)
		if got := screen(written()); got != "go test ./... 2s" {
			t.Errorf("after two seconds: %q", got)
		}
		if _, err := errs.Write([]byte("· done\n")); err != nil {
			t.Fatal(err)
		}
		if got := written(); !strings.HasSuffix(got, eraseLine+"· done\n") {
			t.Errorf("the line was not taken away: %q", got)
		}
		s.set("retrying in", 5*time.Second)
		time.Sleep(2 * time.Second)
		if got := screen(written()); got != "retrying in 3s" {
			t.Errorf("a wait: %q", got)
		}
		if _, err := out.Write([]byte("half a line")); err != nil {
			t.Fatal(err)
		}
		before := written()
		time.Sleep(time.Second)
		if got := written(); got != before {
			t.Errorf("drawn into the answer: %q", got[len(before):])
		}
		if _, err := out.Write([]byte(".\n")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s.end()
		if got := screen(written()); got != "" {
			t.Errorf("left behind: %q", got)
		}
	})
}
