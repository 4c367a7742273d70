package permission

import "strings"

// interprets reports whether a program runs code that its arguments or its input
// hold.
func interprets(name string) bool {
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "irb", "perl", "php", "lua", "luajit", "tclsh", "osascript", "Rscript", "julia", "guile", "ts-node", "tsx", "psql", "sqlite", "mysql":
		return true
	}
	return false
}

// readsCode reports whether a command runs what it reads from its input: an
// interpreter without a script.
func readsCode(words []word) bool {
	name := base(words[0].text)
	if !isShell(name) && !interprets(name) {
		return false
	}
	for _, w := range words[1:] {
		switch {
		case isShell(name) && strings.HasPrefix(w.text, "-") && w.text != "-s" && !strings.Contains(w.text, "c"):
		case w.text == "-" || w.text == "-s" && isShell(name):
			return true
		case !strings.HasPrefix(w.text, "-"):
			return false
		case len(w.text) > 1 && w.text[1] != '-' && strings.ContainsAny(w.text[1:], "cemprEn"):
			return false
		case w.text == "--version" || w.text == "--help" || w.text == "--eval" || w.text == "--print" || w.text == "-V" || w.text == "-v" || w.text == "-h":
			return false
		}
	}
	return true
}
