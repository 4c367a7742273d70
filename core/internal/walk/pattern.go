package walk

import (
	"bytes"
	"strings"
)

// pattern is one line of an ignore file.
type pattern struct {
	negate   bool   // a "!" line: what matches is not ignored
	dirOnly  bool   // ended with a slash
	anchored bool   // has a slash: compared with the whole path, not with the name
	form     form   // how to compare
	text     string // literal, or what the name ends with
	ops      []op
}

type form uint8

const (
	formLiteral form = iota
	formSuffix       // "*" and a literal, for names
	formOps
)

type op struct {
	kind opKind
	char byte
	set  *[256]bool
}

type opKind uint8

const (
	opChar opKind = iota
	opAny         // one byte but the slash
	opSet
	opStar // bytes but slashes
	opDirs // nothing, or anything that ends with a slash
	opRest // anything, to the end
)

// parsePatterns reads an ignore file as git does. Lines that can match nothing
// are left out. fold says that case does not matter (core.ignoreCase).
func parsePatterns(data []byte, fold bool) []pattern {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var list []pattern
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if p, ok := parsePattern(string(trimSpaces(line)), fold); ok {
			list = append(list, p)
		}
	}
	return list
}

// trimSpaces drops trailing spaces that no backslash protects.
func trimSpaces(line []byte) []byte {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' && i+1 < len(line) {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = i + 1
	}
	return line[:end]
}

func parsePattern(s string, fold bool) (pattern, bool) {
	var p pattern
	if s == "" || s[0] == '#' {
		return p, false
	}
	s, p.negate = strings.CutPrefix(s, "!")
	s, p.dirOnly = strings.CutSuffix(s, "/")
	p.anchored = strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	if s == "" {
		return p, false
	}
	if fold {
		s = strings.Map(lowerRune, s)
	}
	switch {
	case !strings.ContainsAny(s, `*?[\`):
		p.form, p.text = formLiteral, s
		return p, true
	case !p.anchored && s[0] == '*' && !strings.ContainsAny(s[1:], `*?[\`):
		p.form, p.text = formSuffix, s[1:]
		return p, true
	}
	p.form = formOps
	return p, p.compile(s, fold)
}

// compile fills p.ops; false means that s can match nothing.
func (p *pattern) compile(s string, fold bool) bool {
	first := strings.IndexAny(s, `*?[\`)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '?':
			p.ops = append(p.ops, op{kind: opAny})
		case '*':
			i = p.stars(s, i, first)
		case '[':
			set, end := parseSet(s, i+1, fold)
			if set == nil {
				return false
			}
			p.ops = append(p.ops, op{kind: opSet, set: set})
			i = end
		case '\\':
			if i++; i == len(s) {
				return false
			}
			p.ops = append(p.ops, op{kind: opChar, char: s[i]})
		default:
			p.ops = append(p.ops, op{kind: opChar, char: s[i]})
		}
	}
	return true
}

// stars adds the run of stars at s[i] and returns the index of the last byte it
// took. Two stars cross directories only as a whole path element; git takes a
// literal beginning of the pattern off first, so they also count right after it.
func (p *pattern) stars(s string, i, first int) int {
	end := i
	for end < len(s) && s[end] == '*' {
		end++
	}
	whole := end-i >= 2 && p.anchored && (i == first || s[i-1] == '/')
	switch {
	case whole && end == len(s):
		p.ops = append(p.ops, op{kind: opRest})
	case whole && s[end] == '/':
		p.ops = append(p.ops, op{kind: opDirs})
		return end
	default:
		p.ops = append(p.ops, op{kind: opStar})
	}
	return end - 1
}

// match compares p with the name, or for an anchored pattern the path below the
// directory of the ignore file.
func (p *pattern) match(text []byte, fold bool) bool {
	switch p.form {
	case formLiteral:
		return equal(text, p.text, fold)
	case formSuffix:
		return len(text) >= len(p.text) && equal(text[len(text)-len(p.text):], p.text, fold)
	default:
		return matchOps(p.ops, text, fold)
	}
}

// matchOps keeps two places to come back to, the last star and the last "**/":
// an earlier one never has to be tried again, so time is at most quadratic.
func matchOps(ops []op, text []byte, fold bool) bool {
	o, t := 0, 0
	starO, starT, dirsO, dirsT := -1, 0, -1, 0
	for {
		if o < len(ops) {
			switch k := ops[o].kind; {
			case k == opRest:
				return true
			case k == opStar:
				o, starO, starT = o+1, o+1, t
				continue
			case k == opDirs:
				o, dirsO, dirsT, starO = o+1, o+1, t, -1
				continue
			case t < len(text) && ops[o].takes(text[t], fold):
				o, t = o+1, t+1
				continue
			}
		} else if t == len(text) {
			return true
		}
		switch {
		case starO >= 0 && starT < len(text) && text[starT] != '/':
			starT++
			o, t = starO, starT
		case dirsO >= 0:
			next := bytes.IndexByte(text[dirsT:], '/')
			if next < 0 {
				return false
			}
			dirsT += next + 1
			o, t, starO = dirsO, dirsT, -1
		default:
			return false
		}
	}
}

func (o op) takes(c byte, fold bool) bool {
	if fold {
		c = lower(c)
	}
	switch o.kind {
	case opChar:
		return o.char == c
	case opAny:
		return c != '/'
	default:
		return o.set[c]
	}
}

func equal(text []byte, s string, fold bool) bool {
	if !fold || len(text) != len(s) {
		return string(text) == s
	}
	for i, c := range text {
		if lower(c) != s[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func lowerRune(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}
