package symbol

import "strings"

// decl is what a statement's beginning says that it is.
type decl struct {
	kind, name string // "" when it declares nothing that has a name
	parent     string // when it says so itself
	at         int    // offset of the name
	holds      bool   // its braces hold declarations
	inType     bool   // as members
	function   bool
	variable   bool
	unsure     string
	group      string // what it is called as a parent
}

// within is the parent of what d holds.
func (d decl) within(in place) string {
	switch {
	case d.group != "":
		return d.group
	case d.inType:
		return d.name
	}
	return in.parent
}

// strip leaves out annotations, attributes and modifiers.
func (b *braces) strip(h []item) []item {
	for len(h) > 0 {
		switch {
		case h[0].is("@") && len(h) > 1 && !h[1].is("interface"):
			h = h[2:]
			for len(h) > 1 && h[0].is(".", ":") {
				h = h[2:]
			}
			if len(h) > 0 && h[0].is("(") && (len(h) == 1 || b.d.name != "js" || !h[0].fresh) {
				h = h[min(skipGroup(h, 0)+1, len(h)):]
			}
		case h[0].is("#") && len(h) > 1 && h[1].is("["):
			h = h[min(skipGroup(h, 1)+1, len(h)):]
		case h[0].is("[") && (b.d.name == "cs" || b.d.name == "cpp"):
			h = h[min(skipGroup(h, 0)+1, len(h)):]
		case h[0].is("<") && b.d.name == "java" && angles(h, 0) > 0: // of a method
			h = h[angles(h, 0)+1:]
		case h[0].is("template") && len(h) > 1 && h[1].is("<") && b.d.name == "cpp":
			n := angles(h, 1)
			if n == 1 {
				return h
			}
			h = h[n+1:]
		case h[0].kind == word && b.d.modifiers[h[0].text] && !(len(h) > 1 && h[1].is("(", "=", ":", "?") && b.d.funcs["function"] && h[0].text != "pub"):
			extern := h[0].is("extern")
			if h = h[1:]; extern && len(h) > 0 && h[0].kind == quoted {
				h = h[1:]
			}
			if b.d.name == "rust" || b.d.name == "swift" { // pub(crate), private(set)
				if len(h) > 0 && h[0].is("(") {
					h = h[min(skipGroup(h, 0)+1, len(h)):]
				}
			}
		default:
			return h
		}
	}
	return h
}

// maxAngles bounds, in tokens, the look for the end of type parameters.
const maxAngles = 500

// angles is the index of the > that closes the < at i, or i when it is none that
// opens type parameters.
func angles(h []item, i int) int {
	depth := 0
	for j := i; j < min(len(h), i+maxAngles); j++ {
		switch {
		case h[j].is("<"):
			depth++
		case h[j].is(">"):
			if depth--; depth == 0 {
				return j
			}
		case h[j].is("->", "=>"):
		case h[j].is("(", "[", "{"):
			j = skipGroup(h, j)
		case h[j].is(";", "&&", "||", "==", "!="):
			return i
		}
	}
	return i
}

// classify reads the beginning of a statement; ender is what follows it.
func (b *braces) classify(h []item, in place, ender string) decl {
	h = b.strip(h)
	if len(h) == 0 { // extern "C" {
		return decl{holds: ender == "{" && b.d.name == "cpp"}
	}
	first := h[0]
	rest := h[1:]
	switch {
	case first.kind == word && first.is("const") && b.d.name == "rust" && len(rest) > 0 && rest[0].is("fn", "unsafe", "async", "extern"):
		return b.classify(rest, in, ender)
	case first.is("class") && b.d.name == "swift" && len(rest) > 0 && (b.d.funcs[rest[0].text] || b.d.vars[rest[0].text]),
		first.is("fun") && len(rest) > 0 && rest[0].is("interface"),
		first.is("const") && b.d.name == "js" && len(rest) > 0 && rest[0].is("enum"):
		return b.classify(rest, in, ender)
	case first.kind != word && !first.is("*", "#", "~", "@"):
		return decl{}
	case b.d.spaces[first.text]:
		return b.space(first, rest, ender)
	case b.d.types[first.text], b.d.plain[first.text]:
		if d, ok := b.typeDecl(first, rest, ender); ok {
			return d
		}
	case b.d.funcs[first.text]:
		return b.function(rest)
	case b.d.vars[first.text]:
		return variable(first.text, rest)
	}
	switch b.d.name {
	case "java", "cs", "c", "cpp":
		return b.typed(h, in, ender)
	case "js":
		if in.inType {
			return member(h)
		}
	case "php":
		return phpMember(h, in)
	case "swift":
		if first.is("init", "deinit", "subscript") && in.inType {
			return decl{kind: "method", name: first.text, at: first.start, function: true}
		}
	case "kt":
		if first.is("constructor", "init") && in.inType {
			return decl{kind: "method", name: first.text, at: first.start, function: true}
		}
	}
	return decl{}
}

// space is a namespace, a module, an impl block, an extension.
func (b *braces) space(first item, rest []item, ender string) decl {
	if ender != "{" || b.d.name == "js" && len(rest) > 0 && !(rest[0].kind == word || rest[0].kind == quoted) {
		return decl{}
	}
	d := decl{holds: true}
	if first.is("impl", "extension") {
		d.inType = true
		if first.is("impl") && len(rest) > 0 && rest[0].is("<") {
			rest = rest[angles(rest, 0)+1:]
		}
		for i := range rest {
			if rest[i].is("for") {
				rest = rest[i+1:]
				break
			}
		}
		d.group = lastOfPath(rest)
	}
	if first.is("mod") && len(rest) > 0 {
		d.kind, d.name, d.at, d.group = "mod", rest[0].text, rest[0].start, rest[0].text
	}
	return d
}

// lastOfPath is the last name of a path like a::b::C<T> or a.B.
func lastOfPath(h []item) string {
	name := ""
	for _, t := range h {
		switch {
		case t.is("where"):
			return name
		case t.kind == word && !t.is("dyn", "mut"):
			name = t.text
		case t.is("::", ".", "&", "'"):
		default:
			if name != "" {
				return name
			}
		}
	}
	return name
}

func (b *braces) typeDecl(first item, rest []item, ender string) (decl, bool) {
	cLike := b.d.name == "c" || b.d.name == "cpp"
	if cLike && (ender != "{" || hasMark(rest, "=") || hasMark(rest, "(") && !hasMark(rest, ":")) {
		return decl{}, false
	}
	if len(rest) > 0 && rest[0].is("class", "struct") { // enum class, record struct
		rest = rest[1:]
	}
	if b.d.name == "cs" && first.is("delegate") {
		return b.typed(rest, place{inType: true}, ender), true
	}
	for len(rest) > 0 && rest[0].kind == mark && rest[0].is("[", "@") {
		rest = rest[min(skipGroup(rest, 0)+1, len(rest)):]
	}
	if len(rest) == 0 || rest[0].kind != word {
		return decl{}, first.kind == word && ender == "{" && !cLike
	}
	name := rest[0]
	if cLike {
		for _, t := range rest[1:] { // macros before the name
			if t.kind != word || t.is("final") {
				break
			}
			name = t
		}
	}
	d := decl{kind: first.text, name: name.text, at: name.start}
	if d.holds = b.d.types[first.text] && ender == "{"; d.holds {
		d.inType = true
	}
	if first.is("type", "typealias") {
		d.variable = true
	}
	return d, true
}

func (b *braces) function(rest []item) decl {
	for len(rest) > 0 && rest[0].is("*", "&", "!") {
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0].is("<") {
		rest = rest[min(angles(rest, 0)+1, len(rest)):]
	}
	if len(rest) == 0 || rest[0].kind != word {
		return decl{}
	}
	d := decl{kind: "func", name: rest[0].text, at: rest[0].start, function: true}
	if b.d.name != "kt" {
		return d
	}
	for i := 0; i < len(rest) && !rest[i].is("("); i++ { // fun Receiver<T>.name(
		if rest[i].kind == word && i > 0 && rest[i-1].is(".") {
			d.parent, d.name, d.at = d.name, rest[i].text, rest[i].start
		}
		if rest[i].is("<") {
			i = angles(rest, i)
		}
	}
	return d
}

// variable declares one name; several at once must not be cut apart.
func variable(kind string, rest []item) decl {
	for len(rest) > 0 && rest[0].is("mut", "ref") {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0].kind != word {
		return decl{}
	}
	d := decl{kind: kind, name: strings.TrimPrefix(rest[0].text, "$"), at: rest[0].start, variable: true}
	if several(rest) {
		d.unsure = "it is declared together with other names"
	}
	return d
}

// several looks for a comma outside of brackets.
func several(h []item) bool {
	for i := 0; i < len(h); i++ {
		switch {
		case h[i].is(","):
			return true
		case h[i].is("<") && i > 0 && h[i-1].kind == word:
			i = angles(h, i)
		default:
			i = skipGroup(h, i)
		}
	}
	return false
}

// member is one of a JavaScript class or TypeScript interface.
func member(h []item) decl {
	for len(h) > 0 && h[0].is("*", "#") {
		h = h[1:]
	}
	if len(h) == 0 || h[0].kind != word {
		return decl{}
	}
	d := decl{name: h[0].text, at: h[0].start}
	switch rest := h[1:]; {
	case len(rest) > 0 && rest[0].is("(", "<"), len(rest) > 1 && rest[0].is("?") && rest[1].is("("):
		d.kind, d.function = "method", true
	case len(rest) == 0, rest[0].is("=", ":", "?", "!"):
		d.kind, d.variable = "field", true
	default:
		return decl{}
	}
	return d
}

// phpMember is a property.
func phpMember(h []item, in place) decl {
	if !in.inType {
		return decl{}
	}
	for i, t := range h {
		if t.is("=", "(") {
			break
		}
		if t.kind == word && strings.HasPrefix(t.text, "$") {
			return variable("field", h[i:])
		}
	}
	return decl{}
}
