package permission

import (
	"path"
	"slices"
	"strings"
)

// operand is a word that a command writes to. whole says that what lies below goes
// with it, into that it is a directory in which names are made that nobody knows,
// made that it becomes a directory at most, leads that a link leads to it, named that
// only the rules about files count.
type operand struct {
	word
	whole, into, made, leads, named bool
}

// arguments are those of a command, taken apart by its table of effects.
type arguments struct {
	operands []word
	flags    []word
	written  []operand // values of options that are written
}

// argumentsOf takes the arguments of a command apart, so that the value of an option
// that writes is no operand.
func argumentsOf(words []word, e effects, from int) (a arguments) {
	ended := false
	for i := from; i < len(words); i++ {
		w := words[i]
		switch {
		case ended || !isOption(w) || w.text == "-" || w.dynamic && w.text[0] != '-':
			a.operands = append(a.operands, w)
			continue
		case !w.dynamic && w.text == "--":
			ended = true
			continue
		}
		a.flags = append(a.flags, w)
		for _, kind := range [...]struct {
			list string
			into bool
		}{{e.writes, false}, {e.into, true}} {
			option := e.which(kind.list, &w)
			if option == "" {
				continue
			}
			value, joined := valueOf(option, &w)
			if !joined {
				if i++; i == len(words) {
					return a
				}
				value = words[i]
			}
			a.written = append(a.written, operand{word: value, into: kind.into})
			break
		}
	}
	return a
}

// which returns the option of list that a word is, "" for none.
func (e *effects) which(list string, w *word) string {
	for option := range strings.FieldsSeq(list) {
		if e.is(option, w.text) {
			return option
		}
	}
	return ""
}

// valueOf returns what is joined to an option; not joined, it is the next word.
func valueOf(option string, w *word) (value word, joined bool) {
	rest := ""
	switch option = strings.TrimSuffix(option, "*"); {
	case strings.Contains(w.text, "="):
		_, rest, _ = strings.Cut(w.text, "=")
	case len(option) == 2 && option[1] != '-' && !strings.HasPrefix(w.text, "--"):
		rest = w.text[strings.IndexByte(w.text[1:], option[1])+2:]
	}
	if rest == "" {
		return word{}, false
	}
	value = word{text: rest, dynamic: w.dynamic, noPath: w.noPath, made: w.made, splits: w.splits}
	if at := strings.LastIndex(w.pattern, rest); at >= 0 {
		value.pattern = rest
	} else if w.dynamic {
		_, value.pattern, _ = strings.Cut(w.pattern, "=")
	}
	for _, v := range w.values {
		if text, ok := strings.CutPrefix(v, w.text[:len(w.text)-len(rest)]); ok {
			value.values = append(value.values, text)
		}
	}
	return value, true
}

// written returns the words that well-known commands write to.
func written(words []word) []operand {
	if len(words) < 2 || words[0].dynamic {
		return nil
	}
	e, from := effectsIn(words)
	name := base(words[0].text)
	if e.writes+e.into == "" && !writer(name) {
		return nil
	}
	a := argumentsOf(words, e, from)
	list := a.written
	all := func(o operand, from int) {
		for _, w := range a.operands[min(from, len(a.operands)):] {
			o.word = w
			list = append(list, o)
		}
	}
	switch name {
	case "rm", "rmdir", "unlink", "shred", "mv":
		all(operand{whole: true}, 0)
		if name == "mv" {
			list = append(list, into(words, name)...)
		}
	case "mkdir":
		all(operand{made: true}, 0)
	case "touch", "tee", "truncate", "mkfifo", "mknod", "sponge", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "strip", "dos2unix", "unix2dos":
		all(operand{}, 0)
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd":
		list = append(list, packed(a)...)
	case "chmod", "chown", "chgrp":
		all(operand{whole: true}, 1)
	case "ln", "link":
		all(operand{leads: true}, 0) // it can be written through the link
		list = append(list, into(words, name)...)
		list = append(list, led(a.operands)...)
	case "cp", "install", "rsync", "scp", "ditto":
		list = append(list, into(words, name)...)
	case "gofmt", "gofumpt", "goimports", "shfmt", "prettier":
		if slices.ContainsFunc(a.flags, func(w word) bool { return w.text == "--w" || bans(w, "w", "--write") }) {
			all(operand{}, 0)
		}
	case "clang-format", "yq", "autopep8", "yapf":
		if slices.ContainsFunc(a.flags, inPlace) {
			all(operand{}, 0)
		}
	case "black", "isort", "rustfmt":
		all(operand{}, 0)
	case "split", "uniq", "xxd":
		all(operand{}, 1)
	case "patch":
		all(operand{}, 0)
	case "zip":
		list = append(list, operand{word: append(a.operands, word{})[0]})
	case "dd":
		for _, w := range a.operands {
			if name, ok := strings.CutPrefix(w.text, "of="); ok {
				_, pattern, _ := strings.Cut(w.pattern, "=")
				list = append(list, operand{word: word{text: name, dynamic: w.dynamic, noPath: w.noPath, pattern: pattern}})
			}
		}
	case "sed", "perl", "ruby", "gsed":
		if slices.ContainsFunc(a.flags, inPlace) {
			a.operands = scriptless(words[1:])
			all(operand{}, 0)
		}
	case "find":
		list = append(list, found(words[1:])...)
	case "tar", "gtar", "bsdtar", "unzip", "wget", "curl":
		list = append(list, unpacked(name, words, a)...)
	case "git":
		list = append(list, workTrees(words[:from])...)
		list = append(list, gitWritten(words[from-1].text, a)...)
	case "cargo":
		if len(a.operands) > 1 && oneOf(a.operands[0].text, "new init") {
			all(operand{whole: true}, 1)
		}
	case "virtualenv", "mktemp", "sqlite3":
		all(operand{whole: name == "virtualenv"}, 0)
	case "awk", "gawk", "mawk":
		if slices.ContainsFunc(a.operands, func(w word) bool { return oneOf(w.text, "inplace inplace.awk") }) {
			all(operand{}, 0)
		}
	default:
		if strings.HasPrefix(name, "python") && len(a.operands) > 1 && oneOf(a.operands[0].text, "venv virtualenv") {
			all(operand{whole: true}, 1)
		}
	}
	return list
}

// packed are the files that a program which packs others makes in their place, or takes
// them out to.
func packed(a arguments) (list []operand) {
	for _, w := range a.operands {
		list = append(list, operand{word: w})
		if dot := strings.LastIndexByte(w.text, '.'); dot > 0 && !w.dynamic {
			w.text = w.text[:dot]
			list = append(list, operand{word: w})
		}
	}
	return list
}

// writer reports whether written knows a program besides those whose options write.
func writer(name string) bool {
	switch name {
	case "rm", "rmdir", "unlink", "shred", "mv", "touch", "mkdir", "tee", "truncate", "mkfifo", "mknod", "chmod", "chown", "chgrp", "cp", "ln", "install", "scp", "ditto", "link", "dd", "sed", "gsed", "perl", "ruby",
		"sponge", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "strip", "dos2unix", "unix2dos", "uniq", "xxd", "zip",
		"cargo", "virtualenv", "mktemp", "sqlite3", "awk", "gawk", "mawk",
		"gofmt", "gofumpt", "goimports", "shfmt", "prettier", "clang-format", "yq", "autopep8", "yapf", "black", "isort", "rustfmt":
		return true
	}
	return strings.HasPrefix(name, "python")
}

// unpacked are what programs write that make files of names nobody knows, in the
// directory they are in unless an option says another, and the archives they make.
func unpacked(name string, words []word, a arguments) (list []operand) {
	here := operand{word: word{text: "."}, into: true}
	switch name {
	case "curl":
		if slices.ContainsFunc(a.flags, func(w word) bool { return bans(w, "OJ", "--remote-name", "--remote-name-all", "--remote-header-name") }) && !hasInto(a) {
			return []operand{here}
		}
		return nil
	case "unzip":
		if hasInto(a) || slices.ContainsFunc(a.flags, func(w word) bool { return bans(w, "lptvZz") }) {
			return nil
		}
		return []operand{here}
	case "wget":
		if len(a.written) > 0 {
			return nil
		}
		return []operand{here}
	}
	modes := strings.TrimPrefix(words[1].text, "-") // tar
	if strings.HasPrefix(words[1].text, "--") {
		modes = ""
	}
	has := func(letters string, long ...string) bool {
		return strings.ContainsAny(modes, letters) || slices.ContainsFunc(a.flags, func(w word) bool { return bans(w, letters, long...) })
	}
	switch {
	case has("x", "--extract", "--get"):
		if !hasInto(a) {
			list = append(list, here)
		}
	case has("cruA", "--create", "--append", "--update", "--concatenate", "--delete"):
		list = nil
		for i, w := range words[1:] {
			file, joined := strings.CutPrefix(w.text, "--file=")
			switch {
			case joined:
				return []operand{{word: word{text: file}}}
			case w.text == "--file" || (i == 0 || isOption(w)) && !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "f"):
				return []operand{{word: append(words, word{})[i+2]}}
			}
		}
	default: // it lists
	}
	return list
}

func hasInto(a arguments) bool {
	return slices.ContainsFunc(a.written, func(o operand) bool { return o.into })
}

// gitWritten are the paths that git moves, removes or puts back.
func gitWritten(verb string, a arguments) (list []operand) {
	switch verb {
	case "worktree":
		return worktrees(a)
	case "checkout-index":
		for i := range a.written { // what it makes begins so
			w := &a.written[i].word
			w.text = w.text[:strings.LastIndexByte(w.text, '/')+1]
		}
		return nil
	case "mv":
		return append(wholes(a.operands), into(append([]word{{text: "mv"}}, a.operands...), "mv")...)
	case "rm", "restore":
		return wholes(a.operands)
	case "clone", "init":
		return wholes(a.operands[min(len(a.operands), map[string]int{"clone": 1}[verb]):])
	case "bundle":
		if len(a.operands) > 1 && a.operands[0].text == "create" {
			return []operand{{word: a.operands[1]}}
		}
		return nil
	case "checkout":
		list = wholes(slices.DeleteFunc(a.operands, func(w word) bool { return w.noPath })) // that is a branch
	case "clean":
		if len(a.operands) == 0 {
			a.operands = []word{{text: "."}}
		}
		list = wholes(a.operands)
	}
	for i := range list { // git keeps its own files
		list[i].named = true
	}
	return list
}

// workTrees are the directories that options before the verb of git make its working
// tree.
func workTrees(words []word) (list []operand) {
	for i, w := range words {
		value, joined := strings.CutPrefix(w.text, "--work-tree=")
		switch {
		case joined:
			list = append(list, operand{word: word{text: value, dynamic: w.dynamic, noPath: w.noPath}, whole: true})
		case w.text == "--work-tree" && i+1 < len(words):
			list = append(list, operand{word: words[i+1], whole: true})
		}
	}
	return list
}

// worktrees are the directories that git worktree makes, moves and removes.
func worktrees(a arguments) (list []operand) {
	if len(a.operands) < 2 || !oneOf(a.operands[0].text, "add move remove") {
		return nil
	}
	for _, w := range a.operands[1:] { // the value of -b is among them
		list = append(list, operand{word: w, whole: true})
	}
	return list
}

func wholes(words []word) (list []operand) {
	for _, w := range words {
		list = append(list, operand{word: w, whole: true})
	}
	return list
}

func inPlace(w word) bool {
	return strings.HasPrefix(w.text, "--in-place") || isOption(w) && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "i")
}

// into returns what cp and its kin write: the last operand or the one of -t, and in
// it the names of the others.
func into(words []word, program string) []operand {
	e := effects{}
	if oneOf(program, "cp mv ln install") {
		e.into = "-t --target-directory"
	}
	a := argumentsOf(words, e, 1)
	operands := a.operands
	var to word
	switch {
	case len(a.written) > 0:
		to = a.written[0].word
		to.text, to.rest = to.text+"/", to.rest+"/"
	case program == "ln" && len(operands) == 1:
		to = word{text: "./"}
	case len(operands) > 0:
		to, operands = operands[len(operands)-1], operands[:len(operands)-1]
	default:
		return nil
	}
	list := []operand{{word: to}}
	for _, from := range operands {
		if from.dynamic {
			from.text = "*"
		}
		if len(operands) > 1 || isDirectory(to.text) || to.dynamic {
			in := to
			in.text, in.rest = path.Join(to.text, path.Base(from.text)), path.Join("/", to.rest, path.Base(from.text))
			in.pattern = path.Join(to.pattern, path.Base(from.text))
			in.values = nil
			for _, v := range to.values {
				in.values = append(in.values, path.Join(v, path.Base(from.text)))
			}
			if from.text != "*" {
				list = append(list, operand{word: in})
			}
		}
	}
	return list
}

// isDirectory reports whether a name looks like that of a directory.
func isDirectory(name string) bool {
	last := path.Base(name)
	return strings.HasSuffix(name, "/") || strings.HasPrefix(last, ".") && !strings.Contains(strings.TrimLeft(last, "."), ".")
}

// split tells operands from options.
func split(args []word) (operands, flags []word) {
	for i, w := range args {
		if !w.dynamic && w.text == "--" {
			return append(operands, args[i+1:]...), flags
		}
		if isOption(w) && w.text != "-" {
			flags = append(flags, w)
		} else {
			operands = append(operands, w)
		}
	}
	return operands, flags
}
