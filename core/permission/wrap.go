package permission

import (
	"slices"
	"strings"
)

// unwrap finds the commands that c starts on behalf of its arguments: sudo rm,
// xargs rm, find -exec rm, bash -c 'rm'. They count for deny and ask rules. A
// wrapper's own options are not parsed; an argument in their place that is the
// name of a denied program is taken for it.
func (a *analysis) unwrap(c *command) {
	args := c.words[1:]
	switch name := base(c.words[0].text); name {
	case "eval", "source", ".", "trap", "alias":
		c.forbid("it runs text or a file as a script")
		if name == "eval" || name == "trap" || name == "alias" {
			a.nested(c, args)
		}
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "su":
		if slices.ContainsFunc(args, func(w word) bool { return isRunFlag(w.text) }) {
			c.forbid("it runs text as a script")
			a.nested(c, args)
		}
	case "find", "fd":
		for i, w := range args {
			if strings.HasPrefix(w.text, "-exec") || strings.HasPrefix(w.text, "-ok") || w.text == "-x" || w.text == "-X" {
				a.wrapped(c, args[i+1:], 1)
			}
		}
	case "env", "command", "builtin", "exec", "nohup", "setsid", "nice", "ionice", "stdbuf", "time", "timeout",
		"sudo", "doas", "xargs", "parallel", "watch", "chroot", "unshare", "flock", "strace", "ltrace":
		a.wrapped(c, args, 3)
	}
}

const startsAnother = "it starts another command"

// forbid keeps the first reason.
func (c *command) forbid(why string) {
	if c.never == "" {
		c.never = why
	}
}

// isRunFlag matches -c and the letters that may stand before it, as in -lc.
func isRunFlag(s string) bool {
	return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.HasSuffix(s, "c") || s == "--command"
}

// wrapped adds the command that begins at each of the first n arguments that can
// be a program's name.
func (a *analysis) wrapped(c *command, args []word, n int) {
	c.forbid(startsAnother)
	for i, w := range args {
		if n == 0 {
			return
		}
		if !w.dynamic && (strings.HasPrefix(w.text, "-") || strings.Contains(w.text, "=")) {
			continue
		}
		n--
		if a.seen[&args[i]] {
			continue // a wrapper further out has it already
		}
		if a.seen == nil {
			a.seen = map[*word]bool{}
		}
		a.seen[&args[i]] = true
		inner := command{text: c.text, words: args[i:]}
		a.unwrap(&inner)
		c.inner = append(c.inner, inner)
	}
}

// nested takes apart each argument as a script of its own, and all as one.
func (a *analysis) nested(c *command, args []word) {
	var all []string
	for _, w := range args {
		if w.dynamic {
			c.inner = append(c.inner, command{text: c.text, words: []word{w}})
		}
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		all = append(all, w.text)
		if strings.Contains(w.text, " ") {
			a.addNested(c, w.text)
		}
	}
	a.addNested(c, strings.Join(all, " "))
}

func (a *analysis) addNested(c *command, text string) {
	if *a.budget == 0 {
		a.unread = "too many scripts inside scripts"
		return
	}
	*a.budget--
	s := analyseAt(text, a.depth+1, a.budget)
	if s.unread != "" {
		a.unread = s.unread
	}
	c.inner = append(c.inner, s.commands...)
}

// through returns the command behind a wrapper that changes nothing about it, so
// that "timeout 60 go test" is covered by a rule for go test.
func through(words []word) []word {
	for len(words) > 1 && !words[0].dynamic {
		switch words[0].text {
		case "nohup":
			words = words[1:]
		case "timeout":
			if len(words) < 3 || strings.Trim(words[1].text, "0123456789.smhd") != "" || words[1].text == "" {
				return words
			}
			words = words[2:]
		case "nice":
			if len(words) > 3 && words[1].text == "-n" {
				words = words[2:]
			}
			words = words[1:]
		default:
			return words
		}
	}
	return words
}

// base returns the last element of a program's path.
func base(program string) string {
	return strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
}
