package shell

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"reasonix/core/tool"
	"reasonix/sandbox"
)

// report is what the model is told of a call.
type report struct {
	out   *output
	call  *tool.Call
	exit  sandbox.Exit
	notes []string
}

// finished is the result of a command that ended.
func (r report) finished() string {
	return r.text(ending(r.exit) + r.remarks())
}

// failed is the result of a call that did not end by itself. A cancelled one
// returns the context's cause as it is; other errors carry the output so far,
// since their text is all the model reads.
func (r report) failed(ctx context.Context, err error) (string, error) {
	if ctx.Err() != nil {
		return r.text("interrupted\n" + r.remarks()), err
	}
	text := r.text(r.remarks())
	if text == "" {
		return "", err
	}
	return "", &outputError{err: err, output: text}
}

// outputError is an error with the output before it.
type outputError struct {
	err    error
	output string
}

func (e *outputError) Error() string { return e.err.Error() + "\noutput so far:\n" + e.output }
func (e *outputError) Unwrap() error { return e.err }

// ending says how a command ended.
func ending(e sandbox.Exit) string {
	const signalled = 128
	switch sig := e.Code - signalled; {
	case e.Signal != "":
		return "ended by signal: " + e.Signal + "\n"
	case runtime.GOOS != "windows" && sig > 0 && sig < 32:
		return fmt.Sprintf("exit code %d (as after signal %d, %v)\n", e.Code, sig, syscall.Signal(sig))
	}
	return fmt.Sprintf("exit code %d\n", e.Code)
}

// remarks are lines in brackets after the output.
func (r report) remarks() string {
	return remarks(slices.Concat(r.notes, undone(r.exit, "call")))
}

// undone is what of a call or a job was ended or put back at its end.
func undone(exit sandbox.Exit, what string) []string {
	var notes []string
	if len(exit.Killed) > 0 {
		notes = append(notes, "ended with the "+what+": "+clean(strings.Join(exit.Killed, ", ")))
	}
	for _, back := range []struct {
		paths []string
		text  string
	}{
		{exit.Restored, "changed by the command and put back, because a person must allow it first: "},
		{exit.Unclear, "changed by the command or by another that was running, and put back, because a person must allow it first: "},
		{exit.Others, othersChanged},
		{exit.Dropped, "not writable, because a link that a command can have made leads to another place: "},
	} {
		if len(back.paths) > 0 {
			notes = append(notes, back.text+clean(slashed(strings.Join(back.paths, ", "))))
		}
	}
	return notes
}

const othersChanged = "changed by another command that is running, a background job or a server, and put back, because a person must allow it first: "

// others says what was put back that running commands have changed.
func others(run sandbox.Runner) []string {
	if run == nil {
		return nil
	}
	return undone(sandbox.Exit{Others: sandbox.Check(run)}, "")
}

// remarks are notes in brackets, a line each.
func remarks(notes []string) string {
	var b strings.Builder
	for _, n := range notes {
		b.WriteString("[" + n + "]\n")
	}
	return b.String()
}

// text joins the output and the trailer within the cap, leaving out the middle of
// the output when it must.
func (r report) text(trailer string) string {
	r.out.end()
	where := sync.OnceValue(r.keepAll)
	return r.out.show(trailer, func(left int64) string {
		return fmt.Sprintf("[... %d bytes left out here, of %d bytes and %d lines in all; %s]",
			left, r.out.raw, r.out.lines, where())
	})
}

// keepAll saves the full output and says where.
func (r report) keepAll() string {
	hash, path, err := r.out.spool.save(r.call.Save)
	if err != nil {
		return "the full output could not be kept: " + err.Error()
	}
	r.call.Full = hash
	return "full output" + r.out.spool.limited() + ": " + slashed(path)
}

// join puts two texts on lines of their own.
func join(a, b string) string {
	if a == "" || b == "" || strings.HasSuffix(a, "\n") {
		return a + b
	}
	return a + "\n" + b
}
