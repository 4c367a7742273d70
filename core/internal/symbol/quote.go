package symbol

import "strings"

// str passes over a string, a character or a regular expression.
func (x *lexer) str() bool {
	rest := x.text[x.at:]
	switch c := rest[0]; {
	case x.rawString(rest):
	case x.d.name == "sh" && strings.HasPrefix(rest, "${"):
		start, fresh := x.at, x.fresh
		end := x.inner(x.at+2, '}')
		x.at, x.fresh = start, fresh
		x.add(quoted, end)
	case c == '"' && x.d.triple && strings.HasPrefix(rest, `"""`):
		n := 3 + x.extraQuotes(rest)
		x.until(n, rest[:n], x.d.rawTriple)
	case c == '\'' && x.d.name == "py" && strings.HasPrefix(rest, "'''"):
		x.until(3, "'''", false)
	case c == '\'' && x.d.chars:
		return x.char(rest)
	case c == '"' || c == '\'' && x.d.single || c == '`' && x.d.backtick:
		x.quote(c)
	case c == '`' && x.d.escapedWords:
		if n := strings.IndexAny(rest[1:], "`\n"); n >= 0 {
			x.add(word, x.at+n+2)
			x.list = trimTicks(x.list)
			return true
		}
		return false
	case c == '/' && x.d.regexp && x.regexpHere():
		return x.regexp(rest)
	case c == '<' && x.d.heredoc != "" && strings.HasPrefix(rest, x.d.heredoc):
		return x.heredoc(rest)
	default:
		return false
	}
	return true
}

func trimTicks(list []item) []item {
	if n := len(list); n > 0 {
		list[n-1].text = strings.Trim(list[n-1].text, "`")
	}
	return list
}

// extraQuotes is how many quotes beyond three a C# raw string opens with.
func (x *lexer) extraQuotes(rest string) int {
	if x.d.name != "cs" {
		return 0
	}
	return len(rest) - len(strings.TrimLeft(rest, `"`)) - 3
}

// until adds a string that begins with skip bytes and ends with end.
func (x *lexer) until(skip int, end string, raw bool) {
	i := x.at + skip
	for i < len(x.text) && !strings.HasPrefix(x.text[i:], end) {
		if x.text[i] == '\\' && !raw {
			i++
		}
		i++
	}
	x.add(quoted, min(i+len(end), len(x.text)))
}

// rawString adds a string in which nothing is an escape, if one begins here.
func (x *lexer) rawString(rest string) bool {
	switch x.d.name {
	case "rust":
		body := strings.TrimPrefix(rest, "b")
		if !strings.HasPrefix(body, "r") {
			return false
		}
		hashes := len(body) - 1 - len(strings.TrimLeft(body[1:], "#"))
		if len(body) <= hashes+1 || body[hashes+1] != '"' {
			return false
		}
		x.until(len(rest)-len(body)+hashes+2, `"`+strings.Repeat("#", hashes), true)
		return true
	case "cpp":
		body := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "u8"), "L"), "u")
		if !strings.HasPrefix(body, `R"`) {
			return false
		}
		open := strings.IndexByte(body, '(')
		if open < 0 || open > 18 {
			return false
		}
		x.until(len(rest)-len(body)+open+1, ")"+body[2:open]+`"`, true)
		return true
	case "swift":
		hashes := len(rest) - len(strings.TrimLeft(rest, "#"))
		if hashes == 0 || len(rest) <= hashes || rest[hashes] != '"' {
			return false
		}
		x.until(hashes+1, `"`+rest[:hashes], true)
		return true
	case "cs":
		body := strings.TrimLeft(rest, "$@")
		prefix := rest[:len(rest)-len(body)]
		if len(prefix) == 0 || len(prefix) > 3 || !strings.HasPrefix(body, `"`) || strings.HasPrefix(body, `"""`) && !strings.Contains(prefix, "@") {
			return false
		}
		x.verbatim(len(prefix)+1, strings.Contains(prefix, "@"), strings.Contains(prefix, "$"))
		return true
	}
	return false
}

// verbatim adds a C# string with a prefix: with @ a doubled quote stands for
// one, with $ braces hold code.
func (x *lexer) verbatim(skip int, at, code bool) {
	start, fresh := x.at, x.fresh
	i := x.at + skip
	for i < len(x.text) {
		switch c := x.text[i]; {
		case c == '"' && at && strings.HasPrefix(x.text[i:], `""`):
			i += 2
		case c == '"', c == '\n' && !at:
			x.at, x.fresh = start, fresh
			x.add(quoted, i+1)
			return
		case c == '\\' && !at:
			i += 2
		case c == '{' && code && !strings.HasPrefix(x.text[i:], "{{"):
			i = x.inner(i+1, '}')
		case c == '{' && code:
			i += 2
		default:
			i++
		}
	}
	x.at, x.fresh = start, fresh
	x.add(quoted, len(x.text))
}

// inner passes over code inside a string and returns the offset behind it.
func (x *lexer) inner(from int, until byte) int {
	if x.depth >= maxNesting {
		return from
	}
	x.depth++
	x.at = from
	x.code(until)
	x.depth--
	return x.at
}

// quote adds a string with escapes. One that may not go over several lines ends
// with its line.
func (x *lexer) quote(q byte) {
	start, fresh := x.at, x.fresh
	i := x.at + 1
	for i < len(x.text) {
		if open := x.d.code; open != "" && q == x.d.codeIn && strings.HasPrefix(x.text[i:], open) {
			until := byte('}')
			if open[len(open)-1] == '(' {
				until = ')'
			}
			i = x.inner(i+len(open), until)
			continue
		}
		c := x.text[i]
		switch {
		case c == '\\' && !(q == '\'' && x.d.name == "sh"):
			i += 2
			continue
		case c == q:
			x.at, x.fresh = start, fresh
			x.add(quoted, i+1)
			return
		case c == '\n' && !x.d.multiline && q != '`':
			x.at, x.fresh = start, fresh
			x.add(quoted, i)
			return
		}
		i++
	}
	x.at, x.fresh = start, fresh
	x.add(quoted, len(x.text))
}

// char adds a character; what begins like one but is a lifetime is a mark.
func (x *lexer) char(rest string) bool {
	i := 1
	switch {
	case len(rest) > 1 && rest[1] == '\\':
		i = 3
	case x.d.name == "rust":
		for n := range rest[1:] {
			if n > 0 {
				i = 1 + n
				break
			}
		}
		if !strings.HasPrefix(rest[i:], "'") {
			x.add(mark, x.at+1)
			return true
		}
	}
	for i < len(rest) && rest[i] != '\'' && rest[i] != '\n' {
		i++
	}
	x.add(quoted, x.at+min(i+1, len(rest)))
	return true
}

// regexpHere reports whether a slash here can only begin a regular expression.
func (x *lexer) regexpHere() bool {
	if x.depth > 0 || len(x.list) == 0 {
		return x.depth == 0
	}
	last := x.list[len(x.list)-1]
	switch last.kind {
	case mark:
		return !last.is(")", "]", "}")
	case word:
		return last.is("return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "do", "else", "yield", "await",
			"if", "unless", "when", "and", "or", "not", "while", "until")
	default:
		return false
	}
}

func (x *lexer) regexp(rest string) bool {
	class := false
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				x.add(quoted, x.at+i+1)
				return true
			}
		}
	}
	return false
}

// heredoc adds a text that begins on the next line and ends with a line that is
// its name.
func (x *lexer) heredoc(rest string) bool {
	name := strings.TrimLeft(rest[len(x.d.heredoc):], "-~ ")
	q := ""
	if name != "" && strings.ContainsAny(name[:1], `"'`) {
		q, name = name[:1], name[1:]
	}
	n := 0
	for n < len(name) && (isAlnum(name[n]) || name[n] == '_') {
		n++
	}
	if n == 0 || q == "" && name[0] >= '0' && name[0] <= '9' || strings.HasPrefix(rest, x.d.heredoc+"<") {
		return false
	}
	if x.d.name == "rb" && q == "" && !strings.ContainsAny(rest[2:3], "~-") && (name[0] < 'A' || name[0] > 'Z') {
		return false
	}
	name = name[:n]
	end := lineEnd(x.text, x.at)
	for end < len(x.text) {
		next := lineEnd(x.text, end)
		line := strings.TrimSpace(x.text[end:next])
		if line == name || x.d.name == "php" && strings.HasPrefix(line, name) && !isAlnum((line + " ")[n]) {
			if x.d.name == "php" { // the statement may go on behind the name
				next = end + strings.Index(x.text[end:next], name) + n
			}
			x.add(quoted, next)
			return true
		}
		end = next
	}
	x.add(quoted, len(x.text))
	return true
}
