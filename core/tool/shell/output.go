package shell

import (
	"bytes"
	"io"
	"sync"

	"reasonix/core/tool"
)

// maxLive bounds what is shown while a call runs, in bytes.
const maxLive = 1 << 20

// output takes a command's output as it comes and keeps, in bounded memory, the
// head and the tail of its clean text, and all of it raw in a spool. It is safe
// for concurrent use.
type output struct {
	mu    sync.Mutex
	clean cleaner
	excerpt
	raw   int64
	lines int64
	spool spool
	live  live
}

func newOutput(set tool.Settings, call *tool.Call) *output {
	o := &output{excerpt: newExcerpt(set), spool: spool{dir: set.Temp}, live: live{w: call.Out}}
	o.clean.emit = o.keep
	return o
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.raw += int64(len(p))
	o.lines += int64(bytes.Count(p, []byte{'\n'}))
	o.spool.write(p)
	o.clean.write(p)
	if !o.clean.rewritten && !o.clean.returned {
		o.live.partial(o.clean.line)
	}
	return len(p), nil
}

// keep stores clean text.
func (o *output) keep(p []byte) {
	o.live.lines(p)
	o.add(p)
}

// end is called once when nothing more comes.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clean.end()
}

// remove deletes the spool's file if there still is one.
func (o *output) remove() { o.spool.remove() }

// live shows clean text while the command runs: lines when they are whole, and
// the start of a line that is not rewritten as it grows.
type live struct {
	w     io.Writer // nil shows nothing
	shown []byte    // of the present line
	sent  int
}

func (l *live) partial(line []byte) {
	if l.w == nil || len(line) <= len(l.shown) || !bytes.HasPrefix(line, l.shown) {
		return
	}
	l.send(line[len(l.shown):])
	l.shown = append(l.shown[:0], line...)
}

func (l *live) lines(p []byte) {
	if l.w == nil {
		return
	}
	if rest, same := bytes.CutPrefix(p, l.shown); same {
		p = rest
	} else {
		l.send([]byte{'\n'})
	}
	l.shown = l.shown[:0]
	l.send(p)
}

const liveEnd = "\n[more output follows, shown when the command ends]\n"

func (l *live) send(p []byte) {
	switch {
	case l.sent > maxLive:
		return
	case l.sent+len(p) > maxLive:
		p = append(bytes.Clone(cutEnd(p, maxLive-l.sent)), liveEnd...)
		l.sent = maxLive + 1
	default:
		l.sent += len(p)
	}
	_, _ = l.w.Write(p) // what is shown live is shown again in the result
}
