//go:build unix

package shell_test

import (
	"strings"
	"testing"
	"time"
)

// A command knows the file into which its shell tells where it ended, and may put
// something in its place. Then nothing is told, and nobody waits.
func TestAHostileStateFileTellsNothing(t *testing.T) {
	for what, command := range map[string]string{
		"pipe":   `rm "$f"; mkfifo "$f"`,
		"device": `rm "$f"; ln -s /dev/zero "$f"`,
		"hole":   `rm "$f"; dd if=/dev/null of="$f" bs=1 seek=3G 2>/dev/null`,
	} {
		s := open(t)
		done := make(chan string, 1)
		go func() {
			s.call(t.Context(), args{"command": "cd /; f=$(echo " + s.set.Temp + "/shell-state-*); " + command + "; kill -9 $$"})
			done <- s.call(t.Context(), args{"command": "pwd"}).text
		}()
		select {
		case got := <-done:
			if !strings.HasPrefix(got, s.dir+"\n") {
				t.Errorf("%s: the next call runs in %q, want %s", what, got, s.dir)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: the call does not return", what)
		}
	}
}
