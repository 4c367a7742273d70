package file

import (
	"strings"
	"unicode/utf8"
)

// fold is a way to read text in which some differences do not count. Line ends
// never count: CRLF reads as LF.
type fold struct {
	blanks bool // spaces and tabs at the end of a line
	quotes bool // typographic quotes, dashes and spaces against ASCII
}

// walker reads text unit by unit.
type walker struct {
	fold
	text   string
	at     int
	inside int // up to here blanks are known to be inside a line
}

// next returns the place of the next unit and how it reads: "" when it does not
// count. ok is false at the end.
func (w *walker) next() (at span, reads string, ok bool) {
	if w.at >= len(w.text) {
		return span{}, "", false
	}
	start := w.at
	rest := w.text[start:]
	switch c := rest[0]; {
	case c == '\r' && len(rest) > 1 && rest[1] == '\n':
		w.at += 2
		return span{start, w.at}, "\n", true
	case w.blanks && (c == ' ' || c == '\t') && start >= w.inside:
		n := len(rest) - len(strings.TrimLeft(rest, " \t"))
		if after := rest[n:]; after == "" || after[0] == '\n' || strings.HasPrefix(after, "\r\n") {
			w.at += n
			return span{start, w.at}, "", true
		}
		w.inside = start + n
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(rest)
		w.at += n
		if ascii, ok := plain(r); ok && w.quotes {
			return span{start, w.at}, ascii, true
		}
		return span{start, w.at}, rest[:n], true
	}
	w.at++
	return span{start, w.at}, rest[:1], true
}

// plain is the ASCII character that r is a typographic form of.
func plain(r rune) (string, bool) {
	switch r {
	case '\u2018', '\u2019', '\u201a', '\u201b', '\u2032', '\u02bc':
		return "'", true
	case '\u201c', '\u201d', '\u201e', '\u201f', '\u2033':
		return `"`, true
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return "-", true
	case '\u00a0', '\u2002', '\u2003', '\u2007', '\u2009', '\u202f', '\u3000':
		return " ", true
	}
	return "", false
}

// read is text as f reads it.
func (f fold) read(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	w := walker{fold: f, text: text}
	for {
		_, reads, ok := w.next()
		if !ok {
			return b.String()
		}
		b.WriteString(reads)
	}
}

// units are the parts of text that count, in order: where each is, and where its
// reading ends in f.read(text).
type unit struct {
	at   span
	ends int
}

// units lists what counts in text; its readings are numbered from 0.
func (f fold) units(text string) []unit {
	var list []unit
	w := walker{fold: f, text: text}
	for n := 0; ; {
		at, reads, ok := w.next()
		if !ok {
			return list
		}
		if n += len(reads); reads != "" {
			list = append(list, unit{at, n})
		}
	}
}

// locate finds the span of text whose reading is bytes from..to of f.read(text).
func (f fold) locate(text string, from, to int) span {
	w := walker{fold: f, text: text}
	found := span{start: -1}
	for n := 0; ; {
		at, reads, ok := w.next()
		if !ok {
			found.end = len(text)
			return found
		}
		if reads == "" {
			continue
		}
		if n == from && found.start < 0 {
			found.start = at.start
		}
		if n += len(reads); n >= to {
			found.end = at.end
			return found
		}
	}
}
