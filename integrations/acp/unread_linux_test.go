package acp_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// AC-04: a client that keeps both ends open and reads nothing does not keep a
// process that was told to end; its session is saved.
func TestAC04AnUnreadProcessEndsAtSIGTERM(t *testing.T) {
	model := providertest.New(t, providertest.Text(strings.Repeat("much to say ", 100_000)).Hold())
	p := prepare(t, fmt.Sprintf(oneProvider, model.BaseURL(), ""))
	in, out := p.spawn(t, exec.Command(os.Args[0], "acp"))
	fmt.Fprintf(in, `{"id":1,"method":"session/new","params":{"cwd":%q}}`+"\n", p.dir)
	line := make([]byte, 64<<10)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	var opened rpc
	first, _, _ := bytes.Cut(line[:n], []byte("\n"))
	decode(t, first, &opened)
	checkMessage(t, "session/new", opened)
	var session struct{ SessionID string }
	decode(t, opened.Result, &session)
	fmt.Fprintf(in, `{"id":2,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n", session.SessionID)
	protocoltest.Until(t, "its output is full", func() bool {
		n, err := unix.IoctlGetInt(int(out.Fd()), unix.TIOCINQ)
		return err == nil && n >= 60<<10 // a page that was read from takes nothing more
	})
	begun := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err = p.cmd.Wait()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	if err != nil || p.stderr.String() != "" {
		t.Errorf("%v, stderr %s", err, p.stderr.String())
	}
	if !strings.Contains(p.journal(), `"session.ended"`) {
		t.Error("the session was not closed in order")
	}
}
