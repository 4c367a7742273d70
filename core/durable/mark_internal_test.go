package durable

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dead is the number of a process that is over.
func dead(t *testing.T) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestMarkIsReadAsWritten(t *testing.T) {
	m := ownMark(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if got := parseMark(m.text()); got != m {
		t.Errorf("read %+v, wrote %+v", got, m)
	}
	if old := parseMark("pid 7 on box\n"); old.pid != 7 || old.host != "box" || old.boot != "" {
		t.Errorf("older text: %+v", old)
	}
	for _, text := range []string{"", "\x00\xff", "pid", "pid -1 on x", "pid 7", "on box pid x"} {
		if got := parseMark(text); got != (mark{}) {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// SE-07: who holds a lock whose text is left behind: nobody when the process is dead or
// of an earlier boot, the one elsewhere until it releases.
func TestSE07WhoIsGone(t *testing.T) {
	own := ownMark(time.Now())
	with := func(change func(m *mark)) mark {
		m := own
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		m               mark
		gone, elsewhere bool
	}{
		"this process":        {own, false, false},
		"a dead process":      {with(func(m *mark) { m.pid = dead(t) }), true, false},
		"another machine":     {with(func(m *mark) { m.host, m.boot = "elsewhere", "b" }), false, true},
		"another, no boot id": {with(func(m *mark) { m.host, m.boot = "elsewhere", "" }), false, true},
		"nobody":              {mark{}, false, false},
	} {
		if c.m.gone() != c.gone || c.m.elsewhere() != c.elsewhere {
			t.Errorf("%s: gone %v, elsewhere %v", name, c.m.gone(), c.m.elsewhere())
		}
	}
	if own.boot == "" {
		return // the system has no id of its boot, and none of its processes' beginnings
	}
	for name, m := range map[string]mark{
		"an earlier boot": with(func(m *mark) { m.boot = "before" }),
		"a reused number": with(func(m *mark) { m.start = "1" }),
	} {
		if !m.gone() || m.elsewhere() {
			t.Errorf("%s: gone %v, elsewhere %v", name, m.gone(), m.elsewhere())
		}
	}
	if other := with(func(m *mark) { m.host, m.pid = "container", 1<<22+1 }); other.gone() || other.elsewhere() {
		t.Error("a container of this machine is elsewhere or gone")
	}
}

func leave(t *testing.T, m mark) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.lock")
	if err := os.WriteFile(path, []byte(" "+m.text()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A lock is taken over from the dead, and from elsewhere only when it was released.
func TestSE07TakeOver(t *testing.T) {
	seen := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	far := leave(t, mark{pid: 7, host: "elsewhere", boot: "b", seen: seen})
	_, err := AcquireSigned(far)
	held, ok := errors.AsType[*HeldError](err)
	if !ok || !held.Elsewhere || held.Holder != "pid 7 on elsewhere, last seen 2026-01-02T03:04:05Z" {
		t.Errorf("signed elsewhere: %v", err)
	}
	if got := Holder(far); got != "pid 7 on elsewhere, last seen 2026-01-02T03:04:05Z" {
		t.Errorf("holder %q", got)
	}
	l, err := Acquire(far)
	if err != nil {
		t.Fatalf("where the text does not count: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	m := ownMark(seen)
	m.pid = dead(t)
	path := leave(t, m)
	if got := Holder(path); got != "" {
		t.Errorf("a dead process holds it: %q", got)
	}
	for range 2 {
		if l, err = AcquireSigned(path); err != nil {
			t.Fatal(err)
		}
		if got := Holder(path); !strings.HasPrefix(got, "pid ") {
			t.Errorf("held by %q", got)
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		if got := Holder(path); got != "" {
			t.Errorf("released and held by %q", got)
		}
	}
}

func TestBeatIsWrittenTwiceAMinuteAtMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := AcquireSigned(path)
	if err != nil {
		t.Fatal(err)
	}
	begun := readMark(path).seen
	l.Beat(begun.Add(time.Second))
	if got := readMark(path).seen; got != begun {
		t.Errorf("after a second: %v, begun %v", got, begun)
	}
	for _, at := range []time.Time{begun.Add(time.Minute), begun.Add(-time.Hour)} { // a clock may jump back
		l.Beat(at)
		if got := readMark(path).seen; !got.Equal(at) {
			t.Errorf("seen %v, want %v", got, at)
		}
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	l.Beat(begun.Add(time.Hour))
	if got := readMark(path); got.pid != 0 {
		t.Errorf("a released lock beats: %+v", got)
	}
}

func TestCacheIsReplacedOrLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.idx")
	for _, text := range []string{"one", "two"} {
		if err := WriteCache(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dir", "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteCache(filepath.Join(dir, "dir"), nil); err == nil {
		t.Error("replaced a directory")
	}
	if err := WriteCache(filepath.Join(dir, "none", "x"), nil); err == nil {
		t.Error("wrote where no directory is")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, TempPrefix+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
