package symbol

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts a text into tokens and comments.
type lexer struct {
	text     string
	d        *dialect
	at       int
	fresh    bool
	depth    int // of code inside strings
	list     []item
	comments []region
	strings  []region
}

// maxNesting bounds strings in code in strings.
const maxNesting = 20

func lex(text string, d *dialect) *lexer {
	x := &lexer{text: text, d: d, fresh: true}
	if d.name == "php" {
		x.html()
	}
	x.code(0)
	return x
}

// has reports whether the text goes on with s.
func (x *lexer) has(s string) bool { return strings.HasPrefix(x.text[x.at:], s) }

// code reads tokens up to the end, or to an until that no bracket opened.
func (x *lexer) code(until byte) {
	open := 0
	for x.at < len(x.text) {
		c := x.text[x.at]
		if until != 0 {
			switch {
			case c == until && open == 0:
				x.at++
				return
			case c == opener(until):
				open++
			case c == until:
				open--
			}
		}
		switch {
		case c == '\n':
			x.fresh = true
			x.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			x.at++
		case x.comment() || x.directive() || x.str():
		default:
			x.token()
		}
	}
}

func opener(end byte) byte {
	if end == ')' {
		return '('
	}
	return '{'
}

func (x *lexer) add(kind tokenKind, end int) {
	if x.depth == 0 {
		text := ""
		if kind == word || kind == mark {
			text = x.text[x.at:end]
		}
		x.list = append(x.list, item{kind: kind, text: text, start: x.at, end: end, fresh: x.fresh})
		if kind == quoted {
			x.strings = append(x.strings, region{x.at, end})
		}
	}
	x.fresh = false
	x.at = end
}

// comment passes over one.
func (x *lexer) comment() bool {
	start := x.at
	switch {
	case x.d.block && x.has("/*"):
		x.blockComment()
	case x.d.slashes && x.has("//"), x.d.hash && x.has("#") && !x.has("#[") && x.hashStarts():
		x.at = len(x.text)
		if n := strings.IndexByte(x.text[start:], '\n'); n >= 0 {
			x.at = start + n
		}
		if n := strings.Index(x.text[start:x.at], "?>"); x.d.name == "php" && n >= 0 {
			x.at = start + n
		}
	default:
		return false
	}
	if x.depth == 0 {
		x.comments = append(x.comments, region{start, x.at})
	}
	return true
}

// hashStarts reports whether a # here begins a comment: in a shell only at the
// start of a word.
func (x *lexer) hashStarts() bool {
	return x.d.name != "sh" || x.at == 0 || strings.ContainsRune(" \t\r\n;&|", rune(x.text[x.at-1]))
}

func (x *lexer) blockComment() {
	depth := 0
	for x.at < len(x.text) {
		switch {
		case x.has("/*") && (depth == 0 || x.d.nested):
			depth++
			x.at += 2
		case x.has("*/"):
			x.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			x.at++
		}
	}
}

// directive passes over a preprocessor line.
func (x *lexer) directive() bool {
	if !x.d.directives || !x.fresh || x.text[x.at] != '#' {
		return false
	}
	for x.at < len(x.text) {
		end := lineEnd(x.text, x.at)
		line := strings.TrimRight(x.text[x.at:end], "\r\n")
		x.at = end
		if !strings.HasSuffix(line, `\`) {
			break
		}
	}
	x.fresh = true
	return true
}

// token reads a word, a number or a mark.
func (x *lexer) token() {
	r, n := utf8.DecodeRuneInString(x.text[x.at:])
	end := x.at + n
	switch {
	case wordRune(r):
		for end < len(x.text) {
			r, n := utf8.DecodeRuneInString(x.text[end:])
			if !wordRune(r) && !(r >= '0' && r <= '9') {
				break
			}
			end += n
		}
		x.add(word, end)
	case r >= '0' && r <= '9':
		for end < len(x.text) && (x.text[end] == '_' || x.text[end] == '\'' && x.d.name == "cpp" || isAlnum(x.text[end])) {
			end++
		}
		x.add(number, end)
	case x.d.name == "php" && x.has("?>"):
		x.add(mark, x.at+2)
		x.list[len(x.list)-1].text = ";"
		x.html()
	default:
		for _, two := range [...]string{"=>", "->", "::", "==", "!=", ">=", "<=", "&&", "||", "??"} {
			if x.has(two) {
				end = x.at + 2
				break
			}
		}
		x.add(mark, end)
	}
}

func wordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || r > unicode.MaxASCII && unicode.IsDigit(r)
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// html passes over what is not PHP.
func (x *lexer) html() {
	start := x.at
	for x.at < len(x.text) {
		n := strings.Index(x.text[x.at:], "<?")
		if n < 0 {
			x.at = len(x.text)
			break
		}
		if x.at += n; x.has("<?xml") {
			x.at += 2
			continue
		}
		x.at += 2
		for _, tag := range []string{"php", "="} {
			if x.has(tag) {
				x.at += len(tag)
				break
			}
		}
		break
	}
	x.strings = append(x.strings, region{start, x.at})
	x.fresh = false
}
