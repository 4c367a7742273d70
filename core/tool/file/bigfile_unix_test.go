//go:build unix

package file_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// big writes a file of 80 MB.
func big(t testing.TB, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := []byte(strings.Repeat(strings.Repeat("0123456789", 7)+"\n", 14_200))
	for range 80 {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteString("the needle\nlast\n"); err != nil {
		t.Fatal(err)
	}
}

// cost runs do and returns the processor time it took, which a busy machine does
// not change much, and all bytes it allocated, an upper bound of what it needed.
func cost(do func()) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	do()
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestED18BigFile(t *testing.T) {
	b := open(t)
	path := filepath.Join(b.dir, "big")
	big(t, path)
	for _, step := range []struct {
		name string
		most uint64
		do   func()
	}{
		{"read with an offset", 20 << 20, func() {
			if got := b.ok("read_file", args{"path": "big", "offset": 1_136_000, "limit": 5}); !strings.Contains(got, "1136001\tthe needle\n1136002\tlast\n") {
				t.Errorf("got %q", got)
			}
		}},
		{"edit near the end", 400 << 20, func() { b.edit("big", "the needle\n", "the thread\n") }},
		{"miss", 400 << 20, func() {
			b.refusedQuietly("edit_file", args{"path": "big", "old_string": "the needle\nlast\n", "new_string": "x"}, "not found")
		}},
	} {
		took, bytes := cost(step.do)
		t.Logf("%s: %v, %d MB allocated", step.name, took, bytes>>20)
		if took > 5*time.Second || bytes > step.most {
			t.Errorf("%s: %v and %d bytes", step.name, took, bytes)
		}
	}
	if got := b.ok("read_file", args{"path": "big", "offset": 1_136_001}); got != "1136001\tthe thread\n1136002\tlast\n" {
		t.Errorf("got %q", got)
	}
}
