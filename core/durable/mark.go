package durable

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// mark is the text of a lock file: who holds it, from which boot of which machine,
// and when it was last seen. The zero mark is nobody's.
type mark struct {
	pid   int
	host  string
	boot  string // id of the machine's boot; empty where the system has none
	start string // when the process began, in the system's own words; may be empty
	seen  time.Time
}

// ownMark is this process's.
func ownMark(now time.Time) mark {
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, " \n") {
		host = "unknown-host"
	}
	pid := os.Getpid()
	return mark{pid: pid, host: host, boot: bootID(), start: processStart(pid), seen: now}
}

// text is one line; the pid and the host come first, for people.
func (m mark) text() string {
	b := "pid " + strconv.Itoa(m.pid) + " on " + m.host + " seen " + m.seen.UTC().Format(time.RFC3339)
	if m.boot != "" {
		b += " boot " + m.boot
	}
	if m.start != "" {
		b += " start " + m.start
	}
	return b + "\n"
}

// parseMark reads what text wrote, "pid N on HOST" alone too. Other text is
// nobody's mark.
func parseMark(line string) mark {
	var m mark
	words := strings.Fields(line)
	for i := 0; i+1 < len(words); i += 2 {
		value := words[i+1]
		switch words[i] {
		case "pid":
			m.pid, _ = strconv.Atoi(value)
		case "on":
			m.host = value
		case "seen":
			m.seen, _ = time.Parse(time.RFC3339, value)
		case "boot":
			m.boot = value
		case "start":
			m.start = value
		}
	}
	if m.pid <= 0 || m.host == "" {
		return mark{}
	}
	return m
}

// readMark reads who signed the lock file last. A reader that comes between locking
// and signing sees the previous holder or nobody.
func readMark(path string) mark {
	f, err := Open(path)
	if err != nil {
		return mark{}
	}
	defer f.Close()
	text := make([]byte, 512)
	n, _ := f.ReadAt(text, textAt)
	line, _, whole := bytes.Cut(text[:n], []byte("\n"))
	if !whole {
		return mark{}
	}
	return parseMark(string(line))
}

// words name the holder.
func (m mark) words() string {
	if m.pid == 0 {
		return "another process"
	}
	words := fmt.Sprintf("pid %d on %s", m.pid, m.host)
	if m.elsewhere() && !m.seen.IsZero() {
		words += ", last seen " + m.seen.UTC().Format(time.RFC3339)
	}
	return words
}

// elsewhere reports whether the mark is of another machine than this one. A container
// has a name of its own and the boot of its machine.
func (m mark) elsewhere() bool {
	if m.pid == 0 {
		return false
	}
	own := ownMark(time.Time{})
	return m.host != own.host && (m.boot == "" || m.boot != own.boot)
}

// gone reports whether the holder was a process of this machine that no longer
// exists.
func (m mark) gone() bool {
	if m.pid == 0 || m.elsewhere() {
		return false
	}
	own := ownMark(time.Time{})
	if m.host != own.host {
		return false // another container, whose processes have other numbers
	}
	if m.boot != "" && own.boot != "" && m.boot != own.boot {
		return true
	}
	if !exists(m.pid) {
		return true
	}
	start := processStart(m.pid)
	return m.start != "" && start != "" && m.start != start
}
