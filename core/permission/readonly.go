package permission

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// reader is a line of the table of commands that only read.
type reader struct {
	names string // programs, with blanks between them
	note  string // which of their uses, for people
	// opens says that it opens the files its words name, so that a word made at run
	// time may be any file.
	opens bool
	// only reports whether the arguments leave it a reader; nil is always.
	only func(args []word) bool
	// deep reports whether it reads the content of all that lies below a directory.
	deep func(args []word) bool
}

// readers is the table. A program is in it only when every option that writes,
// or that starts another program, is told from the others.
func readers() []reader {
	return []reader{
		{names: "true false : exit return break continue wait shift pwd whoami id groups uptime nproc tty uname which whereis type basename dirname seq sleep expr echo"},
		{names: "cd pushd popd", note: "to a directory that may be read"},
		{names: "printf", note: "without -v", only: func(args []word) bool {
			return len(args) == 0 || !args[0].splits && !mayBegin(&args[0], "-v")
		}},
		{names: "test [", note: "without -v and -R", only: isTest},
		{names: "set", note: "with -e, -u, -x and -o pipefail", only: func(args []word) bool {
			return all(args, func(w word) bool {
				return oneOf(w.text, "pipefail errexit nounset xtrace") || isOption(w) && strings.Trim(w.text[1:], "euxo") == ""
			})
		}},
		{names: "command", note: "with -v or -V", only: func(args []word) bool {
			return len(args) > 1 && (args[0].text == "-v" || args[0].text == "-V")
		}},
		{names: "hostname", note: "without a name", only: func(args []word) bool {
			return all(args, func(w word) bool { return oneOf(w.text, "-s -f -i -I -d -A") })
		}},
		{names: "locale", note: "alone or with -a", only: func(args []word) bool {
			return all(args, func(w word) bool { return w.text == "-a" })
		}},
		{names: "ps", note: "without the environment", only: func(args []word) bool {
			return all(args, func(w word) bool { return !w.dynamic && !strings.ContainsAny(strings.TrimPrefix(w.text, "-e"), "eE") })
		}},
		{names: "date", note: "without -s, -f and -r and without a date to set", only: func(args []word) bool {
			return all(args, func(w word) bool {
				return !(w.dynamic && mayBegin(&w, "-")) && !w.splits && (strings.HasPrefix(w.text, "+") || isOption(w)) && !bans(w, "s", "--set")
			})
		}},
		{names: "ls cat head tail nl tac rev cut tr paste comm join fold fmt column expand unexpand od hexdump hd strings stat df readlink realpath cmp " +
			"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum free", opens: true},
		{names: "wc du", note: "without --files0-from", opens: true},
		{names: "jq", note: "without -L, -f and modules", opens: true, only: func(args []word) bool {
			return all(args, func(w word) bool { return !strings.Contains(w.text, "import") && !strings.Contains(w.text, "include") })
		}},
		{names: "file", note: "without -C, -f, -m and -z", opens: true},
		{names: "base64", note: "without -o", opens: true},
		{names: "uniq", note: "with one file at most", opens: true, only: func(args []word) bool {
			operands, _ := split(args)
			return len(operands) < 2 && all(operands, func(w word) bool { return !w.dynamic || !w.splits && !strings.ContainsAny(w.text, "*?[") })
		}},
		{names: "sort", note: "without -o, -T, --files0-from and --compress-program", opens: true},
		{names: "tree", note: "without -o and -R", opens: true},
		{names: "diff", note: "without -l, --from-file and --to-file", opens: true, deep: always},
		{names: "grep egrep fgrep", opens: true, deep: flagged("rRd", "--recursive", "--dereference-recursive", "--directories")},
		{names: "rg", note: "without --pre, --hostname-bin and -z", opens: true, deep: always},
		{names: "find", note: "without -delete, -exec, -execdir, -ok, -okdir, -fls, -fprint and -files0-from", opens: true, only: findReads},
		{names: "sed", note: "that prints, deletes or substitutes to its output", opens: true, only: sedReads},
		{names: "go", note: "version, doc, and env without -w and -u", only: goReads},
		{names: "node npm bun deno python python3 pip pip3 ruby gem perl php java javac gcc g++ clang make cmake docker gh", note: "--version alone", only: func(args []word) bool {
			return len(args) == 1 && args[0].text == "--version"
		}},
		{names: "git", note: gitNote(), opens: true, only: gitReads, deep: gitSearches},
	}
}

// table finds the line of a program.
var table = sync.OnceValue(func() map[string]reader {
	lines := map[string]reader{}
	for _, line := range readers() {
		for name := range strings.FieldsSeq(line.names) {
			lines[name] = line
		}
	}
	return lines
})

// ReadOnlyCommands lists, for people, the commands that Policy.ReadOnlyCommands
// lets run: a program or several, and which of their uses.
func ReadOnlyCommands() []string {
	var list []string
	for _, line := range readers() {
		text := line.names
		if line.note != "" {
			text += ": " + line.note
		}
		list = append(list, text)
	}
	return list
}

// onlyReads reports whether a step can do nothing but read.
func (h *hearing) onlyReads(s *step) bool {
	return h.reading(s) && (s.words[0].text != "git" || h.inRepository(s))
}

// reading is onlyReads for a git command in a repository that is known.
func (h *hearing) reading(s *step) bool {
	if s.limit != byPattern || s.opaque || h.PowerShell || len(s.words) == 0 {
		return false
	}
	line, ok := table()[s.words[0].text]
	args := s.words[1:]
	if !ok || line.only != nil && !line.only(args) || !plainUse(s.words) {
		return false
	}
	e, _ := effectsIn(s.words)
	options := line.only != nil || e.runs+e.marks+e.writes != ""
	if line.opens && slices.ContainsFunc(args, func(w word) bool { return anyFile(&w, options) }) {
		return false
	}
	if h.Home == "" && slices.ContainsFunc(args, func(w word) bool { return w.start == '~' }) {
		return false // a shell knows another home
	}
	return line.deep == nil || !line.deep(args) || !h.holdsSecrets(s)
}

// plainUse reports whether a command has no option that runs, writes or opens more
// than its words say.
func plainUse(words []word) bool {
	e, from := effectsIn(words)
	for i := from; i < len(words); i++ {
		w := &words[i]
		for _, list := range [...]string{e.runs, e.marks, e.writes, e.into, e.opens} {
			if list != "" && e.among(list, w) {
				return false
			}
		}
	}
	return true
}

// anyFile reports whether a word may name a file that nobody can tell, or become an
// option where these count.
func anyFile(w *word, options bool) bool {
	if w.noPath {
		return true
	}
	return w.dynamic && w.start == 0 && options && mayBegin(w, "-") // a glob
}

// holdsSecrets reports whether a hidden or secret path lies below what a command
// searches.
func (h *hearing) holdsSecrets(s *step) bool {
	operands, _ := split(s.words[1:])
	needs := 2 // operands, or it searches the directory it is in
	if s.words[0].text == "git" {
		compares := slices.ContainsFunc(s.words, func(w word) bool { return w.text == "--no-index" })
		if operands, needs = gitOperands(s.words); needs == 0 && len(operands) < 2 && !compares {
			return false
		}
	}
	below := func(name string) bool {
		return slices.ContainsFunc(slices.Concat(h.Places.Hidden, h.Places.Secrets), func(place string) bool {
			place = filepath.ToSlash(place)
			return h.within(name, place) || strings.ContainsAny(name, "*?[") && globsMeet(elements(name), elements(place), true)
		})
	}
	at := h.gitAt(s)
	if len(operands) < needs && slices.ContainsFunc(at.names, below) {
		return true
	}
	return slices.ContainsFunc(operands, func(w word) bool {
		name, ok := w.path(filepath.ToSlash(h.Home))
		paths, _ := h.reaches(at, name)
		return !ok || slices.ContainsFunc(paths, func(p reach) bool { return below(p.given) || below(p.real) })
	})
}

// mayBegin reports whether a word may begin with head when the command runs.
func mayBegin(w *word, head string) bool {
	if !w.dynamic {
		return strings.HasPrefix(w.text, head)
	}
	known, _, _ := strings.Cut(w.pattern, "*")
	if at := strings.IndexAny(known, "?["); at >= 0 {
		known = known[:at]
	}
	return w.splits || strings.HasPrefix(known, head) || strings.HasPrefix(head, known)
}

func always([]word) bool { return true }

func all(args []word, ok func(word) bool) bool {
	return !slices.ContainsFunc(args, func(w word) bool { return !ok(w) })
}

// bans reports whether a word is a short option with one of letters, or one of the
// long options, abbreviated or with a value.
func bans(w word, letters string, long ...string) bool {
	if !strings.HasPrefix(w.text, "-") || w.text == "--" {
		return false
	}
	if !strings.HasPrefix(w.text, "--") {
		return strings.ContainsAny(w.text[1:], letters)
	}
	name, _, _ := strings.Cut(w.text, "=")
	return slices.ContainsFunc(long, func(l string) bool { return strings.HasPrefix(l, name) })
}

// flagged is a use that has one of some options.
func flagged(letters string, long ...string) func([]word) bool {
	return func(args []word) bool {
		return slices.ContainsFunc(args, func(w word) bool { return bans(w, letters, long...) })
	}
}

// isTest accepts a test that evaluates no name: test -v runs the commands in a
// subscript.
func isTest(args []word) bool {
	if len(args) > 0 && args[len(args)-1].text == "]" {
		args = args[:len(args)-1]
	}
	if len(args) == 1 && args[0].splits {
		return false
	}
	return all(args, func(w word) bool { return w.text != "-v" && w.text != "-R" })
}

func findReads(args []word) bool {
	return all(args, func(w word) bool {
		return !oneOf(w.text, "-delete -exec -execdir -ok -okdir")
	})
}

func goReads(args []word) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0].text {
	case "version", "doc":
		return all(args, func(w word) bool {
			return !w.dynamic && !strings.HasPrefix(w.text, "-http") && !strings.HasPrefix(w.text, "--http")
		})
	case "env":
		return all(args, func(w word) bool {
			return !w.dynamic && !oneOf(strings.TrimLeft(w.text, "-"), "w u") && !strings.Contains(w.text, "=")
		})
	}
	return false
}
