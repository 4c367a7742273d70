package walk

import "strings"

// parseSet reads a bracket expression whose first byte after "[" is s[i]. It
// returns the index of the closing bracket, or nil for one that git rejects. A
// set never holds the slash.
func parseSet(s string, i int, fold bool) (*[256]bool, int) {
	set := new([256]bool)
	negate := false
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		negate = true
		i++
	}
	prev := -1 // where a range may start
	for start := i; ; i++ {
		if i >= len(s) {
			return nil, 0
		}
		c := s[i]
		switch {
		case c == ']' && i > start:
			return finishSet(set, negate, fold), i
		case c == '-' && prev >= 0 && i+1 < len(s) && s[i+1] != ']':
			i++
			if s[i] == '\\' {
				if i++; i >= len(s) {
					return nil, 0
				}
			}
			for x := prev; x <= int(s[i]); x++ {
				set[x] = true
			}
			prev = -1
			continue
		case c == '\\':
			if i++; i >= len(s) {
				return nil, 0
			}
			c = s[i]
		case c == '[' && i+1 < len(s) && s[i+1] == ':':
			end := strings.IndexByte(s[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			if name, ok := strings.CutSuffix(s[i+2:i+2+end], ":"); ok {
				if !addClass(set, name) {
					return nil, 0
				}
				i += 2 + end
				prev = -1
				continue
			}
		}
		set[c] = true
		prev = int(c)
	}
}

func finishSet(set *[256]bool, negate, fold bool) *[256]bool {
	for c := byte('A'); fold && c <= 'Z'; c++ {
		set[lower(c)] = set[lower(c)] || set[c]
	}
	for c := range set {
		set[c] = set[c] != negate
	}
	set['/'] = false
	return set
}

func addClass(set *[256]bool, name string) bool {
	for c := range 128 {
		in, known := inClass(byte(c), name)
		if !known {
			return false
		}
		set[c] = set[c] || in
	}
	return true
}

// inClass knows the POSIX classes, for ASCII alone as git does.
func inClass(c byte, name string) (in, known bool) {
	letter := 'a' <= lower(c) && lower(c) <= 'z'
	digit := '0' <= c && c <= '9'
	graph := 0x20 < c && c < 0x7f
	switch name {
	case "alnum":
		return letter || digit, true
	case "alpha":
		return letter, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return letter && c == lower(c), true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !letter && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return letter && c != lower(c), true
	case "xdigit":
		return digit || 'a' <= lower(c) && lower(c) <= 'f', true
	}
	return false, false
}
