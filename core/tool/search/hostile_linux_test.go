package search_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Looking at the kernel's log, directly or as a repository's rules, waits for
// nothing. A machine may have none or keep it from this user: then that is said.
func TestTheKernelsLogDoesNotHoldASearchUp(t *testing.T) {
	dir := tree(t, map[string]string{"a": "x\n"})
	link(t, "/proc/kmsg", filepath.Join(dir, ".gitignore"))
	link(t, "/proc/kmsg", filepath.Join(dir, "log"))
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	done := make(chan string, 3)
	go func() {
		for _, path := range []string{".", "log", "/proc/kmsg"} {
			text, err := grepErr(t, ctx, dir, args{"pattern": "no such line in it|^x$", "path": path})
			if err != nil {
				text = err.Error()
			}
			done <- text
		}
	}()
	for _, expected := range []string{"a:1:x", "/proc/kmsg", "/proc/kmsg"} {
		select {
		case got := <-done:
			if !strings.Contains(got, expected) {
				t.Errorf("got %q, want %q in it", got, expected)
			}
		case <-ctx.Done():
			t.Fatal("the search does not end")
		}
	}
}
