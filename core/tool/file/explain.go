package file

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the look for the lines an edit may have meant.
const (
	explainText  = 4 << 20 // bytes of the file that are searched
	explainLines = 40      // lines of old_string that are compared
	explainDiffs = 3       // differing lines that are shown
	explainWidth = 160     // bytes of a line that are shown
)

// explain says why old is not in text: the lines that are nearest to it and which
// characters differ.
func explain(text, old, new string) string {
	if strings.TrimSpace(new) != "" && strings.Count(text, new) == 1 {
		return fmt.Sprintf("new_string is there already, at line %d: the edit may have been made before.", lineAt(text, strings.Index(text, new)))
	}
	if len(text) > explainText {
		text = text[:explainText]
	}
	lines := splitLines(text)
	wanted := splitLines(old)
	wanted = wanted[:min(len(wanted), explainLines)]
	at, ok := nearestLines(lines, wanted)
	if !ok {
		return fmt.Sprintf("Nothing in its %d lines is like it; read the file again.", len(lines))
	}
	var b strings.Builder
	shown := 0
	for i, want := range wanted {
		if at+i < 0 || at+i >= len(lines) || lines[at+i] == want || i == 0 && strings.HasSuffix(lines[at], want) {
			continue
		}
		if shown++; shown > explainDiffs {
			b.WriteString("\n... and further lines.")
			break
		}
		fmt.Fprintf(&b, "\nline %d of the file: %s\nold_string has:     %s\n%s", at+i+1, shorten(lines[at+i]), shorten(want), differs(lines[at+i], want, i == 0))
	}
	if shown == 0 {
		return fmt.Sprintf("It begins like line %d but does not go on like it; read the file again.", at+1)
	}
	return "Nearest:" + b.String()
}

func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	if n := len(lines); n > 1 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// nearestLines finds the line of the file that the first wanted line stands for:
// the place where most wanted lines are there but for blanks and typography, else
// where the longest of them is most alike.
func nearestLines(lines, wanted []string) (int, bool) {
	places := map[string][]int{}
	for i, line := range wanted {
		if key := squash(line); key != "" {
			places[key] = append(places[key], i)
		}
	}
	votes := map[int]int{}
	best := 0
	for i, line := range lines {
		for _, j := range places[squash(line)] {
			if votes[i-j]++; votes[i-j] > votes[best] || votes[i-j] == votes[best] && i-j < best {
				best = i - j
			}
		}
	}
	if votes[best] > 0 {
		return best, true
	}
	return mostAlike(lines, wanted)
}

// squash is a line without blanks and typography.
func squash(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		if ascii, ok := plain(r); ok {
			return rune(ascii[0])
		}
		return unicode.ToLower(r)
	}, line)
}

// mostAlike compares the longest wanted line by the pairs of characters it shares.
func mostAlike(lines, wanted []string) (int, bool) {
	longest := 0
	for i := range wanted {
		if len(wanted[i]) > len(wanted[longest]) {
			longest = i
		}
	}
	want := pairs(wanted[longest])
	best, score := 0, 0.5 // below half it is something else
	for i, line := range lines {
		if len(line) > 4*len(wanted[longest])+16 {
			continue
		}
		have := pairs(line)
		both := 0
		for p, n := range have {
			both += min(n, want[p])
		}
		if s := 2 * float64(both) / float64(total(want)+total(have)+1); s > score {
			best, score = i-longest, s
		}
	}
	return best, score > 0.5
}

func pairs(line string) map[[2]byte]int {
	line = squash(line)
	line = line[:min(len(line), 400)]
	m := make(map[[2]byte]int, len(line))
	for i := 1; i < len(line); i++ {
		m[[2]byte{line[i-1], line[i]}]++
	}
	return m
}

func total(m map[[2]byte]int) int {
	n := 0
	for _, c := range m {
		n += c
	}
	return n
}

func shorten(line string) string {
	if len(line) > explainWidth {
		line = strings.ToValidUTF8(line[:explainWidth], "") + "..."
	}
	return line
}

// differs names the first character in which two lines differ. inside says that
// want may begin anywhere in have.
func differs(have, want string, inside bool) string {
	if h, w := indent(have), indent(want); !inside && h != w && have[len(h):] == want[len(w):] {
		return fmt.Sprintf("indentation: the file has %s, old_string has %s", count(h), count(w))
	}
	column := 1
	if inside {
		start := bestStart(have, want)
		column += utf8.RuneCountInString(have[:start])
		have = have[start:]
	}
	for have != "" && want != "" {
		h, n := utf8.DecodeRuneInString(have)
		w, m := utf8.DecodeRuneInString(want)
		if h != w {
			return fmt.Sprintf("column %d: the file has %s, old_string has %s", column, char(h), char(w))
		}
		have, want = have[n:], want[m:]
		column++
	}
	switch {
	case have != "":
		r, _ := utf8.DecodeRuneInString(have)
		return fmt.Sprintf("column %d: the file goes on with %s, old_string ends", column, char(r))
	case want != "":
		r, _ := utf8.DecodeRuneInString(want)
		return fmt.Sprintf("column %d: the file's line ends, old_string goes on with %s", column, char(r))
	}
	return ""
}

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// count says what blanks are made of.
func count(blanks string) string {
	if blanks == "" {
		return "none"
	}
	tabs := strings.Count(blanks, "\t")
	var parts []string
	for _, p := range []struct {
		n    int
		name string
	}{{tabs, "tab"}, {len(blanks) - tabs, "space"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.name)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", p.n, p.name))
		}
	}
	return strings.Join(parts, " and ")
}

// bestStart is where have agrees longest with the beginning of want; 0 when it
// agrees nowhere.
func bestStart(have, want string) int {
	best, most := 0, 0
	for i := range have[:min(len(have), 1000)] {
		if n := commonPrefix(have[i:], want[:min(len(want), explainWidth)]); n > most {
			best, most = i, n
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// char shows a character so that one can tell it from others that look alike.
func char(r rune) string {
	if name := charName(r); name != "" {
		return fmt.Sprintf("U+%04X %s", r, name)
	}
	return fmt.Sprintf("U+%04X %q", r, r)
}

func charName(r rune) string {
	switch r {
	case ' ':
		return "SPACE"
	case '\t':
		return "TAB"
	case '\r':
		return "CARRIAGE RETURN"
	case '\u00a0':
		return "NO-BREAK SPACE"
	case '\u00ad':
		return "SOFT HYPHEN"
	case '\u200b':
		return "ZERO WIDTH SPACE"
	case '\u200c':
		return "ZERO WIDTH NON-JOINER"
	case '\u200d':
		return "ZERO WIDTH JOINER"
	case '\u202f':
		return "NARROW NO-BREAK SPACE"
	case '\u3000':
		return "IDEOGRAPHIC SPACE"
	case '\ufeff':
		return "ZERO WIDTH NO-BREAK SPACE"
	}
	return ""
}
