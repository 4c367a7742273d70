package mcp

import (
	"net/url"
	"strings"
)

// A template is the address of many resources (RFC 6570), piece by piece. What a
// variable's value may be follows from the piece behind it: no more is told apart than a
// person types.
type template []piece

// A piece is text, or a variable that something is put in for.
type piece struct {
	text     string
	variable string // empty: it is text
	plain    bool   // the value goes in as it is, with / and its like
	optional bool   // an address may end before this text
}

// An operator is what the first character of an expression makes of its variables.
type operator struct {
	first, between         string
	named, plain, optional bool
}

func operatorOf(expression string) (operator, string) {
	rest := expression[min(1, len(expression)):]
	switch expression[:len(expression)-len(rest)] {
	case "+":
		return operator{between: ",", plain: true}, rest
	case "#":
		return operator{first: "#", between: ",", plain: true, optional: true}, rest
	case ".":
		return operator{first: ".", between: "."}, rest
	case "/":
		return operator{first: "/", between: "/"}, rest
	case ";":
		return operator{first: ";", between: ";", named: true}, rest
	case "?":
		return operator{first: "?", between: "&", named: true, optional: true}, rest
	case "&":
		return operator{first: "&", between: "&", named: true, optional: true}, rest
	}
	return operator{between: ","}, expression
}

// parseTemplate reports false for what is none.
func parseTemplate(text string) (t template, ok bool) {
	for text != "" {
		before, rest, opened := strings.Cut(text, "{")
		t = t.with(piece{text: before})
		if !opened {
			break
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, false
		}
		op, list := operatorOf(expression)
		text = after
		lead := op.first
		for name := range strings.SplitSeq(list, ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			if name == "" {
				return nil, false
			}
			if op.named {
				lead += name + "="
			}
			t = t.with(piece{text: lead, optional: op.optional}).with(piece{variable: name, plain: op.plain})
			lead = op.between
		}
	}
	return t, len(t) > 0
}

// with adds p. Text behind text is one text.
func (t template) with(p piece) template {
	last := len(t) - 1
	switch {
	case p.variable == "" && p.text == "":
		return t
	case p.variable == "" && last >= 0 && t[last].variable == "" && !p.optional:
		t[last].text += p.text
		return t
	}
	return append(t, p)
}

// String is t as it is shown.
func (t template) String() string {
	var text strings.Builder
	for _, p := range t {
		if p.variable != "" {
			text.WriteString("{" + p.variable + "}")
		}
		text.WriteString(p.text)
	}
	return text.String()
}

// A place is where in a template an address ends that somebody types.
type place struct {
	done  string            // what stands before the piece that the address ends in
	next  int               // that piece
	value string            // what is typed of it, where it is a variable
	given map[string]string // the variables before
}

// find is the place of a typed address; false where the template is not that of it.
func (t template) find(typed string) (place, bool) {
	at, rest := place{given: map[string]string{}}, typed
	for i, p := range t {
		at.next = i
		if p.variable == "" {
			if !strings.HasPrefix(rest, p.text) {
				return at, strings.HasPrefix(p.text, rest)
			}
			at.done, rest = at.done+p.text, rest[len(p.text):]
			continue
		}
		value := rest[:t.end(i, rest)]
		if !p.plain && strings.ContainsAny(value, "/?#") {
			return at, false
		}
		if len(value) == len(rest) {
			at.value = unescape(value)
			return at, true
		}
		if value == "" {
			return at, false
		}
		at.given[p.variable] = unescape(value)
		at.done, rest = at.done+value, rest[len(value):]
	}
	at.next = len(t)
	return at, rest == ""
}

// end is where in rest the value of the variable i ends: before the text that follows
// it, or before as much of that as is typed.
func (t template) end(i int, rest string) int {
	if i+1 == len(t) || t[i+1].variable != "" {
		return len(rest)
	}
	follows := t[i+1].text
	if at := strings.Index(rest, follows); at >= 0 {
		return at
	}
	for at := max(1, len(rest)-len(follows)); at < len(rest); at++ {
		if strings.HasPrefix(follows, rest[at:]) {
			return at
		}
	}
	return len(rest)
}

// put is the address with a value for the variable it ends in, up to the next one, and
// what of the template is open then.
func (t template) put(at place, value string) (address string, open template) {
	p, rest := t[at.next], t[at.next+1:]
	address = at.done + escape(value, p.plain)
	if len(rest) > 0 && rest[0].variable == "" {
		if rest[0].optional {
			return address, nil
		}
		address, rest = address+rest[0].text, rest[1:]
	}
	return address, rest
}

// escape is a value as it stands in an address.
func escape(value string, plain bool) string {
	kept := "-._~"
	if plain {
		kept += ":/?#[]@!$&'()*+,;="
	}
	var text strings.Builder
	for _, c := range []byte(value) {
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte(kept, c) >= 0 {
			text.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		text.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return text.String()
}

func unescape(value string) string {
	if text, err := url.PathUnescape(value); err == nil {
		return text
	}
	return value
}
