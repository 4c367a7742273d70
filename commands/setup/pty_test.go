//go:build unix

package setup_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// late is how long another process may take for one step.
const late = 20 * time.Second

// A screen is reasonix on a real terminal.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // tells that text grew or ended
	seen int           // how much of text expect has passed
	done chan struct{} // closed at the end of the output
}

// open starts `reasonix ARGS` on a terminal of its own.
func (d *desk) open(args ...string) *screen {
	d.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.CommandContext(d.t.Context(), exe, args...)
	cmd.Dir = d.work
	cmd.Env = append([]string{asReasonix + "=1", "REASONIX_HOME=" + d.home, "HOME=" + d.home, "PATH=" + os.Getenv("PATH")}, d.environ...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 120})
	if err != nil {
		d.t.Fatal(err)
	}
	s := &screen{t: d.t, cmd: cmd, pty: f, more: make(chan struct{}, 1), done: make(chan struct{})}
	go s.read()
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended unless the test failed
		f.Close()
	})
	return s
}

func (s *screen) read() {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.pty.Read(buf)
		s.mu.Lock()
		s.text.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// all is everything that was shown.
func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// expect waits until text is shown behind what was expected before.
func (s *screen) expect(text string) {
	s.t.Helper()
	timer := time.NewTimer(late)
	defer timer.Stop()
	for {
		all := s.all()
		if i := strings.Index(all[s.seen:], text); i >= 0 {
			s.seen += i + len(text)
			return
		}
		select {
		case <-s.more:
		case <-s.done:
			if strings.Contains(s.all()[s.seen:], text) {
				continue
			}
			s.t.Fatalf("it ended without saying %q:\n%s", text, s.all())
		case <-timer.C:
			s.t.Fatalf("it does not say %q:\n%s", text, s.all())
		}
	}
}

// answer waits for a prompt and types a line.
func (s *screen) answer(prompt, line string) {
	s.t.Helper()
	s.expect(prompt)
	if _, err := io.WriteString(s.pty, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the process and returns its exit code.
func (s *screen) end() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(late):
		s.t.Fatalf("it does not end:\n%s", s.all())
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

// interrupt types Ctrl-C.
func (s *screen) interrupt() {
	s.t.Helper()
	if _, err := s.pty.Write([]byte{3}); err != nil {
		s.t.Fatal(err)
	}
}
