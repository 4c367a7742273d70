package shell

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"

	"reasonix/core/tool"
)

const (
	// defaultCap is what the model sees of a call at most, in bytes.
	defaultCap = 16000
	// maxLive bounds what is shown while a call runs, in bytes.
	maxLive = 1 << 20
)

// output takes a command's output as it comes and keeps, in bounded memory, the
// head and the tail of its clean text, and all of it raw in a spool. It is safe
// for concurrent use.
type output struct {
	mu    sync.Mutex
	cap   int
	clean cleaner
	head  []byte
	tail  []byte
	text  int64 // bytes of clean text
	raw   int64
	lines int64
	spool spool
	live  live
}

func newOutput(set tool.Settings, call *tool.Call) *output {
	o := &output{cap: set.OutputCap, spool: spool{dir: set.Temp}, live: live{w: call.Out}}
	if o.cap <= 0 {
		o.cap = defaultCap
	}
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
	o.text += int64(len(p))
	if room := o.cap - len(o.head); room > 0 {
		n := min(room, len(p))
		o.head = append(o.head, p[:n]...)
		p = p[n:]
	}
	if len(p) > o.cap {
		p = p[len(p)-o.cap:]
	}
	if len(o.tail)+len(p) > 2*o.cap {
		kept := copy(o.tail, o.tail[max(0, len(o.tail)-o.cap):])
		o.tail = o.tail[:kept]
	}
	o.tail = append(o.tail, p...)
}

// end is called once when nothing more comes.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clean.end()
}

// fits tells whether all of the text is at most size bytes.
func (o *output) fits(size int) bool { return o.text <= int64(size) && o.text <= int64(o.cap) }

// whole is the text when it fits.
func (o *output) whole() []byte { return o.head }

// ends returns the head and the tail of a text that does not fit, together at
// most size bytes, cut at line ends where those are near and never in a rune.
func (o *output) ends(size int) (head, tail []byte) {
	rest := append(bytes.Clone(o.head), o.tail...)
	if o.text > int64(len(rest)) {
		rest = o.tail
	}
	half := max(0, size/2)
	return cutEnd(o.head, half), cutStart(rest, half)
}

// cutEnd returns at most size bytes of the start of p.
func cutEnd(p []byte, size int) []byte {
	if len(p) <= size {
		return p
	}
	end := size
	for end > 0 && !utf8.RuneStart(p[end]) {
		end--
	}
	if nl := bytes.LastIndexByte(p[:end], '\n'); nl >= end/2 {
		end = nl + 1
	}
	return p[:end]
}

// cutStart returns at most size bytes of the end of p.
func cutStart(p []byte, size int) []byte {
	if len(p) > size {
		p = p[len(p)-size:]
	}
	start := 0
	for start < len(p) && !utf8.RuneStart(p[start]) {
		start++
	}
	if nl := bytes.IndexByte(p[start:], '\n'); nl >= 0 && nl < len(p)/2 {
		start += nl + 1
	}
	return p[start:]
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
