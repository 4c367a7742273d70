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
			protocoltest.Until(t, "nothing is left running", func() bool { return !running("sleep 5432") })
		}
	}
}

func running(words string) bool {
	entries, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, e := range entries {
		line, err := os.ReadFile(e)
		if err == nil && bytes.Contains(bytes.ReplaceAll(line, []byte{0}, []byte{' '}), []byte(words)) {
			return true
		}
	}
	return false
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
