package permission

import "strings"

// sedReads accepts a sed whose scripts print, delete and substitute, and neither
// write a file nor run a command.
func sedReads(args []word) bool {
	scripts, operands := 0, 0
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.text == "-e" || w.text == "--expression":
			if i++; i == len(args) || args[i].dynamic || !sedScript(args[i].text) {
				return false
			}
			scripts++
		case oneOf(w.text, "-n -E -r -s -u -z -nE -En -nr -rn --quiet --silent --regexp-extended --posix"):
		case isOption(w) || w.splits:
			return false
		case scripts == 0 && operands == 0:
			if w.dynamic || !sedScript(w.text) {
				return false
			}
			scripts++
		default:
			operands++
		}
	}
	return scripts > 0
}

// sedScript accepts commands with ";" between them.
func sedScript(script string) bool {
	for more := true; more; {
		var ok bool
		if script, ok = sedCommand(strings.TrimLeft(script, " ")); !ok {
			return false
		}
		script = strings.TrimLeft(script, " ")
		script, more = strings.CutPrefix(script, ";")
		if more && script == "" {
			return true
		}
	}
	return script == ""
}

// sedCommand takes one command off a script.
func sedCommand(s string) (rest string, ok bool) {
	s, ok = sedAddress(s)
	if !ok {
		return "", false
	}
	if after, found := strings.CutPrefix(s, ","); found {
		if s, ok = sedAddress(strings.TrimPrefix(after, "+")); !ok {
			return "", false
		}
	}
	s = strings.TrimPrefix(strings.TrimLeft(s, " "), "!")
	if s == "" {
		return "", false
	}
	switch s[0] {
	case 'p', 'd', 'q', '=':
		return s[1:], true
	case 's':
		return sedSubstitution(s[1:])
	}
	return "", false
}

// sedAddress takes a line number, "$" or /a pattern/ off a script.
func sedAddress(s string) (rest string, ok bool) {
	switch {
	case s == "":
		return "", false
	case s[0] == '$':
		return s[1:], true
	case s[0] == '/':
		return sedField(s[1:], '/')
	}
	return strings.TrimLeft(s, "0123456789~"), true
}

// sedSubstitution takes /this/that/flags off a script, without the flags that
// write or run.
func sedSubstitution(s string) (rest string, ok bool) {
	if s == "" || !strings.ContainsRune("/|#,:@!", rune(s[0])) {
		return "", false
	}
	end := s[0]
	if s, ok = sedField(s[1:], end); !ok {
		return "", false
	}
	if s, ok = sedField(s, end); !ok {
		return "", false
	}
	return strings.TrimLeft(s, "gpiI0123456789"), true
}

// sedField takes what stands before the next end off a script. One with a class of
// characters that holds end is not read: not every sed ends it at the same place.
func sedField(s string, end byte) (rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return "", false
		case '[':
			n := sedClass(s[i:])
			if n == 0 || strings.ContainsAny(s[i:i+n], string([]byte{end, '\n'})) {
				return "", false
			}
			i += n - 1
		case end:
			return s[i+1:], true
		}
	}
	return "", false
}

// sedClass is the length of the class of characters that s begins with, 0 where it has
// no end or one that depends on who reads it. A "]" in front belongs to it, and so does
// that of [:alpha:].
func sedClass(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for i < len(s) {
		switch {
		case s[i] == ']':
			return i + 1
		case s[i] == '\\' && strings.HasPrefix(s[i+1:], "]"):
			return 0
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			n := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if n < 0 {
				return 0
			}
			i += n + 4
			continue
		}
		i++
	}
	return 0
}
