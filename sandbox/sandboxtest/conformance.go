//go:build unix

package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/sandbox"
)

// Conformance runs the suite on the Runner that open returns. Each test gets a
// Runner of its own and closes it, after which no goroutine may be left. Tests that
// look at the whole process or at the clock run alone, the others side by side.
func Conformance(t *testing.T, open func(t *testing.T) sandbox.Runner) {
	t.Helper()
	all := append(slices.Clone(cases), systemCases...)
	for _, c := range all {
		if c.alone {
			t.Run(c.name, func(t *testing.T) {
				noneLeft(t)
				c.test(t, opened(t, open))
			})
		}
	}
	noneLeft(t)
	t.Run("together", func(t *testing.T) {
		for _, c := range all {
			if !c.alone {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.test(t, opened(t, open))
				})
			}
		}
	})
	conformSystem(t, open)
}

// noneLeft expects that no goroutine is left at the test's end.
func noneLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
}

// opened returns a Runner that is closed at the test's end.
func opened(t *testing.T, open func(t *testing.T) sandbox.Runner) sandbox.Runner {
	r := open(t)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// A testCase is one test of Conformance.
type testCase struct {
	name  string
	test  func(*testing.T, sandbox.Runner)
	alone bool
}

var cases = []testCase{
	{name: "ExitCodes", test: exitCodes},
	{name: "SignalIsNamed", test: signalIsNamed},
	{name: "EnvironmentDirAndArgumentsAreExact", test: surroundings},
	{name: "ProgramIsFoundInThePathOfTheCommand", test: lookup},
	{name: "StartErrorsNameProgramAndDirectory", test: startErrors},
	{name: "StdinIsAtItsEnd", test: stdinEnd},
	{name: "StdinIsPassedOn", test: stdinPassed},
	{name: "StdinThatIsNotReadDoesNotHold", test: stdinIgnored, alone: true},
	{name: "OneWriterKeepsOrder", test: oneWriter},
	{name: "LargeOutputIsWhole", test: largeOutput},
	{name: "FilesAreHandedOver", test: files},
	{name: "FailedWriterIsAnError", test: failedWriter},
	{name: "CancelEndsEverything", test: cancelled, alone: true},
	{name: "DeadlineIsTold", test: deadline, alone: true},
	{name: "FinishedBeforeStart", test: alreadyCancelled},
	{name: "BackgroundChildDoesNotHoldTheCall", test: background, alone: true},
	{name: "ParallelCommandsAreKeptApart", test: parallel},
	{name: "ClosedRunnerRefuses", test: closed},
	{name: "CloseEndsARunningCommand", test: closeWhileRunning, alone: true},
}

// sh is a command line for the system shell in a small environment and a
// directory of its own, which it may write.
func sh(t *testing.T, script string, out io.Writer) sandbox.Cmd {
	return shIn(t.TempDir(), script, out)
}

func shIn(dir, script string, out io.Writer) sandbox.Cmd {
	return sandbox.Cmd{
		Argv:     []string{"/bin/sh", "-c", script},
		Dir:      dir,
		Env:      []string{"PATH=" + os.Getenv("PATH")},
		Out:      out,
		Err:      out,
		Writable: []string{dir},
		Network:  true,
	}
}

// timely is a context that fails the test's Run instead of hanging it.
func timely(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func mustRun(t *testing.T, r sandbox.Runner, cmd sandbox.Cmd) sandbox.Exit {
	t.Helper()
	exit, err := r.Run(timely(t), cmd)
	if err != nil {
		t.Fatalf("run %q: %v", cmd.Argv, err)
	}
	return exit
}

func exitCodes(t *testing.T, r sandbox.Runner) {
	for script, want := range map[string]int{":": 0, "exit 3": 3, "exit 255": 255, "kill -9 $(sh -c 'echo $PPID')& wait; exit 7": 7} {
		if got := mustRun(t, r, sh(t, script, nil)); !cmp.Equal(got, sandbox.Exit{Code: want}) {
			t.Errorf("%s: got %+v, want code %d", script, got, want)
		}
	}
}

func signalIsNamed(t *testing.T, r sandbox.Runner) {
	want := sandbox.Exit{Code: -1, Signal: "killed"}
	if got := mustRun(t, r, sh(t, "kill -9 $$", nil)); !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func surroundings(t *testing.T, r sandbox.Runner) {
	var out bytes.Buffer
	cmd := sh(t, `printf '%s|' "$ODD" "$PWD" "$1" "$2" "$#"; env | grep -v ^REASONIX_SUPERVISED= | grep -c .`, &out)
	cmd.Argv = append(cmd.Argv, "sh", "a b\n\xff", "")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ODD=\xfe $'\"\n\\", "PWD=" + cmd.Dir}
	mustRun(t, r, cmd)
	want := "\xfe $'\"\n\\|" + cmd.Dir + "|a b\n\xff||2|"
	got, ok := strings.CutPrefix(out.String(), want)
	if !ok {
		t.Fatalf("got %q, want prefix %q", out.String(), want)
	}
	// ODD takes two lines; some shells add _ or OLDPWD.
	if n := strings.TrimSpace(got); n != "4" && n != "5" {
		t.Errorf("environment has %s lines, want that of the command alone", n)
	}
}

func lookup(t *testing.T, r sandbox.Runner) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "only-here"), []byte("#!/bin/sh\necho found\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	mustRun(t, r, sandbox.Cmd{Argv: []string{"only-here"}, Dir: dir, Env: []string{"PATH=/nowhere:" + dir}, Out: &out})
	if out.String() != "found\n" {
		t.Errorf("got %q", out.String())
	}
}

func startErrors(t *testing.T, r sandbox.Runner) {
	gone := filepath.Join(t.TempDir(), "gone")
	for _, c := range []struct {
		cmd  sandbox.Cmd
		want string
	}{
		{sandbox.Cmd{}, "no arguments"},
		{sandbox.Cmd{Argv: []string{"no-such-program"}, Dir: t.TempDir()}, "no-such-program"},
		{sandbox.Cmd{Argv: []string{gone}, Dir: t.TempDir()}, gone},
		{sandbox.Cmd{Argv: []string{"/bin/sh"}, Dir: gone}, gone},
		{sandbox.Cmd{Argv: []string{"/bin/sh", "a\x00b"}, Dir: t.TempDir()}, "/bin/sh"},
	} {
		_, err := r.Run(timely(t), c.cmd)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in %s: got %v, want an error with %q", c.cmd.Argv, c.cmd.Dir, err, c.want)
		}
	}
	mustRun(t, r, sh(t, ":", nil)) // the Runner is none the worse
}

func stdinEnd(t *testing.T, r sandbox.Runner) {
	var out bytes.Buffer
	mustRun(t, r, sh(t, "cat; read x || echo end", &out))
	if out.String() != "end\n" {
		t.Errorf("got %q", out.String())
	}
}

func stdinPassed(t *testing.T, r sandbox.Runner) {
	in := strings.Repeat("line\n", 100_000)
	var out bytes.Buffer
	cmd := sh(t, "cat", &out)
	cmd.In = strings.NewReader(in)
	mustRun(t, r, cmd)
	if out.String() != in {
		t.Errorf("got %d bytes, want %d", out.Len(), len(in))
	}
}

func stdinIgnored(t *testing.T, r sandbox.Runner) {
	held, release := io.Pipe()
	defer release.Close()
	cmd := sh(t, "exit 4", nil)
	cmd.In = held
	if got := mustRun(t, r, cmd); got.Code != 4 {
		t.Errorf("got %+v", got)
	}
}

func oneWriter(t *testing.T, r sandbox.Runner) {
	var out bytes.Buffer
	mustRun(t, r, sh(t, "for i in 1 2 3; do echo out $i; echo err $i >&2; done", &out))
	want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
	if diff := cmp.Diff(out.String(), want); diff != "" {
		t.Error(diff)
	}
	var first, second bytes.Buffer
	cmd := sh(t, "echo out; echo err >&2", nil)
	cmd.Out, cmd.Err = &first, &second
	mustRun(t, r, cmd)
	if first.String() != "out\n" || second.String() != "err\n" {
		t.Errorf("two writers: got %q and %q", first.String(), second.String())
	}
}

// counter counts bytes without keeping them.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

func largeOutput(t *testing.T, r sandbox.Runner) {
	var out counter
	mustRun(t, r, sh(t, "yes | head -c 20000000", &out))
	if out.n != 20_000_000 {
		t.Errorf("got %d bytes", out.n)
	}
}

func files(t *testing.T, r sandbox.Runner) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mustRun(t, r, sh(t, "echo one; echo two >&2", f))
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk is full") }

func failedWriter(t *testing.T, r sandbox.Runner) {
	exit, err := r.Run(timely(t), sh(t, "yes | head -c 1000000 && exit 5", broken{}))
	if exit.Code != 5 || err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("got %+v, %v; the command must end as if its output had been read", exit, err)
	}
}

var errStop = errors.New("stop")

func cancelled(t *testing.T, r sandbox.Runner) {
	ctx, cancel := context.WithCancelCause(timely(t))
	out := &gate{want: "ready", open: make(chan struct{})}
	go func() { <-out.open; cancel(errStop) }()
	start := time.Now()
	exit, err := r.Run(ctx, sh(t, "trap '' TERM; (sleep 600 | sleep 600) & echo ready; while :; do sleep 600; done", out))
	if !errors.Is(err, errStop) || exit.TimedOut {
		t.Errorf("got %+v, %v; want the cause of the cancel", exit, err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	mustRun(t, r, sh(t, ":", nil))
}

func deadline(t *testing.T, r sandbox.Runner) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	exit, err := r.Run(ctx, sh(t, "echo before; sleep 600", &out))
	if !errors.Is(err, context.DeadlineExceeded) || !exit.TimedOut {
		t.Errorf("got %+v, %v", exit, err)
	}
	if out.String() != "before\n" {
		t.Errorf("output so far: got %q", out.String())
	}
}

func alreadyCancelled(t *testing.T, r sandbox.Runner) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errStop)
	marker := filepath.Join(t.TempDir(), "ran")
	_, err := r.Run(ctx, sh(t, "touch "+marker, nil))
	if !errors.Is(err, errStop) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}
}

func background(t *testing.T, r sandbox.Runner) {
	var out bytes.Buffer
	start := time.Now()
	exit := mustRun(t, r, sh(t, "sleep 600 & echo up; exit 2", &out))
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if out.String() != "up\n" || exit.Code != 2 || len(exit.Killed) != 1 {
		t.Errorf("got %q, %+v; want code 2 and one process named", out.String(), exit)
	}
}

func parallel(t *testing.T, r sandbox.Runner) {
	long := &gate{want: "ready", open: make(chan struct{})}
	var wg sync.WaitGroup
	var out bytes.Buffer
	ctx := timely(t)
	dir := t.TempDir()
	wg.Go(func() {
		cmd := shIn(dir, "sleep 0.1 & echo ready; while [ ! -e stop ]; do sleep 0.01; done; wait && echo alive", io.MultiWriter(long, &out))
		exit, err := r.Run(ctx, cmd)
		if err != nil || exit.Code != 0 {
			t.Errorf("long command: %+v, %v", exit, err)
		}
	})
	<-long.open
	for range 4 {
		wg.Go(func() {
			exit, err := r.Run(ctx, sh(t, "sleep 600 & exit 1", nil))
			if err != nil || exit.Code != 1 || len(exit.Killed) != 1 {
				t.Errorf("short command: %+v, %v", exit, err)
			}
		})
	}
	exit, err := r.Run(ctx, sh(t, ":", nil))
	if err != nil || exit.Code != 0 {
		t.Errorf("got %+v, %v", exit, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stop"), nil, 0o600); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if !strings.HasSuffix(out.String(), "alive\n") {
		t.Errorf("got %q: another command's end reached this one", out.String())
	}
}

func closed(t *testing.T, r sandbox.Runner) {
	mustRun(t, r, sh(t, ":", nil))
	for range 2 {
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := r.Run(timely(t), sh(t, ":", nil)); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func closeWhileRunning(t *testing.T, r sandbox.Runner) {
	out := &gate{want: "ready", open: make(chan struct{})}
	failed := make(chan error, 1)
	go func() {
		_, err := r.Run(timely(t), sh(t, "echo ready; sleep 600", out))
		failed <- err
	}()
	<-out.open
	if err := r.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := <-failed; !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// gate is a writer that opens when it has seen a text.
type gate struct {
	want string
	seen bytes.Buffer
	open chan struct{}
	once sync.Once
}

func (g *gate) Write(p []byte) (int, error) {
	g.seen.Write(p)
	if strings.Contains(g.seen.String(), g.want) {
		g.once.Do(func() { close(g.open) })
	}
	return len(p), nil
}
