//go:build unix

package shell_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

// told are the jobs that are over, and whether a call reported it.
func (h *host) told() map[event.JobID]bool {
	told := map[event.JobID]bool{}
	for _, p := range h.records() {
		if p, ok := p.(event.JobEnded); ok {
			told[p.Job] = p.Told
		}
	}
	return told
}

// awaited is a context that says when it is first waited for.
type awaited struct {
	context.Context
	begun func()
}

func (a awaited) Done() <-chan struct{} {
	a.begun()
	return a.Context.Done()
}

func TestAnEndThatAWaitSawIsToldByIt(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "while [ ! -e go ]; do sleep 0.01; done")
	waits := make(chan struct{})
	ended := make(chan string, 1)
	go func() {
		ctx := awaited{t.Context(), sync.OnceFunc(func() { close(waits) })}
		text, _, err := h.use(ctx, "wait", args{"job_ids": []string{"bash-1"}})
		if err != nil {
			t.Error(err)
		}
		ended <- text
	}()
	<-waits
	h.run("touch go")
	if got := <-ended; !strings.HasPrefix(got, "[bash-1: done, exit code 0 (") {
		t.Errorf("got %q", got)
	}
	if diff := cmp.Diff(map[event.JobID]bool{"bash-1": true}, h.told()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// What no call reported is told by the session.
func TestAnEndIsToldOnce(t *testing.T) {
	h := newHost(t)
	const gated = "while [ ! -e go ]; do sleep 0.01; done"
	h.start("bash-1", gated)
	h.start("bash-2", "sleep 600")
	h.do("wait", args{"job_ids": []string{"bash-1"}, "timeout_ms": 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := h.use(ctx, "wait", args{"job_ids": []string{"bash-1"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	h.run("touch go")
	until(t, "bash-1 is over", func() bool { return strings.HasPrefix(h.do("bash_output", args{}), "bash-1 done") })
	quick := h.do("bash", args{"command": "exit 3", "run_in_background": true})
	until(t, "bash-3 is over", func() bool { return strings.Contains(h.do("bash_output", args{}), "bash-3 failed") })
	h.do("kill_shell", args{"job_id": "bash-2"})
	// On a busy machine bash-3 may outlive the patience of its start.
	want := map[event.JobID]bool{"bash-1": false, "bash-2": true, "bash-3": strings.HasPrefix(quick, "bash-3 ended at once")}
	if diff := cmp.Diff(want, h.told()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestIdsGoOnFromThoseTheSessionHad(t *testing.T) {
	h := newHost(t)
	env := h.env
	env.Jobs = 4
	env = tool.NewEnv(env)
	t.Cleanup(func() { _ = env.Close() })
	h.tools["bash"] = tooltest.Bind(t, named(t, "bash"), env)
	if got := h.do("bash", args{"command": "sleep 600", "run_in_background": true}); got != "running in the background as bash-5\n" {
		t.Errorf("got %q", got)
	}
}
