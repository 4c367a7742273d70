package symbol

import (
	"fmt"
	"strings"
)

// braces walks the statements of a text in a language with braces.
type braces struct {
	text     string
	d        *dialect
	list     []item
	comments []region
	strings  []region
	found    []Symbol
}

func listBraces(text string, d *dialect) ([]Symbol, error) {
	x := lex(text, d)
	if i := pair(x.list); i >= 0 {
		return nil, unpaired(text, x.list[i])
	}
	b := &braces{text: text, d: d, list: x.list, comments: x.comments, strings: x.strings}
	b.block(0, place{})
	return b.found, nil
}

// place is where statements stand.
type place struct {
	parent string
	inType bool
	depth  int
}

// maxDepth bounds types in types.
const maxDepth = 50

// block reads statements from token i up to the brace that closes them, or to
// the end.
func (b *braces) block(i int, in place) {
	for i < len(b.list) && !b.list[i].is("}") {
		if n := b.label(i); n > i {
			i = n
			continue
		}
		i = b.statement(i, in)
	}
}

// label skips what stands before a statement and is no part of it: an access
// label, an attribute of the whole file.
func (b *braces) label(i int) int {
	rest := b.list[i:]
	switch {
	case len(rest) > 1 && rest[0].is("public", "private", "protected") && rest[1].is(":"):
		return i + 2
	case len(rest) > 2 && b.d.name == "rust" && rest[0].is("#") && rest[1].is("!") && rest[2].is("["):
		return rest[2].match + 1
	case rest[0].is(";", ","):
		return i + 1
	}
	return i
}

// statement reads one from token s on and returns the index behind it.
func (b *braces) statement(s int, in place) int {
	for j := s; j < len(b.list); {
		t := b.list[j]
		if j > s && t.fresh && b.d.newlines && b.ends(s, j, in) {
			return b.finish(s, j, j, in)
		}
		switch {
		case t.is(";"):
			return b.finish(s, j, j+1, in)
		case t.is("}"):
			return b.finish(s, j, j, in)
		case t.is("(", "["):
			j = t.match + 1
		case t.is("{"):
			next, done := b.brace(s, j, in)
			if done {
				return next
			}
			j = next
		default:
			j++
		}
	}
	return b.finish(s, len(b.list), len(b.list), in)
}

// brace decides what the brace at j is in the statement from s on. Not done means
// that the statement goes on at next.
func (b *braces) brace(s, j int, in place) (next int, done bool) {
	d := b.classify(b.list[s:j], in, "{")
	end := b.list[j].match
	switch {
	case d.holds && in.depth < maxDepth:
		inner := place{parent: d.within(in), inType: d.inType, depth: in.depth + 1}
		b.record(s, end+1, d, in) // in front of what is in it
		b.block(j+1, inner)
	case b.goesOn(s, j, d):
		return end + 1, false
	default:
		b.record(s, end+1, d, in)
	}
	end++
	for end < len(b.list) && b.list[end].is(";") && lineAt(b.text, b.list[end].start) == lineAt(b.text, b.list[end-1].start) {
		end++
	}
	return end, true
}

// goesOn reports whether a statement continues behind the braces that open at j.
func (b *braces) goesOn(s, j int, d decl) bool {
	head := b.list[s:j]
	after := b.list[j].match + 1
	next := item{}
	if after < len(b.list) {
		next = b.list[after]
	}
	last := item{}
	if len(head) > 0 {
		last = head[len(head)-1]
	}
	switch {
	case d.kind == "typedef":
		return true
	case d.kind == "" || d.variable:
		if hasMark(head, "=") || last.is("=>", "(", ",") {
			return true
		}
		return next.is("=") || next.is(";", ",", ".") && d.kind == ""
	case b.d.name == "js" && d.function && last.is(":", "|", "&", "=>"):
		return true
	case b.d.name == "cpp" && d.function && next.is(",", "{"):
		return true
	case d.function && (b.d.name == "kt" || b.d.name == "cs"):
		return hasMark(afterGroup(head), "=", "=>")
	case b.d.directives && !d.function && b.d.name != "cs": // struct { ... } name;
		return !next.is(";")
	}
	return false
}

// hasMark looks outside brackets.
func hasMark(list []item, texts ...string) bool {
	for i := 0; i < len(list); i++ {
		if list[i].is(texts...) {
			return true
		}
		i = skipGroup(list, i)
	}
	return false
}

// skipGroup is the index of the bracket that closes the one at i, or i. The list
// may be a part of the whole.
func skipGroup(list []item, i int) int {
	if list[i].is("(", "[", "{") {
		depth := 0
		for j := i; j < len(list); j++ {
			switch {
			case list[j].is("(", "[", "{"):
				depth++
			case list[j].is(")", "]", "}"):
				if depth--; depth == 0 {
					return j
				}
			}
		}
	}
	return i
}

// afterGroup is what follows the first parentheses.
func afterGroup(list []item) []item {
	for i := range list {
		if list[i].is("(") {
			return list[skipGroup(list, i)+1:]
		}
	}
	return nil
}

// finish ends a statement without braces of its own at token end.
func (b *braces) finish(s, end, next int, in place) int {
	if end > s {
		how := ";"
		if next == end {
			how = ""
		}
		b.record(s, next, b.classify(b.list[s:end], in, how), in)
	}
	if next == s { // a brace closes the block
		return max(next, s)
	}
	return next
}

// ends reports whether the line before token j ends the statement from s on.
func (b *braces) ends(s, j int, in place) bool {
	last, next := b.list[j-1], b.list[j]
	if b.onlyModifiers(b.list[s:j]) {
		return false
	}
	if last.is("=", "+", "-", "*", "/", "%", "&", "|", "^", ":", ",", ".", "<", "=>", "->", "&&", "||", "::", "??", "==", "!=", ">=", "<=") {
		return false
	}
	if next.is("*") && in.inType || next.is("@", "#") {
		return true
	}
	if next.kind == mark && !next.is("(", "[", "}") || next.is("extends", "implements", "where", "throws", "rethrows", "by", "as", "is", "in", "else", "catch", "finally") {
		return false
	}
	if b.d.starts(next) {
		return true
	}
	if next.is("(", "[") && b.d.name == "js" && !in.inType {
		return false
	}
	return len(indentAt(b.text, next.start)) <= len(indentAt(b.text, b.list[s].start))
}

// starts reports whether the token can only begin a declaration.
func (d *dialect) starts(t item) bool {
	return t.kind == word && (d.types[t.text] || d.funcs[t.text] || d.vars[t.text] || d.plain[t.text] && d.name != "js" || d.spaces[t.text] && d.name == "swift")
}

// maxModifiers bounds, in tokens, what can stand before a declaration.
const maxModifiers = 2000

func (b *braces) onlyModifiers(list []item) bool {
	return len(list) < maxModifiers && len(b.strip(list)) == 0
}

// record keeps the declaration that the tokens s..next are.
func (b *braces) record(s, next int, d decl, in place) {
	if d.kind == "" || d.name == "" {
		return
	}
	end := next
	for end < len(b.list) && b.list[end].is(";") && !b.list[end].fresh {
		end++
	}
	sym := Symbol{Name: d.name, Kind: d.kind, Parent: d.parent, Line: lineAt(b.text, d.at), Unsure: d.unsure}
	if sym.Parent == "" {
		sym.Parent = in.parent
	}
	start, stop := b.list[s].start, b.list[end-1].end
	if sym.Unsure == "" {
		sym.Unsure = b.doubt(d.at, b.list[next-1], stop)
	}
	sym = wholeLines(b.text, sym, start, stop, "//")
	sym.Start = aboveComments(b.text, sym.Start, b.comments)
	if b.d.directives && sym.Unsure == "" {
		sym.Unsure = straddles(b.text[sym.Start:sym.End])
	}
	b.found = append(b.found, sym)
}

// doubt compares the scan with the indentation: a closing brace that begins a
// line stands as deep as the declaration, and nothing that looks like one is
// hidden in a string.
func (b *braces) doubt(name int, last item, stop int) string {
	indent := indentAt(b.text, name)
	if last.is("}") && last.fresh && indentAt(b.text, last.start) != indent {
		open := b.list[last.match]
		if indentAt(b.text, last.start) != indentAt(b.text, open.start) || open.start < name {
			return fmt.Sprintf("the brace that closes it, at line %d, is not as deep as its name", lineAt(b.text, last.start))
		}
	}
	for _, r := range b.strings {
		if r.start < name || r.end > stop {
			continue
		}
		for at := lineEnd(b.text, r.start); at < r.end; at = lineEnd(b.text, at) {
			if line := b.text[at:lineEnd(b.text, at)]; strings.HasPrefix(strings.TrimSpace(line), "}") && len(indentAt(b.text, at)) <= len(indent) {
				return fmt.Sprintf("the string at line %d holds what looks like its end", lineAt(b.text, r.start))
			}
		}
	}
	return ""
}

// straddles reports preprocessor conditions of which a text holds a part only.
func straddles(text string) string {
	const why = "it holds a part of a preprocessor condition"
	depth := 0
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			continue
		}
		switch name = strings.TrimSpace(name); {
		case strings.HasPrefix(name, "if"), strings.HasPrefix(name, "region"):
			depth++
		case strings.HasPrefix(name, "end"):
			depth--
		case strings.HasPrefix(name, "el") && depth == 0:
			return why
		}
		if depth < 0 {
			return why
		}
	}
	if depth > 0 {
		return why
	}
	return ""
}

// aboveComments moves the start of a line up over the comments directly above it.
func aboveComments(text string, start int, comments []region) int {
	for i := len(comments) - 1; i >= 0 && start > 0; i-- {
		c := comments[i]
		if c.start >= start {
			continue
		}
		first := lineStart(text, c.start)
		if lineEnd(text, c.end) != start && c.end != start || !blank(text[first:c.start]) || !blank(text[c.end:max(start, c.end)]) {
			return start
		}
		if strings.HasPrefix(text[c.start:], "#!") && c.start == 0 {
			return start
		}
		start = first
	}
	return start
}
