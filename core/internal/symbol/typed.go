package symbol

// typed reads declarations that begin with a type, as those of C, C++, Java and
// C# do.
func (b *braces) typed(h []item, in place, ender string) decl {
	cLike := b.d.name == "c" || b.d.name == "cpp"
	if h[0].is("typedef") {
		return typedef(h)
	}
	if h[0].is("using", "import", "package", "return", "if", "for", "while", "switch", "do", "else", "try", "catch", "case", "goto", "throw", "new", "delete", "static_assert") ||
		!cLike && !in.inType {
		return decl{}
	}
	for i := 0; i < len(h); i++ {
		t := h[i]
		switch {
		case t.is("=", "=>"), t.is("{"):
			return b.field(h[:i], h)
		case t.is("<") && i > 0 && h[i-1].kind == word:
			i = angles(h, i)
		case t.is("["):
			if cLike {
				return b.field(h[:i], h)
			}
			i = skipGroup(h, i)
		case t.is("("):
			if i > 0 && h[i-1].is("__attribute__", "__declspec", "alignas", "decltype", "noexcept") {
				i = skipGroup(h, i)
				continue
			}
			return b.called(h, i, in, ender)
		}
	}
	return b.field(h, h)
}

// field is a variable, the last word of the head.
func (b *braces) field(head, all []item) decl {
	if len(head) > 1 && head[len(head)-2].is("operator") {
		return decl{}
	}
	if len(head) < 2 || head[len(head)-1].kind != word {
		return decl{}
	}
	if head[0].is("struct", "union", "enum", "class", "friend") && len(head) == 2 { // a forward declaration
		return decl{}
	}
	name := head[len(head)-1]
	d := decl{kind: "field", name: name.text, at: name.start, variable: true}
	if b.d.name == "c" || b.d.name == "cpp" {
		d.kind = "variable"
	}
	if several(all) {
		d.unsure = "it is declared together with other names"
	}
	return d
}

// called is a function: the word before the parenthesis at i names it.
func (b *braces) called(h []item, i int, in place, ender string) decl {
	at := i - 1
	if at >= 0 && h[at].is(">") { // name<T>(
		for at > 0 && !h[at].is("<") {
			at--
		}
		at--
	}
	if len(h) > i+2 && h[i+1].is("*") && h[i+2].kind == word && at >= 0 { // a pointer to a function
		return decl{kind: "variable", name: h[i+2].text, at: h[i+2].start, variable: true}
	}
	if at < 0 || h[at].kind != word || h[at].is("operator") {
		return decl{}
	}
	d := decl{kind: "func", name: h[at].text, at: h[at].start, function: true}
	if in.inType {
		d.kind = "method"
	}
	if at > 0 && h[at-1].is("~") {
		d.name = "~" + d.name
		at--
	}
	if at > 1 && h[at-1].is("::") && h[at-2].kind == word {
		d.parent, at = h[at-2].text, at-2
	}
	if ender == ";" && !in.inType {
		d.kind = "declaration"
	}
	creates := in.inType && (d.name == in.parent || d.name == "~"+in.parent) || d.parent != "" && (d.name == d.parent || d.name == "~"+d.parent)
	if at == 0 && !creates && (ender != "{" || in.inType) {
		return decl{} // the use of a macro, or an enum's constant
	}
	return d
}

// typedef names the last word, or the pointer in parentheses.
func typedef(h []item) decl {
	for i := 0; i < len(h)-2; i++ {
		if h[i].is("(") && h[i+1].is("*") && h[i+2].kind == word {
			return decl{kind: "typedef", name: h[i+2].text, at: h[i+2].start, variable: true}
		}
		if h[i].is("{") {
			i = skipGroup(h, i)
		}
	}
	d := decl{kind: "typedef", variable: true}
	for i := 1; i < len(h); i++ {
		if h[i].is("[") {
			break
		}
		if i = skipGroup(h, i); h[i].kind == word {
			d.name, d.at = h[i].text, h[i].start
		}
	}
	return d
}
