package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A setting of git can run a program later, so what writes one is a fresh review.

// configuration is which of git's configurations a command writes.
type configuration int

const (
	noConfiguration configuration = iota
	ofRepository                  // .git/config
	ofUser                        // ~/.gitconfig
	ofSystem                      // /etc/gitconfig
	ofFile                        // the one that --file names
)

// guardGit judges a git command that writes a configuration.
func (h *hearing) guardGit(v *verdict, s *step) {
	if len(s.words) < 2 || base(s.words[0].text) != "git" {
		return
	}
	g := readGit(s.words)
	at := s.dirs
	for _, w := range g.dirs {
		if name, ok := w.path(filepath.ToSlash(h.Home)); ok && !w.dynamic {
			at = at.enter(name)
		} else {
			at = dirs{unknown: true}
		}
	}
	switch which, file := g.configures(); which {
	case ofRepository:
		h.guardRepository(v, at)
	case ofUser:
		h.guardFile(v, h.reach("/", path.Join(filepath.ToSlash(h.Home), ".gitconfig")), false)
	case ofSystem:
		h.guardFile(v, h.reach("/", "/etc/gitconfig"), false)
	case ofFile:
		if name, ok := file.path(filepath.ToSlash(h.Home)); ok && !file.dynamic {
			paths, _ := h.reaches(at, name)
			for _, p := range paths {
				h.guardFile(v, p, false)
			}
		} else {
			v.raise(Ask, Rule{}, Builtin, "which file it writes is known at run time only")
		}
	case noConfiguration:
		if g.verb() == "init" || g.verb() == "clone" {
			h.guardNew(v, &g, at)
		}
	}
}

// guardRepository makes the writing of a repository's configuration a fresh
// review.
func (h *hearing) guardRepository(v *verdict, at dirs) {
	names := at.names
	if at.unknown || len(names) == 0 {
		names = []string{h.dir}
	}
	for _, dir := range names {
		place := h.configOf(dir)
		v.fresh(Rule{}, Builtin, "it writes "+place+", where a setting can run a program later, so it is asked every time")
		v.release = append(v.release, place)
	}
}

// configOf returns the configuration of the repository that dir lies in: the
// nearest that is known to be protected, or that of dir itself.
func (h *hearing) configOf(dir string) string {
	for at := dir; ; at = path.Dir(at) {
		place := path.Join(at, ".git/config")
		if slices.ContainsFunc(h.Places.Protected, func(known string) bool { return h.same(filepath.ToSlash(known), place) }) {
			return place
		}
		if at == path.Dir(at) {
			return path.Join(dir, ".git/config")
		}
	}
}

// guardNew makes a new repository a fresh review where its configuration is one
// that is protected by name.
func (h *hearing) guardNew(v *verdict, g *gitCall, at dirs) {
	operands, _ := split(g.args())
	if g.verb() == "clone" {
		operands = operands[min(1, len(operands)):]
		if len(operands) == 0 {
			return // it makes a directory of its own
		}
	}
	target := word{text: "."}
	if len(operands) > 0 {
		target = operands[0]
	}
	name, ok := target.path(filepath.ToSlash(h.Home))
	paths, known := h.reaches(at, name)
	if !ok || !known {
		return
	}
	for _, p := range paths {
		if place := path.Join(p.real, ".git/config"); h.in(h.Places.Protected, place) {
			v.fresh(Rule{}, Builtin, whyProtected(place))
			v.release = append(v.release, place)
			if hooks := path.Join(p.real, ".git/hooks"); h.in(h.Places.Protected, hooks) {
				v.release = append(v.release, hooks)
			}
		}
	}
}

// configures says which configuration the command writes, if any.
func (g *gitCall) configures() (which configuration, file word) {
	args := g.args()
	operands, flags := split(args)
	first := ""
	if len(operands) > 0 {
		first = operands[0].text
	}
	writes := false
	switch g.verb() {
	case "config":
		return configWrite(args)
	case "remote":
		writes = oneOf(first, "add remove rm rename set-url set-branches")
	case "push":
		writes = hasFlag(flags, "u", "--set-upstream")
	case "fetch", "pull":
		writes = hasFlag(flags, "", "--set-upstream")
	case "branch":
		writes = hasFlag(flags, "utmMcC", "--set-upstream-to", "--unset-upstream", "--track", "--edit-description", "--move", "--copy") ||
			len(operands) > 1 && len(flags) == 0 && remoteBranch(operands[1])
	case "checkout", "switch":
		writes = hasFlag(flags, "t", "--track") ||
			hasFlag(flags, "bBcC", "--create", "--force-create") && !hasFlag(flags, "", "--no-track") && len(operands) > 1 && remoteBranch(operands[1])
	case "submodule":
		writes = oneOf(first, "add init sync deinit set-url set-branch absorbgitdirs") || first == "update" && hasFlag(flags, "", "--init")
	case "sparse-checkout":
		writes = first != "list" && first != "check-rules"
	case "lfs":
		writes = oneOf(first, "install uninstall update")
	case "maintenance":
		return noConfiguration, word{} // start and register are about the user's schedule and cannot be told by words
	}
	if writes {
		return ofRepository, word{}
	}
	return noConfiguration, word{}
}

// configWrite says which file a git config command writes. Its long options may be
// abbreviated, its short ones stand in a cluster.
func configWrite(args []word) (which configuration, file word) {
	c := configUse{which: ofRepository, sure: true}
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w.splits:
			c.sure = false
		case !isOption(w) || w.text == "-":
			c.operands = append(c.operands, w)
		case strings.HasPrefix(w.text, "--"):
			i += c.long(w, args[i+1:])
		default:
			i += c.short(w, args[i+1:])
		}
	}
	if len(c.operands) > 0 {
		c.reads = c.reads || oneOf(c.operands[0].text, "list get")
		c.writes = c.writes || oneOf(c.operands[0].text, "set unset rename-section remove-section edit")
	}
	if c.sure && !c.writes && (c.reads || len(c.operands) < 2) {
		return noConfiguration, word{}
	}
	return c.which, c.file
}

// configUse is what the arguments of a git config command say.
type configUse struct {
	which         configuration
	file          word
	operands      []word
	reads, writes bool
	sure          bool // every option is known
}

// long reads a long option and returns how many of the words behind it belong to it.
func (c *configUse) long(w word, rest []word) int {
	name, value, joined := strings.Cut(w.text, "=")
	may := func(list string) bool {
		for option := range strings.FieldsSeq(list) {
			if len(name) > 2 && strings.HasPrefix(option, name) {
				return true
			}
		}
		return false
	}
	switch {
	case name == "--" || w.dynamic && !joined:
		c.sure = c.sure && !w.dynamic
	case oneOf(name, "--get --get-all"):
		c.reads = true
	case may("--add --unset --unset-all --replace-all --rename-section --remove-section --edit --append"):
		c.writes = true
	case may("--global"):
		c.which = ofUser
	case may("--system"):
		c.which = ofSystem
	case may("--file") && joined:
		c.which, c.file = ofFile, word{text: value, dynamic: w.dynamic, noPath: w.noPath}
	case may("--file"):
		c.which = ofFile
		if len(rest) > 0 {
			c.file = rest[0]
		}
		return 1
	case may("--get-regexp --get-urlmatch --get-color --get-colorbool --list"):
		c.reads = true
	case may("--type --default --comment --value --url --blob"):
		if !joined {
			return 1
		}
	default:
		c.sure = c.sure && may("--local --worktree --null --name-only --show-origin --show-scope --show-names --includes --no-includes --bool --int --bool-or-int --bool-or-str --path --expiry-date --no-type --fixed-value --all --regexp")
	}
	return 0
}

// short reads a cluster of short options.
func (c *configUse) short(w word, rest []word) int {
	c.sure = c.sure && !w.dynamic
	for i, letter := range w.text[1:] {
		switch letter {
		case 'l':
			c.reads = true
		case 'e':
			c.writes = true
		case 'z':
		case 'f':
			c.which = ofFile
			if c.file = (word{text: w.text[i+2:], dynamic: w.dynamic, noPath: w.noPath}); c.file.text == "" && len(rest) > 0 {
				c.file = rest[0]
				return 1
			}
			return 0
		default:
			c.sure = false
		}
	}
	return 0
}

// remoteBranch reports whether a starting point is a branch of a remote, which a
// new branch then follows.
func remoteBranch(w word) bool {
	return strings.HasPrefix(w.text, "origin/") || strings.HasPrefix(w.text, "upstream/") || strings.Contains(w.text, "remotes/")
}

// hasFlag reports whether one of flags is a short option with one of letters, or
// one of the long options.
func hasFlag(flags []word, letters string, long ...string) bool {
	return slices.ContainsFunc(flags, func(w word) bool {
		if !strings.HasPrefix(w.text, "--") {
			return letters != "" && strings.ContainsAny(w.text[1:], letters)
		}
		name, _, _ := strings.Cut(w.text, "=")
		return slices.ContainsFunc(long, func(l string) bool { return abbreviates(name, l) })
	})
}

// abbreviates reports whether name is long or an abbreviation of it that option
// parsers may take.
func abbreviates(name, long string) bool { return len(name) > 2 && strings.HasPrefix(long, name) }

// oneOf reports whether word is one of the words of list.
func oneOf(word, list string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
