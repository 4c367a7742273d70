package jsonl_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// dirEnv makes the test binary the other process: a writer of the session there.
const dirEnv = "JSONL_TEST_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(dirEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := otherProcess(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// otherProcess opens the session, says so, and appends a record for each line it is
// sent.
func otherProcess(dir string) error {
	l, err := jsonl.New(dir, jsonl.Options{}).Open(context.Background(), id)
	if err != nil {
		return err
	}
	fmt.Println("open")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := l.Append(note(l.Last() + 1)); err != nil {
			return err
		}
		fmt.Println("appended", l.Last())
	}
	return nil
}

type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startOther(t *testing.T, dir string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), dirEnv+"="+dir)
	in, err := cmd.StdinPipe()
	noErr(t, err)
	out, err := cmd.StdoutPipe()
	noErr(t, err)
	noErr(t, cmd.Start())
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return &child{cmd, in, bufio.NewReader(out)}
}

func (c *child) says(t *testing.T, want string) {
	t.Helper()
	if line, err := c.out.ReadString('\n'); strings.TrimSpace(line) != want {
		t.Fatalf("other process says %q, %v, want %q", line, err, want)
	}
}

func (c *child) tell(t *testing.T) {
	t.Helper()
	_, err := fmt.Fprintln(c.in, "go on")
	noErr(t, err)
}

// SE-07: the second process is refused with the first one's name, and reads beside it.
// SE-03: kill -9 of the first loses nothing that was appended, and frees the lock.
func TestSE07SE03SecondProcessIsRefusedUntilTheFirstIsKilled(t *testing.T) {
	s, dir := newJournal(t, note(1))
	other := startOther(t, dir)
	other.says(t, "open")

	_, err := s.Open(t.Context(), id)
	locked, ok := errors.AsType[*session.LockedError](err)
	if want := fmt.Sprintf("pid %d on ", other.cmd.Process.Pid); !ok || !strings.HasPrefix(locked.Holder, want) {
		t.Fatalf("open beside it: %v, want locked by %q", err, want)
	}
	if err := s.Delete(t.Context(), id); !errors.As(err, &locked) {
		t.Errorf("delete beside it: %v, want locked", err)
	}
	if in, err := s.Info(t.Context(), id); err != nil || in.Holder != locked.Holder {
		t.Errorf("info beside it: held by %q, %v", in.Holder, err)
	}
	copied := session.Meta{ID: "20260102-150406-000000"} // what is offered instead
	noErr(t, s.Copy(t.Context(), id, 0, copied))
	if l, err := s.Open(t.Context(), copied.ID); err != nil || l.Last() != 1 || l.Close() != nil {
		t.Errorf("a copy beside it: %v", err)
	}
	for seq := event.Seq(2); seq <= 4; seq++ {
		other.tell(t)
		other.says(t, fmt.Sprint("appended ", seq))
		wantRead(t, s, 0, notes(1, seq))
	}

	noErr(t, other.cmd.Process.Kill())
	_ = other.cmd.Wait() // killed
	if in, err := s.Info(t.Context(), id); err != nil || in.Holder != "" || in.Last != 4 {
		t.Errorf("info after it was killed: %+v, %v", in, err)
	}
	if torn := appendOne(t, s); torn != nil {
		t.Errorf("torn: %+v", torn)
	}
	wantRead(t, s, 0, notes(1, 5))
}
