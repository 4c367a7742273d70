package symbol

import "maps"

// dialect is what the scanner knows of a language with braces.
type dialect struct {
	name string

	// Comments and strings.
	slashes, block, nested, hash, directives   bool
	single, backtick, triple, rawTriple, chars bool
	multiline, regexp, escapedWords            bool
	code                                       string // opens code inside a string
	codeIn                                     byte   // that begins with this quote
	heredoc                                    string

	// Declarations.
	newlines  bool            // a statement may end with its line
	modifiers map[string]bool // in front of a declaration
	types     map[string]bool // keywords of types with members
	plain     map[string]bool // keywords of types and the like without
	spaces    map[string]bool // keywords of what only groups: not a symbol
	funcs     map[string]bool
	vars      map[string]bool
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// with is a set and more words.
func with(m map[string]bool, words ...string) map[string]bool {
	m = maps.Clone(m)
	maps.Copy(m, set(words...))
	return m
}

// dialects are the languages by file name ending.
func dialects() map[string]*dialect {
	js := &dialect{
		name: "js", slashes: true, block: true, single: true, backtick: true, regexp: true, code: "${", codeIn: '`', newlines: true,
		modifiers: set("export", "default", "async", "static", "public", "private", "protected", "readonly", "abstract", "declare", "override", "get", "set", "accessor"),
		types:     set("class", "interface"), plain: set("enum", "type"), spaces: set("namespace", "module"), funcs: set("function"), vars: set("const", "let", "var"),
	}
	java := &dialect{
		name: "java", slashes: true, block: true, triple: true, chars: true,
		modifiers: set("public", "private", "protected", "static", "final", "abstract", "synchronized", "native", "default", "sealed", "transient", "volatile", "strictfp"),
		types:     set("class", "interface", "enum", "record"),
	}
	cs := &dialect{
		name: "cs", slashes: true, block: true, directives: true, triple: true, rawTriple: true, chars: true,
		modifiers: with(java.modifiers, "internal", "override", "virtual", "async", "partial", "readonly", "extern", "unsafe", "new", "required", "file", "ref"),
		types:     set("class", "interface", "struct", "record"), plain: set("enum", "delegate"), spaces: set("namespace"),
	}
	c := &dialect{
		name: "c", slashes: true, block: true, directives: true, chars: true,
		modifiers: set("static", "inline", "extern", "register"), plain: set("struct", "union", "enum"),
	}
	cpp := &dialect{
		name: "cpp", slashes: true, block: true, directives: true, chars: true,
		modifiers: with(c.modifiers, "virtual", "explicit", "constexpr", "friend", "consteval", "typename", "export"),
		types:     set("class", "struct"), plain: set("union", "enum"), spaces: set("namespace"),
	}
	rust := &dialect{
		name: "rust", slashes: true, block: true, nested: true, chars: true, multiline: true,
		modifiers: set("pub", "async", "unsafe", "extern", "default"),
		types:     set("trait"), plain: set("struct", "enum", "union", "type"), spaces: set("impl", "mod"), funcs: set("fn", "macro_rules"), vars: set("const", "static"),
	}
	php := &dialect{
		name: "php", slashes: true, hash: true, block: true, single: true, multiline: true, heredoc: "<<<",
		modifiers: set("public", "private", "protected", "static", "final", "abstract", "readonly", "var"),
		types:     set("class", "interface", "trait", "enum"), spaces: set("namespace"), funcs: set("function"), vars: set("const"),
	}
	kotlin := &dialect{
		name: "kt", slashes: true, block: true, nested: true, triple: true, rawTriple: true, chars: true, code: "${", codeIn: '"', newlines: true, escapedWords: true,
		modifiers: set("public", "private", "protected", "internal", "open", "abstract", "final", "override", "suspend", "inline", "data", "sealed", "enum", "annotation", "inner",
			"value", "const", "lateinit", "operator", "infix", "tailrec", "external", "expect", "actual", "companion", "vararg"),
		types: set("class", "interface", "object"), plain: set("typealias"), funcs: set("fun"), vars: set("val", "var"),
	}
	swift := &dialect{
		name: "swift", slashes: true, block: true, nested: true, triple: true, code: `\(`, codeIn: '"', newlines: true, escapedWords: true,
		modifiers: set("public", "private", "fileprivate", "internal", "open", "static", "final", "override", "mutating", "nonmutating", "lazy", "weak", "unowned", "required",
			"convenience", "indirect", "dynamic", "optional", "async", "nonisolated"),
		types: set("class", "struct", "enum", "protocol", "actor"), plain: set("typealias"), spaces: set("extension"), funcs: set("func"), vars: set("let", "var"),
	}
	m := map[string]*dialect{".java": java, ".cs": cs, ".c": c, ".rs": rust, ".php": php, ".kt": kotlin, ".kts": kotlin, ".swift": swift}
	for _, ext := range []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"} {
		m[ext] = js
	}
	for _, ext := range []string{".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"} {
		m[ext] = cpp
	}
	return m
}
