//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

// host is a session's shell with all its tools, and what they recorded.
type host struct {
	*shell
	tools map[string]tool.Tool

	mu     sync.Mutex
	noted  []event.Payload
	saved  map[string]string // by hash
	broken error             // of the journal
}

func newHost(t *testing.T, change ...func(*tool.Settings)) *host {
	t.Helper()
	h := &host{shell: open(t, change...), tools: map[string]tool.Tool{}, saved: map[string]string{}}
	h.env.Note = h.note
	for _, name := range []string{"bash", "bash_output", "wait", "kill_shell"} {
		h.tools[name] = tooltest.Bind(t, named(t, name), h.env)
	}
	h.shell.tool = h.tools["bash"]
	return h
}

func (h *host) note(p event.Payload) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return h.broken
	}
	h.noted = append(h.noted, p)
	return nil
}

func (h *host) save(r io.Reader) (hash, path string, err error) {
	data, err := io.ReadAll(io.LimitReader(r, 1<<10))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	hash = fmt.Sprintf("hash-%d", len(h.saved)+1)
	h.saved[hash] = string(data)
	return hash, "/saved/" + hash, err
}

// records are what was noted so far.
func (h *host) records() []event.Payload {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]event.Payload(nil), h.noted...)
}

// use makes a call.
func (h *host) use(ctx context.Context, name string, a args) (string, *tool.Call, error) {
	h.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		h.t.Fatal(err)
	}
	call := &tool.Call{ID: "call-1", Note: h.note, Save: h.save}
	text, err := h.tools[name].Execute(tool.WithCall(ctx, call), raw)
	return text, call, err
}

// do makes a call that must not be an error.
func (h *host) do(name string, a args) string {
	h.t.Helper()
	text, _, err := h.use(h.t.Context(), name, a)
	if err != nil {
		h.t.Fatalf("%s %v: %v", name, a, err)
	}
	return text
}

// start starts a job that keeps running.
func (h *host) start(id, command string) {
	h.t.Helper()
	if got, want := h.do("bash", args{"command": command, "run_in_background": true}), "running in the background as "+id+"\n"; got != want {
		h.t.Fatalf("%s: got %q, want %q", command, got, want)
	}
}

// file waits until a command has written a file and returns its content.
func (h *host) file(name string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	until(h.t, name+" is written", func() bool { info, err := os.Stat(path); return err == nil && info.Size() > 0 })
	data, _ := os.ReadFile(path)
	return string(data)
}

func TestSH01BackgroundChildOfAJobEndsWithTheJob(t *testing.T) {
	h := newHost(t)
	text, call, err := h.use(t.Context(), "bash", args{"command": "sleep 300 & echo $! >pid; echo up", "run_in_background": true})
	want := "bash-1 ended at once\nup\n[ended with the job: sleep 300]\n[status: done, exit code 0]"
	if err != nil || text != want || call.Exit == nil || *call.Exit != 0 {
		t.Errorf("got %q, %v, %v; want %q", text, call.Exit, err, want)
	}
	h.gone("pid")
}

func TestSH05DaemonOfAJobLivesAndEndsWithIt(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", `setsid sh -c 'echo $$ >pid; exec sleep 600' & sleep 600`)
	h.file("pid")
	h.want("kill -0 $(cat pid) && echo alive", "alive\nexit code 0")
	if got := h.do("kill_shell", args{"job_id": "bash-1"}); got != "bash-1: killed" {
		t.Errorf("got %q", got)
	}
	h.gone("pid")
}

func TestSH06AJobHasNoStdin(t *testing.T) {
	h := newHost(t)
	if got := h.do("bash", args{"command": "cat; echo done", "run_in_background": true}); !strings.Contains(got, "done\n[status: done, exit code 0]") {
		t.Errorf("got %q", got)
	}
}

func TestSH15ServerInTheBackgroundOutlivesTheCall(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	h.start("bash-1", "echo $$ >pid; exec '"+self+"' serve address")
	address := h.file("address")
	h.want("'"+self+"' get "+address, "served\nexit code 0")
	if got, want := h.do("bash_output", args{"job_id": "bash-1"}), "asked for /page\n[status: running]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := h.env.Close(); err != nil {
		t.Error(err)
	}
	h.gone("pid")
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("the server is up after the session's end")
	}
}

func TestSH16StopEndsAWaitAtOnceAndLeavesTheJob(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "sleep 600")
	stop := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := h.use(ctx, "wait", args{"timeout_ms": 600_000})
		ended <- err
	}()
	defer atMost(t, time.Second)()
	cancel(stop)
	if err := <-ended; !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if got := h.do("bash_output", args{}); got != "bash-1 running (sleep 600)" {
		t.Errorf("got %q", got)
	}
}

func TestJobsAreRecorded(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "while [ ! -e go ]; do sleep 0.01; done; echo ok")
	h.start("bash-2", "while [ ! -e go ]; do sleep 0.01; done; echo bad; exit 3")
	h.start("bash-3", "while :; do sleep 600; done")
	h.run("touch go")
	h.do("wait", args{"job_ids": []string{"bash-1"}})
	h.do("wait", args{"job_ids": []string{"bash-2"}})
	h.do("kill_shell", args{"job_id": "bash-3"})
	zero, three := 0, 3
	ended, full := map[event.JobID]event.JobEnded{}, map[event.JobID]string{}
	for _, p := range h.records() {
		switch p := p.(type) {
		case event.JobEnded:
			full[p.Job], p.Full = h.saved[p.Full], ""
			p.Told = false // see TestAnEndIsToldOnce
			ended[p.Job] = p
		case event.JobStarted:
			if p.Call != "call-1" || !strings.HasPrefix(p.Title, "while ") || strings.Contains(p.Title, "[background]") {
				t.Errorf("started %+v", p)
			}
		default: // not of a job
		}
	}
	want := map[event.JobID]event.JobEnded{
		"bash-1": {Job: "bash-1", Status: event.JobDone, Exit: &zero},
		"bash-2": {Job: "bash-2", Status: event.JobFailed, Exit: &three},
		"bash-3": {Job: "bash-3", Status: event.JobKilled},
	}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(map[event.JobID]string{"bash-1": "ok\n", "bash-2": "bad\n", "bash-3": ""}, full); diff != "" {
		t.Errorf("saved: -want +got\n%s", diff)
	}
}

func TestAFailureThatComesAtOnceIsTheResultOfTheStart(t *testing.T) {
	h := newHost(t)
	text, call, err := h.use(t.Context(), "bash", args{"command": "no-such-program-x", "run_in_background": true})
	want := "bash-1 ended at once\nbash: line 1: no-such-program-x: command not found\n[status: failed, exit code 127]"
	if err != nil || text != want || call.Exit == nil || *call.Exit != 127 {
		t.Errorf("got %q, %v, %v; want %q", text, call.Exit, err, want)
	}
	h.run("export BIG=$(head -c 200000 /dev/zero | tr '\\0' x)")
	if _, _, err := h.use(t.Context(), "bash", args{"command": "echo a", "run_in_background": true}); err == nil || !strings.Contains(err.Error(), "variables are back") {
		t.Errorf("got %v", err)
	}
	h.want("echo ${#BIG}", "0\nexit code 0")
}

func TestAJobStartsWhereACallWouldAndChangesNothing(t *testing.T) {
	h := newHost(t)
	h.run("mkdir -p sub/deep; cd sub; export A=1")
	h.do("bash", args{"command": "pwd; echo $A; cd deep; export A=2", "run_in_background": true})
	if got := h.do("wait", args{"job_ids": []string{"bash-1"}}); !strings.Contains(got, h.dir+"/sub\n1") {
		t.Errorf("got %q", got)
	}
	h.want("pwd; echo $A", h.dir+"/sub\n1\nexit code 0")
}

func TestCallsAndJobsDoNotMix(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "trap '' TERM; while :; do sleep 600; done")
	// The child may not be sleep yet when it is ended, but a copy of its shell.
	if got := h.run("sleep 300 & echo one"); !strings.HasPrefix(got.text, "one\nexit code 0\n[ended with the call: ") || strings.Contains(got.text, "sleep 600") {
		t.Errorf("got %q", got.text)
	}
	if _, _, err := h.use(t.Context(), "bash", args{"command": "sleep 600", "timeout_ms": 100}); err == nil {
		t.Error("no time-out")
	}
	if got := h.do("bash_output", args{"job_id": "bash-1"}); got != "[no new output]\n[status: running]" {
		t.Errorf("got %q", got)
	}
}

func TestAnUnknownJobIsAnErrorThatNamesThoseThereAre(t *testing.T) {
	h := newHost(t)
	for _, name := range []string{"bash_output", "kill_shell"} {
		if _, _, err := h.use(t.Context(), name, args{"job_id": "bash-9"}); err == nil || !strings.Contains(err.Error(), "no background job was started") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	h.start("bash-1", "sleep 600")
	for name, a := range map[string]args{
		"bash_output": {"job_id": "bash-9"}, "kill_shell": {"job_id": "bash-9"}, "wait": {"job_ids": []string{"bash-1", "bash-9"}},
	} {
		if _, _, err := h.use(t.Context(), name, a); err == nil || err.Error() != `no background job "bash-9"; bash-1 running (sleep 600)` {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSixteenJobsRunAtMost(t *testing.T) {
	h := newHost(t)
	var starts sync.WaitGroup
	for range 16 {
		starts.Go(func() {
			if text, _, err := h.use(t.Context(), "bash", args{"command": "sleep 600", "run_in_background": true}); err != nil {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
	starts.Wait()
	_, _, err := h.use(t.Context(), "bash", args{"command": "sleep 600", "run_in_background": true})
	if err == nil || !strings.Contains(err.Error(), "16 background jobs are running") || !strings.Contains(err.Error(), "bash-16 running (sleep 600") {
		t.Errorf("got %v", err)
	}
	h.do("kill_shell", args{"job_id": "bash-7"})
	h.start("bash-17", "sleep 600")
}

func TestAnAskedForTimeoutEndsAJob(t *testing.T) {
	h := newHost(t, func(set *tool.Settings) { set.BashTimeout = 50 * time.Millisecond })
	h.start("bash-1", "sleep 600")
	text := h.do("bash", args{"command": "echo begun; sleep 600", "run_in_background": true, "timeout_ms": 600})
	if text != "running in the background as bash-2\n" {
		t.Fatalf("got %q", text)
	}
	if got := h.do("wait", args{"job_ids": []string{"bash-2"}}); !strings.HasPrefix(got, "[bash-2: failed: timed out after 600ms (") || !strings.HasSuffix(got, "\nbegun") {
		t.Errorf("got %q", got)
	}
	if got := h.do("bash_output", args{"job_id": "bash-1"}); !strings.HasSuffix(got, "[status: running]") {
		t.Errorf("the default limit holds for a job: %q", got)
	}
}

func TestStoppingTheStartEndsTheJob(t *testing.T) {
	h := newHost(t)
	stop := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		h.file("pid")
		cancel(stop)
	}()
	text, _, err := h.use(ctx, "bash", args{"command": "echo $$ >pid; exec sleep 600", "run_in_background": true})
	if err == nil && text != "" {
		// The machine was too busy: the start was over before the stop.
		h.do("kill_shell", args{"job_id": "bash-1"})
	} else if !errors.Is(err, stop) {
		t.Errorf("got %q, %v", text, err)
	}
	h.gone("pid")
}

func TestAJobThatIsNotRecordedDoesNotStart(t *testing.T) {
	h := newHost(t)
	h.broken = errors.New("disk full")
	if _, _, err := h.use(t.Context(), "bash", args{"command": "touch made", "run_in_background": true}); !errors.Is(err, h.broken) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "made")); err == nil {
		t.Error("it ran")
	}
	h.broken = nil
	h.start("bash-1", "sleep 600") // the id was not used
	h.do("kill_shell", args{"job_id": "bash-1"})
	if err := h.env.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(h.set.Temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The journal of a session that closed says that its jobs were running, and the
// next opening makes an end of them.
func TestClosingEndsJobsWithoutARecord(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "trap '' TERM; echo $$ >pid; while :; do sleep 600; done")
	h.file("pid")
	defer atMost(t, 3*time.Second)()
	if err := h.env.Close(); err != nil {
		t.Error(err)
	}
	h.gone("pid")
	if records := h.records(); len(records) != 1 {
		t.Errorf("recorded %+v", records)
	}
	if left, _ := os.ReadDir(h.set.Temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, _, err := h.use(t.Context(), "bash", args{"command": "sleep 600", "run_in_background": true}); err == nil || !strings.Contains(err.Error(), "closing") {
		t.Errorf("a start after the end: %v", err)
	}
}

func TestJobToolsAreTerse(t *testing.T) {
	for name, most := range map[string]int{"bash_output": 220, "wait": 270, "kill_shell": 160} {
		tl := named(t, name)
		if got := len(name) + len(tl.Description()) + len(tl.Schema()); got > most {
			t.Errorf("%s costs %d bytes, want at most %d", name, got, most)
		}
	}
}

func TestSubjectsNameTheJob(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "sleep 600")
	for _, c := range []struct {
		tool, args, title string
	}{
		{"bash", `{"command":"sleep 1","run_in_background":true}`, "sleep 1 [background]"},
		{"bash_output", `{"job_id":"bash-1"}`, "Output of bash-1"},
		{"bash_output", `{}`, "Output of background jobs"},
		{"wait", `{"job_ids":["bash-1","bash-2"]}`, "Wait for bash-1, bash-2"},
		{"wait", `{}`, "Wait for background jobs"},
		{"kill_shell", `{"job_id":"bash-1"}`, "Kill bash-1: sleep 600"},
		{"kill_shell", `{"job_id":"\u001b[31mx\n"}`, "Kill x"},
	} {
		if got := h.tools[c.tool].(tool.Subjecter).Subject(json.RawMessage(c.args)); got.Title != c.title {
			t.Errorf("%s %s: got %q, want %q", c.tool, c.args, got.Title, c.title)
		}
	}
}
