package mention

import (
	"fmt"
	"path"
	"strings"
)

// maxMissing is how many references that lead nowhere are named.
const maxMissing = 5

// extensions are those of files that people name, beside which a word behind an @ is
// no decorator, no package and no person.
const extensions = " bash bat c cc cfg clj cmake conf cpp cs css csv cxx dart erl ex exs fs gif go gradle graphql h hpp hs htm html " +
	"ini ipynb java jpeg jpg js json jsonl jsx kt kts less log lua md mdx mjs mk ml mod nix pdf php png proto ps1 py pyi rb rs " +
	"rst sass scala scss sh sql sum svelte svg swift tex tf toml ts tsv tsx txt vue webp xml yaml yml zig zsh "

// miss notes that t was not found, if it has the shape of a reference.
func (x *expansion) miss(t token) {
	name, why := x.shaped(t)
	if name == "" || x.done["@"+name] {
		return
	}
	x.done["@"+name] = true
	if why != "" {
		x.notice("%s was not read: %s", ref{shown: name}.name(), why)
		return
	}
	x.missing = append(x.missing, ref{shown: name}.name())
}

// tellMissing names what was not found, in one notice.
func (x *expansion) tellMissing() {
	if len(x.missing) == 0 {
		return
	}
	names := strings.Join(x.missing[:min(len(x.missing), maxMissing)], ", ")
	if more := len(x.missing) - maxMissing; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	x.notice("%s: there is no such file or directory, so it stays text", names)
}

// shaped is the part of t that looks like a reference, empty when none does: a path that
// begins as one or in a directory that is there, a name with an extension, or a
// resource of a server that is known and why that cannot be had.
func (x *expansion) shaped(t token) (name, why string) {
	if server, _, ok := strings.Cut(t.text, ":"); ok && x.o.Resources != nil {
		if why, known := x.o.Resources.Lost(server); known {
			return server + ":" + trimURI(strings.TrimPrefix(t.text, server+":")), why
		}
	}
	if t.quoted {
		return x.pathShaped(t.text), ""
	}
	for _, text := range ends(t.text) {
		if strings.ContainsAny(text, `,;!?()[]{}<>"'|#*$@`+"`") {
			continue // code, which goes on behind a name
		}
		if name := x.pathShaped(text); name != "" {
			return name, ""
		}
	}
	return "", ""
}

// pathShaped is text, without a place in the file, if it looks like a path.
func (x *expansion) pathShaped(text string) string {
	if name, _, ok := cutRange(text); ok {
		text = name
	}
	if !plausible(text) || strings.Contains(text, "://") {
		return ""
	}
	if ext := path.Ext(text); ext != path.Base(text) && len(ext) > 1 && strings.Contains(extensions, " "+strings.ToLower(ext[1:])+" ") {
		return text
	}
	for _, prefix := range []string{"./", "../", "~/"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok && strings.Trim(rest, "./") != "" {
			return text
		}
	}
	slash := strings.IndexByte(text[1:], '/') + 1
	if slash == 0 || strings.Trim(text[slash:], "/") == "" {
		return ""
	}
	if _, there := x.onDisk(text[:slash+1], lines{}); !there {
		return "" // a package, perhaps, as in @types/node
	}
	return text
}
