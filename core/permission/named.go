package permission

import (
	"path/filepath"
	"strings"
	"sync"
)

// guardNamed makes a command a fresh review that names a protected place, where nobody
// knows that its program only reads what it names. A rule that says just this command
// counts.
func (h *hearing) guardNamed(v *verdict, s *step) {
	if s.free || s.inert || len(s.words) < 2 || h.PowerShell || readsOperands(s.words) {
		return
	}
	from := 1
	if runsOperand(s.words) {
		from = 2 // it is started, and not written
	}
	for i := from; i < len(s.words); i++ {
		w := &s.words[i]
		if len(w.others)+len(w.values) == 0 {
			h.namesPlace(v, s, w)
			continue
		}
		for _, w := range w.alternatives() {
			h.namesPlace(v, s, &w)
		}
	}
	for _, words := range s.maybe { // env -S 'tool x'
		if len(words) > 1 && !readsOperands(words) {
			for i := range words[1:] {
				h.namesPlace(v, s, &words[1+i])
			}
		}
	}
}

// namesPlace checks what a word is, and what it holds behind an option.
func (h *hearing) namesPlace(v *verdict, s *step, w *word) {
	name, ok := w.path(filepath.ToSlash(h.Home))
	if !ok || w.dynamic && w.start == 0 {
		text, known := h.standing(s, w.text)
		if !known || w.glob() {
			if !h.namedCommand(s) {
				h.guardShape(v, w.pattern, false)
			}
			return
		}
		name = text
	}
	h.placeAt(v, s, name)
	if _, value, ok := strings.Cut(name, "="); ok {
		h.placeAt(v, s, value)
	}
	if len(name) > 2 && name[0] == '-' && name[1] != '-' {
		h.placeAt(v, s, name[2:])
	}
}

func (h *hearing) placeAt(v *verdict, s *step, name string) {
	name = strings.TrimPrefix(name, "file://")
	if name == "" || len(name) > maxName {
		return
	}
	name = h.expand(name)
	paths, known := h.reaches(s.dirs, name)
	if !known {
		paths, _ = h.mayReach(s.dirs, name)
	}
	for _, p := range paths {
		for _, name := range p.names() {
			if place, ok := h.protection(name); ok && !onlyHolds(name) && !h.namedCommand(s) {
				v.fresh(Rule{}, Builtin, whyNamed(s.words[0].text, place))
				v.release = append(v.release, place)
			}
		}
	}
}

// maxName bounds, in bytes, what is taken for a path.
const maxName = 4096

func whyNamed(program, place string) string {
	return program + " may write " + place + ", which can run or allow things later, so it is asked every time"
}

// readsOperands reports whether a program is known to write nothing that its words name
// but what written says of it.
func readsOperands(words []word) bool {
	if words[0].dynamic {
		return false
	}
	name := base(words[0].text)
	if name == "git" {
		g := readGit(words)
		return g.ok && !oneOf(g.verb(), "submodule read-tree index-pack pack-objects fast-import difftool mergetool filter-branch") && !startsAlways(g.verb())
	}
	return knowing()[name] && !(name == "go" && oneOf(words[1].text, "run test generate tool"))
}

// knowing are the programs whose operands are known.
var knowing = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range table() {
		names[name] = !oneOf(name, onlyByOption)
	}
	for name := range strings.FieldsSeq(knownOperands) {
		names[name] = true
	}
	return names
})

// onlyByOption are the programs of the table of readers that are there for one option
// alone and run what they are given otherwise.
const onlyByOption = "command node npm bun deno python python3 pip pip3 ruby gem perl php java javac gcc g++ clang make cmake docker"

// knownOperands are programs of which written knows what they write, and some that only
// show or check.
const knownOperands = "cp mv ln link rm rmdir unlink shred mkdir touch tee truncate mkfifo mknod chmod chown chgrp install scp ditto dd sed gsed awk gawk mawk rsync patch " +
	"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd zcat bzcat xzcat strip dos2unix unix2dos split xxd zip unzip tar gtar bsdtar curl wget shuf iconv sponge vi vim nvim nano ed ex emacs " +
	"gofmt gofumpt goimports shfmt prettier clang-format yq autopep8 yapf black isort rustfmt go gh source . export declare local readonly typeset unset read alias trap eval less more bat batcat delta " +
	"ag ack fd fdfind shellcheck yamllint jsonlint actionlint hadolint taplo code cursor subl open xdg-open ssh lsof fuser getfacl lsattr namei cloc tokei column nl xmllint pygmentize dircolors cksum mktemp virtualenv sqlite3"

// runsOperand reports whether the first argument is a program that an interpreter runs.
func runsOperand(words []word) bool {
	name := base(words[0].text)
	return (isShell(name) || strings.HasPrefix(name, "python") || oneOf(name, "node ruby perl php bun deno")) && !words[1].dynamic && !isOption(words[1])
}
