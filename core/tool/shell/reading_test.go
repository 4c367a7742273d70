//go:build unix

package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"reasonix/core/tool/tooltest"
)

func TestOutputIsShownOnceAndCleaned(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", `step() { while [ ! -e $1 ]; do sleep 0.01; done; }
printf '\033[31mred\033[0m\r\n10%%\r'; touch said; step one
printf '20%%\rall\nsplit '; touch said1; step two
printf 'line\a\nlast \377'; touch said2; step three`)
	look := func(file, want string) {
		t.Helper()
		var got string
		until(t, "said "+want, func() bool {
			if _, err := os.Stat(filepath.Join(h.dir, file)); err != nil {
				return false
			}
			got = h.do("bash_output", args{"job_id": "bash-1"})
			return strings.HasPrefix(want, got[:strings.Index(got, "\n")])
		})
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	look("said", "red\n[unfinished line: 10%]\n[status: running]")
	h.run("touch one")
	look("said1", "all\n[unfinished line: split ]\n[status: running]")
	h.run("touch two")
	look("said2", "split line\n[unfinished line: last \\xff]\n[status: running]")
	h.run("touch three")
	h.do("wait", args{})
	if got := h.do("bash_output", args{"job_id": "bash-1"}); got != `last \xff`+"\n[status: done, exit code 0]" {
		t.Errorf("got %q", got)
	}
	if got := h.do("bash_output", args{"job_id": "bash-1"}); got != "[no new output]\n[status: done, exit code 0]" {
		t.Errorf("got %q", got)
	}
}

func TestAFilterShowsTheLinesThatMatch(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "while [ ! -e go ]; do sleep 0.01; done; seq 1 100000")
	h.run("touch go")
	h.do("wait", args{})
	got := h.do("bash_output", args{"job_id": "bash-1", "filter": "^[0-9]*77777$|^1$"})
	if !strings.HasPrefix(got, "1\n77777\n[99998 new lines do not match; all output: /") || !strings.HasSuffix(got, "]\n[status: done, exit code 0]") {
		t.Errorf("got %q", got)
	}
	if _, _, err := h.use(t.Context(), "bash_output", args{"job_id": "bash-1", "filter": "("}); err == nil || !strings.Contains(err.Error(), "filter: ") {
		t.Errorf("got %v", err)
	}
}

func TestSH12FloodOfAJobIsBoundedAndKept(t *testing.T) {
	h := newHost(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	h.do("bash", args{"command": fmt.Sprintf("echo first; yes | head -c %d; echo last", flood), "run_in_background": true})
	tail := h.do("wait", args{"timeout_ms": 60_000})
	got := h.do("bash_output", args{"job_id": "bash-1"})
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 50<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	end := "y\nlast\n[status: done, exit code 0]"
	size := int64(flood + len("first\nlast\n"))
	if size > mostKept { // a job's output is read back from its file
		end = fmt.Sprintf("y\n[output after the first %d bytes was not kept]\n[status: done, exit code 0]", mostKept)
		size = mostKept
	}
	if len(got) > 16000 || !strings.HasPrefix(got, "first\ny\n") || !strings.HasSuffix(got, end) {
		t.Errorf("got %d bytes: %.60q ... %q", len(got), got, got[max(0, len(got)-60):])
	}
	if len(tail) > 2500 || !strings.HasSuffix(tail, "y\nlast") {
		t.Errorf("waited for %d bytes: %.200q", len(tail), tail)
	}
	_, rest, _ := strings.Cut(got, "all output: ")
	path, _, _ := strings.Cut(rest, "]")
	info, err := os.Stat(path)
	if err != nil || info.Size() != size {
		t.Errorf("all output %q: %v, %v", path, info, err)
	}
}

func TestWaitTellsEveryJobAndItsLastOutput(t *testing.T) {
	h := newHost(t)
	h.start("bash-1", "echo working; sleep 600")
	h.do("bash", args{"command": "echo quick", "run_in_background": true})
	got := h.do("wait", args{"job_ids": []string{"bash-2", "bash-1", "bash-2"}, "timeout_ms": 50})
	want := "[bash-2: done, exit code 0 (echo quick)]\nquick\n" +
		"[bash-1: running (echo working; sleep 600)]\nworking\n[1 of 2 still running after 50ms]"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h.do("kill_shell", args{"job_id": "bash-1"})
	if got := h.do("wait", args{}); got != "nothing is running; bash-1 killed (echo working; sleep 600); bash-2 done, exit code 0 (echo quick)" {
		t.Errorf("got %q", got)
	}
	if got := h.do("kill_shell", args{"job_id": "bash-1"}); got != "bash-1 was over already: killed" {
		t.Errorf("got %q", got)
	}
}

func TestWaitTellsForHowManyMinutes(t *testing.T) {
	h := newHost(t)
	now := time.Now()
	h.env.Now = func() time.Time { return now }
	for name := range h.tools {
		h.tools[name] = tooltest.Bind(t, named(t, name), h.env)
	}
	h.start("bash-1", "sleep 600")
	now = now.Add(3*time.Minute + 40*time.Second)
	if got := h.do("wait", args{"timeout_ms": 1}); !strings.HasPrefix(got, "[bash-1: running for 3 min (sleep 600)]") {
		t.Errorf("got %q", got)
	}
}
