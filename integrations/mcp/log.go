package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reasonix/core/durable"
)

const (
	maxLog  = 1 << 20 // of a log file, of which there are two at most
	maxTail = 4 << 10
	// Of the tail, what is shown.
	shownLines, shownBytes = 8, 800
)

// A serverLog keeps what a server writes to its standard error: the end of it in
// memory, and a bounded file. Nothing that happens to the file stops the server.
type serverLog struct {
	path string // empty: no file

	mu   sync.Mutex
	file *os.File
	size int64
	tail []byte
	lost bool // the file cannot be written
}

// Write takes the standard error.
func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := p[max(0, len(p)-maxTail):]
	l.tail = append(l.tail, last...)
	if over := len(l.tail) - maxTail; over > 0 {
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
	l.keep(p)
	return len(p), nil
}

// note adds a line of ours, which is not part of the tail.
func (l *serverLog) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep([]byte("-- " + fmt.Sprintf(format, args...) + "\n"))
}

func (l *serverLog) keep(p []byte) {
	if l.path == "" || l.lost {
		return
	}
	if l.file != nil && l.size+int64(len(p)) > maxLog {
		_ = l.file.Close()
		l.file = nil
		// Where another process has it open it may stay; then it is begun anew.
		if os.Rename(l.path, l.path+".1") != nil {
			_ = os.Truncate(l.path, 0)
		}
	}
	if l.file == nil && !l.open() {
		l.lost = true
		return
	}
	n, _ := l.file.Write(p[max(0, len(p)-maxLog):])
	l.size += int64(n)
}

func (l *serverLog) open() bool {
	if durable.MkdirAll(filepath.Dir(l.path)) != nil {
		return false
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return false
	}
	l.file, l.size = file, info.Size()
	return true
}

// fresh forgets the tail: a new process starts.
func (l *serverLog) fresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = nil
}

// last returns the last lines of the standard error, shortened for a person.
func (l *serverLog) last() string {
	l.mu.Lock()
	text := string(bytes.TrimSpace(l.tail))
	l.mu.Unlock()
	text = printable(text)
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-shownLines):]
	text = strings.Join(lines, "\n")
	for cut := max(0, len(text)-shownBytes); cut > 0 && cut < len(text); cut++ {
		if utf8.RuneStart(text[cut]) {
			return "..." + text[cut:]
		}
	}
	return text
}

func (l *serverLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	l.lost = true
}

// printable drops what a terminal would obey, and what turns the text around it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "?"))
}

// A noise is what a server writes to its standard output that is no message: it is
// counted, and told once.
type noise struct {
	name string // of the server
	log  *serverLog
	warn func(code string, args []string, text string)

	mu    sync.Mutex
	lines int
}

func (n *noise) take(line []byte) {
	n.log.note("no message on standard output: %.300q", line)
	n.mu.Lock()
	n.lines++
	once := n.lines == 1
	n.mu.Unlock()
	if once {
		shown := fmt.Sprintf("%.80q", line)
		n.warn("mcp.noise", []string{n.name, shown}, fmt.Sprintf(
			"MCP server %s writes to its standard output what is no message, such as %s; that is skipped and counted", n.name, shown))
	}
}

func (n *noise) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lines
}
