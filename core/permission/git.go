package permission

import (
	"slices"
	"strings"
)

// gitCall is a git command with its own options taken away.
type gitCall struct {
	words     []word   // git, the verb and its arguments
	dirs      []word   // of -C, in order
	elsewhere bool     // an option names a repository or a program elsewhere
	settings  []string // of -c
	ok        bool     // every option before the verb is understood
}

// verb is the subcommand, "" when there is none or it is made at run time.
func (g *gitCall) verb() string {
	if len(g.words) < 2 || g.words[1].dynamic {
		return ""
	}
	return g.words[1].text
}

func (g *gitCall) args() []word { return g.words[min(2, len(g.words)):] }

// readGit takes the words of a git command apart. Most commands have no option
// before the verb and share words.
func readGit(words []word) gitCall {
	g := gitCall{ok: true}
	at := 1
	for at < len(words) && !words[at].dynamic && strings.HasPrefix(words[at].text, "-") {
		name, _, joined := strings.Cut(words[at].text, "=")
		at++
		switch name {
		case "--no-pager", "-P", "-p", "--paginate", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs", "--no-lazy-fetch",
			"--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "--version", "--help", "-v", "-h", "--html-path", "--man-path", "--info-path":
			continue
		case "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--attr-source", "--super-prefix":
			g.elsewhere = true
			if joined || name == "--exec-path" {
				continue
			}
		case "--bare": // it takes the directory it is in for one
			g.elsewhere = true
			continue
		case "-C", "-c":
		default:
			g.ok = false
			continue
		}
		if at == len(words) || words[at].splits {
			g.ok = false
			break
		}
		if name == "-C" {
			g.dirs = append(g.dirs, words[at])
		} else if name == "-c" {
			g.settings = append(g.settings, words[at].text)
		}
		at++
	}
	if at == 1 {
		g.words = words
	} else {
		g.words = append(words[:1:1], words[min(at, len(words)):]...)
	}
	return g
}

// git records a git command: one whose options or verb start programs is covered
// by no pattern, and what they start counts for deny and ask rules.
func (a *analysis) git(s step) outcome {
	g := readGit(s.words)
	if !g.ok || g.elsewhere {
		s.restrict(byText, "an option before its verb is about another repository or program")
	}
	for _, setting := range g.settings {
		if key, value, _ := strings.Cut(setting, "="); !harmlessSetting(key) {
			s.restrict(byText, "its setting "+key+" may start a program")
			s.maybe = append(s.maybe, a.guess(strings.TrimPrefix(value, "!"))...)
			if len(key) > len("alias.") && strings.EqualFold(key[:len("alias.")], "alias.") {
				s.maybe = append(s.maybe, a.guess("git "+value)...)
			}
		}
	}
	if s.configuredElsewhere() {
		s.obscure("variables may hold settings of git, an alias among them")
	}
	if g.ok && len(g.words) != len(s.words) {
		s.git = g.words
	}
	if firstRisk(s.words).at > 0 {
		for i, w := range g.args() {
			s.maybe = append(s.maybe, a.values(w.text)...)
			if !isSetting(w) {
				s.maybe = append(s.maybe, g.args()[i:])
			}
		}
	}
	a.add(s)
	return stays(s.dirs)
}

// configuredElsewhere reports whether settings of a git command come from variables, so
// that its words do not say what it does.
func (s *step) configuredElsewhere() bool {
	return slices.ContainsFunc(s.set, func(v setBefore) bool { return strings.HasPrefix(v.text, "GIT_CONFIG_") && !v.free }) ||
		slices.ContainsFunc(s.words[1:], func(w word) bool { return w.text == "--config-env" || strings.HasPrefix(w.text, "--config-env=") })
}

// harmlessSetting reports whether a key of git's configuration only changes how
// things look or who signs them.
func harmlessSetting(key string) bool {
	key = strings.ToLower(key)
	switch key {
	case "user.name", "user.email", "core.quotepath", "core.autocrlf", "core.longpaths", "core.abbrev", "init.defaultbranch", "commit.gpgsign", "tag.gpgsign",
		"safe.directory", "gc.auto", "protocol.version", "diff.renames", "diff.renamelimit", "merge.conflictstyle", "pull.rebase", "pull.ff", "push.default", "rebase.autostash", "log.showsignature", "log.date":
		return true
	}
	return strings.HasPrefix(key, "color.") || strings.HasPrefix(key, "advice.") || strings.HasPrefix(key, "column.")
}
