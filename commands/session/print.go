package session

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/session"
)

// plain makes text of a session harmless on a terminal and keeps it on its line:
// control characters and those that turn the direction of text are shown as escapes.
func plain(text string) string {
	if strings.IndexFunc(text, hidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether r is a control character or one that changes how others are
// shown.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200e || r == 0x200f || r == 0x061c || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

// slash shows a path with forward slashes, on every system.
func slash(path string) string { return filepath.ToSlash(path) }

// at shows a time as the user's clock does.
func at(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// size is a number of bytes for people.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, names := float64(n)/unit, "KMGT"
	for f >= unit && len(names) > 1 {
		f, names = f/unit, names[1:]
	}
	return fmt.Sprintf("%.1f %cB", f, names[0])
}

// The states of a session beside the outcomes of its last turn.
const (
	stateRunning     = "running"
	stateInterrupted = "interrupted"
	stateNew         = "new"
)

// stateOf is how a session stands, in one word.
func stateOf(in session.Info) string {
	switch {
	case in.Unfinished != nil && in.Holder != "":
		return stateRunning
	case in.Unfinished != nil:
		return stateInterrupted
	case in.Outcome != "":
		return string(in.Outcome)
	}
	return stateNew
}

// money adds up an amount for people.
func money(amount float64, currency string, estimated bool) string {
	if currency == "" {
		return "-"
	}
	text := fmt.Sprintf("%.4f %s", amount, currency)
	if estimated {
		text = "~" + text
	}
	return text
}

// configuration is an event.Configured in one line.
func configuration(c event.Configured) string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+" "+plain(value))
		}
	}
	add("model", c.Model)
	add("effort", c.Effort)
	add("work mode", c.WorkMode)
	add("permissions", c.Approval)
	add("mode", c.Mode)
	return strings.Join(words, ", ")
}
