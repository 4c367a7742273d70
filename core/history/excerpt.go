package history

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/core/retrieval"
)

// excerptBytes is how long a snippet is at most, its ellipses not counted.
const excerptBytes = 240

// excerpt returns the part of text that has most of the terms, on one line, and
// where in it they are; no marks when it has none of them.
func excerpt(text string, terms []string) (string, []Mark) {
	text = oneLine(ends(text))
	var places []retrieval.Token
	count := map[string]int{}
	for _, t := range retrieval.Tokens(text) {
		if slices.Contains(terms, t.Term) {
			places = append(places, t)
			count[t.Term]++
		}
	}
	if len(places) == 0 {
		return "", nil
	}
	first, last := densest(places, count)
	start, end := around(text, places[first].Start, places[last].End)
	out, shift := text[start:end], -start
	if start > 0 {
		out, shift = "…"+out, shift+len("…")
	}
	if end < len(text) {
		out += "…"
	}
	var marks []Mark
	for _, p := range places {
		m := Mark{p.Start + shift, p.End + shift}
		switch n := len(marks); {
		case p.Start < start || p.End > end:
		case n > 0 && m.Start <= marks[n-1].End:
			marks[n-1].End = max(marks[n-1].End, m.End)
		default:
			marks = append(marks, m)
		}
	}
	return out, marks
}

// densest finds the window of places whose different terms are worth most; a term
// that is everywhere in the text is worth little.
func densest(places []retrieval.Token, count map[string]int) (first, last int) {
	inside := map[string]int{}
	worth, best := 0.0, -1.0
	value := func(term string) float64 { return 1 / (1 + math.Log(float64(count[term]))) }
	from := 0
	for to, p := range places {
		if inside[p.Term]++; inside[p.Term] == 1 {
			worth += value(p.Term)
		}
		for from < to && p.End-places[from].Start > excerptBytes {
			term := places[from].Term
			if inside[term]--; inside[term] == 0 {
				worth -= value(term)
			}
			from++
		}
		if worth > best+1e-9 {
			first, last, best = from, to, worth
		}
	}
	return first, last
}

// around widens a part of text to excerptBytes, a third of it in front, and to whole
// words.
func around(text string, start, end int) (int, int) {
	room := max(0, excerptBytes-(end-start))
	from := max(0, start-room/3)
	to := min(len(text), end+room-(start-from))
	from = max(0, min(from, start-(room-(to-end))))
	return wordStart(text, from, start), wordEnd(text, to, end)
}

// wordStart moves from forward to the beginning of a word, at most to limit.
func wordStart(text string, from, limit int) int {
	if from <= 0 {
		return 0
	}
	if i := strings.IndexByte(text[from-1:limit], ' '); i >= 0 {
		return from + i
	}
	for from < limit && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// wordEnd moves to back to the end of a word, at most to limit.
func wordEnd(text string, to, limit int) int {
	if to >= len(text) {
		return len(text)
	}
	if i := strings.LastIndexByte(text[limit:to+1], ' '); i >= 0 {
		return limit + i
	}
	for to > limit && !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}

// oneLine is text with single spaces and without control characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "�"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
