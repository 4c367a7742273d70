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

// readsCode reports whether a command runs what it reads from its input: a shell
// or an interpreter without a script.
func readsCode(words []word) bool {
	name := base(words[0].text)
	switch {
	case isShell(name):
		_, how := scriptOf(words)
		return how == scriptRead || how == scriptUnknown
	case !interprets(name):
		return false
	}
	for _, w := range words[1:] {
		switch {
		case w.text == "-":
			return true
		case !strings.HasPrefix(w.text, "-"):
			return false
		case w.text[1] != '-' && (strings.ContainsAny(w.text[1:], "cempE") || name == "php"):
			return false
		case oneOf(w.text, "--version --help --eval --print --test --check --run -V -v -h"):
			return false
		}
	}
	return true
}
