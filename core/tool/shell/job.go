package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/sandbox"
)

// job is a command that goes on after the call that started it.
type job struct {
	id    event.JobID
	title string
	begun time.Time
	ctx   context.Context // ends with stop; the job's life, not a call's
	stop  context.CancelCauseFunc
	out   *output
	path  string // of the file with all output
	read  reading

	watched watched

	done chan struct{} // closed when the job is over and that is recorded
	// The rest is set before done is closed.
	exit sandbox.Exit
	err  error // it did not end by itself
}

// open makes the file that takes the job's output.
func (j *job) open(set tool.Settings) error {
	j.out = newOutput(set, &tool.Call{})
	if err := j.out.spool.open(); err != nil {
		return err
	}
	j.path = j.out.spool.file.Name()
	return nil
}

func (j *job) over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// outcome is the word for how the job ended.
func (j *job) outcome() string {
	switch {
	case j.err == nil && j.exit.Code == 0:
		return event.JobDone
	case errors.Is(j.err, errKilled):
		return event.JobKilled
	case errors.Is(j.err, errClosing), errors.Is(j.err, sandbox.ErrClosed):
		return event.JobInterrupted
	}
	return event.JobFailed
}

const statusRunning = "running"

// status is how the job is, in words: "running", "failed, exit code 3".
func (j *job) status() string {
	if !j.over() {
		return statusRunning
	}
	switch word := j.outcome(); {
	case j.err == nil:
		return word + ", " + strings.TrimSuffix(ending(j.exit), "\n")
	case word == event.JobFailed:
		return word + ": " + j.err.Error()
	default:
		return word
	}
}

// end keeps the output of a job that is over and returns the hash of it.
func (j *job) end(save func(io.Reader) (hash, path string, err error)) (full string) {
	j.out.end()
	if save != nil && j.out.raw > 0 {
		// A failure is told where the output is read, which is still possible.
		full, _, _ = j.out.spool.save(save)
	}
	j.out.settle()
	return full
}

// ended is the record of the end, made once.
func (j *job) ended(full string) event.JobEnded {
	e := event.JobEnded{Job: j.id, Status: j.outcome(), Full: full, Told: j.settled()}
	if j.err == nil {
		e.Exit = &j.exit.Code
	}
	return e
}

// maxTail bounds what a look at a job shows of its output, in bytes.
const maxTail = 2000

// settle gives back what an output that is at its end needs no more: all but the
// end of its text.
func (o *output) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.head, o.tail = nil, bytes.Clone(cutStart(o.rest(), maxTail))
	o.clean = cleaner{}
	o.spool.close()
}

// last returns at most size bytes of the end of the text so far, and whether
// there is more before them.
func (o *output) last(size int) (tail string, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := append(o.rest(), o.clean.line...)
	text := cutStart(all, size)
	return string(text), o.text+int64(len(o.clean.line)) > int64(len(text))
}
