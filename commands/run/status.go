package run

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/width"
)

const (
	// statusAfter is how long a step takes before it gets a line of its own.
	statusAfter = 500 * time.Millisecond
	statusEvery = 200 * time.Millisecond
	eraseLine   = "\r\x1b[K"
)

// statusLine is the one live line of a terminal: what is going on and for how
// long. It stands below everything else and is taken away before anything is
// written. Safe for concurrent use.
type statusLine struct {
	w       io.Writer
	columns func() int // of the terminal; 0: unknown
	now     func() time.Time

	mu      sync.Mutex
	text    string
	since   time.Time
	until   time.Time // of a wait; zero: none
	drawn   bool
	midLine bool   // the cursor is in the middle of the answer
	stop    func() // set by start
	ended   sync.WaitGroup
}

// start draws until end.
func (s *statusLine) start() {
	stop := make(chan struct{})
	s.stop = sync.OnceFunc(func() { close(stop) })
	s.ended.Go(func() {
		tick := time.NewTicker(statusEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.draw()
			case <-stop:
				return
			}
		}
	})
}

// end takes the line away for good; it is safe to call twice.
func (s *statusLine) end() {
	s.stop()
	s.ended.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = ""
	s.erase()
}

// set says what is going on from now on; wait, if any, is counted down.
func (s *statusLine) set(text string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.since, s.until = text, s.now(), time.Time{}
	if wait > 0 {
		s.until = s.since.Add(wait)
	}
}

// clear takes the line away until something else goes on.
func (s *statusLine) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = ""
	s.erase()
}

func (s *statusLine) draw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := s.now().Sub(s.since)
	if s.text == "" || s.midLine || gone < statusAfter {
		return
	}
	clock := gone.Truncate(time.Second)
	if !s.until.IsZero() {
		clock = max(0, s.until.Sub(s.now()).Round(time.Second))
	}
	// A terminal that cannot be written shows nothing.
	_, _ = io.WriteString(s.w, eraseLine+s.line(clock))
	s.drawn = true
}

// line is the status, cut to one line of the terminal.
func (s *statusLine) line(clock time.Duration) string {
	tail := fmt.Sprintf(" %s", clock)
	room := s.columns() - len(tail) - 1
	if s.columns() == 0 {
		room = 60
	}
	return fit(strings.TrimSpace(terminalSafe(s.text)), room) + tail
}

// fit cuts text to a number of terminal columns.
func fit(text string, columns int) string {
	used := 0
	for i, r := range text {
		w := cells(r)
		if used+w > columns || used+w == columns && i+len(string(r)) < len(text) {
			if columns < 1 {
				return ""
			}
			return text[:i] + "…"
		}
		used += w
	}
	return text
}

// cells is how many columns a character takes.
func cells(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

func (s *statusLine) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.w, eraseLine)
		s.drawn = false
	}
}

// over is a stream that is written above the line. answer says that it is the
// one whose unfinished line keeps the status away.
func (s *statusLine) over(w io.Writer, answer bool) io.Writer { return &above{s, w, answer} }

type above struct {
	s      *statusLine
	w      io.Writer
	answer bool
}

func (a *above) Write(b []byte) (int, error) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.erase()
	if len(b) > 0 && a.answer {
		a.s.midLine = b[len(b)-1] != '\n'
	}
	return a.w.Write(b)
}
