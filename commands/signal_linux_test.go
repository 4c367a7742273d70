package commands_test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// TM-07: a signal ends a run with its children, a final record and its own code.
func TestTM07SignalsEndARunWithAFinalRecord(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		for _, format := range []string{"json", "stream-json", "events"} {
			model := providertest.New(t, providertest.Calls(shell("touch started; sleep 5432 & sleep 5432")))
			v := newVictim(t, model)
			cmd := v.command("run", "--output-format", format, "x")
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			protocoltest.Until(t, "the command runs", func() bool {
				_, err := os.Stat(filepath.Join(v.workspace, "started"))
				return err == nil
			})
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			code := exitCode(cmd.Wait())
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			last := lines[len(lines)-1]
			if code != want || !strings.Contains(last, `"outcome":"cancelled"`) || errs.Len() > 0 {
				t.Errorf("%s, %s: exit %d, want %d; stderr %q; last line %s", sig, format, code, want, errs.String(), last)
			}
			protocoltest.Until(t, "nothing is left running", func() bool { return !running("sleep 5432", v.home) })
		}
	}
}

// A reply that is cancelled keeps the text it had shown, in the journal and in
// what the model is sent next.
func TestACancelledReplyKeepsItsShownText(t *testing.T) {
	model := providertest.New(t, providertest.Raw(providertest.Delta(`"content":"half a sent"`)).Hold(), providertest.Text("ence"))
	v := newVictim(t, model)
	cmd := v.command("run", "--output-format", "events", "--partial", "x")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"type":"model.text"`) {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code := exitCode(cmd.Wait()); code != 130 {
		t.Errorf("exit %d", code)
	}
	if err := v.command("run", "--continue", "-p", "go on").Run(); err != nil {
		t.Fatal(err)
	}
	if body := string(model.Requests()[1].Body); !strings.Contains(body, `"half a sent"`) {
		t.Errorf("the model is not sent what it had said: %s", body)
	}
}

// A wrapper that signals its child and then the whole group sends two at once;
// a terminal that closes sends SIGHUP. There is a final object all the same, also
// when the signal comes before the turn.
func TestTM07EverySignalLeavesAFinalObject(t *testing.T) {
	model := providertest.New(t)
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	model.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("never").GateHeaders(held) })
	for _, c := range []struct {
		name    string
		signals []syscall.Signal
		stdin   bool // wait for standard input instead of the model
		code    int
	}{
		{"twice at once", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, false, 143},
		{"hangup", []syscall.Signal{syscall.SIGHUP}, false, 143},
		{"while reading the task", []syscall.Signal{syscall.SIGINT}, true, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newVictim(t, model)
			cmd := v.command("run", "--output-format", "json", "go")
			if c.stdin {
				cmd = v.command("run", "--output-format", "json", "-")
			}
			read, in, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			defer in.Close()
			cmd.Stdin = read
			if _, err := in.WriteString("part of a task"); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd.Stdout = &out
			before := len(model.Requests())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.stdin {
				protocoltest.Until(t, "it reads the task", func() bool { return unread(t, read) == 0 })
			} else {
				in.Close()
				protocoltest.Until(t, "the model was asked", func() bool { return len(model.Requests()) > before })
			}
			for _, s := range c.signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			code := exitCode(cmd.Wait())
			if code != c.code || !strings.Contains(out.String(), `"outcome":"cancelled"`) {
				t.Errorf("exit %d, want %d; %s", code, c.code, out.String())
			}
		})
	}
}

// unread is how many bytes of a pipe nobody has read yet.
func unread(t *testing.T, pipe *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An answer that cannot be written is an error that says so.
func TestAnAnswerOnAFullDiskIsAnError(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		v := newVictim(t, providertest.New(t, providertest.Text("hello")))
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := v.command("run", "--output-format", format, "x")
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		if code := exitCode(cmd.Run()); code != 1 || !strings.Contains(errs.String(), "could not be written") {
			t.Errorf("%s: exit %d, stderr %s", format, code, errs.String())
		}
		full.Close()
	}
}

// nohup opens standard input for writing; a task as an argument needs none.
func TestAnInputThatCannotBeReadIsNone(t *testing.T) {
	v := newVictim(t, providertest.New(t, providertest.Text("hello"), providertest.Text("hello")))
	unreadable, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unreadable.Close()
	directory, err := os.Open(v.workspace)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	for _, in := range []*os.File{unreadable, directory} {
		cmd := v.command("run", "-p", "x")
		cmd.Stdin = in
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello\n" {
			t.Errorf("%v: %s", err, out)
		}
	}
}
