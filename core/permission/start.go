package permission

import (
	"slices"
	"strings"
)

// start records a command and those that it starts on behalf of its arguments:
// timeout 5 rm, xargs rm, find -exec rm, bash -c 'rm'. Where its options are
// understood these become steps of their own, and the command is as good as they
// are. Otherwise no pattern covers it, and every argument that can be a program's
// name counts as one for deny and ask rules.
func (a *analysis) start(s step) outcome {
	args := s.words[1:]
	name := base(s.words[0].text)
	asIs := name == s.words[0].text // ./timeout is some other program
	switch {
	case isShell(name):
		return a.shell(s, asIs)
	case name == "eval" && asIs:
		return a.eval(s)
	case name == "source" || name == ".":
		s.restrict(byText, "it runs a file as a script")
		if len(args) > 0 && (args[0].noPath || args[0].splits || fromStream(&s, args[0])) {
			s.obscure("it runs a script that is made at run time")
		}
	case oneOf(name, "at batch crontab") && !slices.ContainsFunc(args, func(w word) bool { return bans(w, "lrd") }):
		s.maybe = a.guess(a.here.stdin)
		s.obscure("it runs what it reads, later")
	case name == "trap" || name == "alias" || name == "eval":
		return a.later(s)
	case name == "find":
		return a.find(s, asIs)
	case name == "git":
		return a.git(s)
	case name == "exec" && asIs && len(args) > 0:
		a.wrapped(s, asIs)
		return gone()
	case wraps(name) && len(args) > 0:
		if (name == "command" || name == "type") && strings.HasPrefix(args[0].text, "-") && strings.ContainsAny(args[0].text, "vV") {
			break // it only asks what a name is
		}
		return a.wrapped(s, asIs)
	}
	a.keeps(&s)
	a.risky(&s)
	within := 3
	if oneOf(name, "docker podman nerdctl kubectl") {
		within = maxPassed // the options of a container come first
	}
	s.maybe = append(s.maybe, a.candidates(launched(s.words), within)...)
	if name == "ssh" {
		a.remote(&s)
	}
	a.scripts(&s)
	a.passes(&s)
	a.add(s)
	return stays(s.dirs)
}

// remote adds what the shell of another host makes of the words that ssh joins for it.
func (a *analysis) remote(s *step) {
	words := launched(s.words)
	if !slices.ContainsFunc(words, func(w word) bool { return strings.ContainsAny(w.text, ";|&\n`$(") }) {
		return
	}
	for i := range words[:min(len(words), 3)] { // options and the host come first
		s.maybe = append(s.maybe, a.guess(joined(words[i:], ""))...)
	}
}

// passes finds what follows exec, run or -- among the arguments of a program that
// nobody knows.
func (a *analysis) passes(s *step) {
	at := slices.IndexFunc(s.words, func(w word) bool {
		return !w.dynamic && (w.text == "exec" || w.text == "run" || w.text == "--" || w.text == "--exec" || w.text == "--run")
	})
	if at < 1 || at+1 == len(s.words) {
		return
	}
	if _, known := table()[base(s.words[0].text)]; !known {
		s.passed = a.candidates(s.words[at+1:], maxPassed)
	}
}

// maxPassed is how many arguments of such a program may be a command.
const maxPassed = 16

// startsAnother is why a wrapper is covered by no pattern.
const startsAnother = "it starts another command"

// wraps restricts a command whose options are not understood and that starts
// another. A rule that spells both out covers it, unless there is another reason.
func (s *step) wraps() {
	s.wrapper = s.wrapper || s.limit == byPattern
	s.restrict(byText, startsAnother)
}

// wraps reports whether a program runs the command that its arguments name.
func wraps(name string) bool {
	switch name {
	case "env", "command", "builtin", "exec", "nohup", "setsid", "nice", "ionice", "chrt", "taskset", "stdbuf", "time", "timeout", "gtimeout",
		"sudo", "doas", "su", "runuser", "pkexec", "xargs", "parallel", "watch", "entr", "chroot", "unshare", "nsenter", "flock", "strace", "ltrace",
		"systemd-run", "script", "screen", "tmux", "expect", "unbuffer", "fakeroot", "xvfb-run", "busybox", "toybox",
		"chronic", "gdb", "lldb", "valgrind", "setarch", "linux32", "linux64", "prlimit", "firejail", "bwrap", "dbus-run-session", "caffeinate",
		"setpriv", "capsh", "numactl", "schedtool", "choom", "cgexec", "proot", "rlwrap", "dtach", "abduco", "sshpass", "torsocks", "proxychains", "proxychains4",
		"gosu", "su-exec", "spawn", "tini", "dumb-init", "catatonit", "coreutils", "setuidgid", "s6-setuidgid", "chpst", "softlimit", "envdir", "dotenv",
		"sg", "perf", "hyperfine", "start-stop-daemon", "qemu-x86_64", "qemu-aarch64", "faketime", "eatmydata", "catchsegv",
		"ssh-agent", "systemd-nspawn", "runcon", "sem", "tsocks", "wsl", "flatpak-spawn":
		return true
	}
	return loader(name)
}

// launched returns the arguments among which a program finds a command to run
// somewhere else, or as a package. An allow rule about such a program means it.
func launched(words []word) []word {
	verbs := ""
	switch base(words[0].text) {
	case "ssh", "npx", "pnpx", "bunx", "uvx", "fd", "fdfind", "cross-env", "cross-env-shell", "concurrently", "nodemon", "pdsh", "autossh", "mosh", "vagrant", "limactl", "multipass":
		return words[1:]
	case "docker", "podman", "nerdctl", "kubectl":
		verbs = "exec run"
	case "uv", "poetry", "pipenv", "hatch", "pdm", "rye":
		verbs = "run"
	case "bundle":
		verbs = "exec"
	case "npm", "pnpm", "yarn", "bun":
		verbs = "exec dlx x"
	case "direnv", "asdf", "rbenv", "pyenv", "nodenv", "jenv", "fnm", "opam", "stack", "cabal", "ip", "lxc", "incus", "aws-vault", "chamber", "ddev":
		verbs = "exec"
	case "mise", "rtx":
		verbs = "exec x"
	case "rustup", "conda", "mamba", "micromamba", "volta", "doppler", "op", "dotenvx", "infisical", "pipx", "flatpak", "snap":
		verbs = "run"
	case "nix", "nix-shell":
		verbs = "-c --command --run"
	case "cmake":
		verbs = "-E"
	}
	for i, w := range words {
		for verb := range strings.FieldsSeq(verbs) {
			if w.text == verb {
				return words[i+1:]
			}
		}
	}
	return nil
}

// wrapped records a wrapper and what it starts.
func (a *analysis) wrapped(s step, asIs bool) outcome {
	inner, dir, ok := unwrap(s.words)
	if !ok || !asIs || a.here.wrapped == maxWrapped {
		s.wraps()
		s.maybe = append(s.maybe, a.candidates(s.words[1:], 3)...)
		switch base(s.words[0].text) {
		case "env":
			a.splits(&s)
		case "coreutils":
			s.multicall()
		}
		a.scripts(&s)
		if a.here.wrapped == maxWrapped {
			s.obscure("it is nested too deep")
		}
		a.add(s)
		return stays(s.dirs)
	}
	if len(inner) == 0 { // env and xargs have a use without a command
		a.add(s)
		return stays(s.dirs)
	}
	limit, why := s.limit, s.why
	s.free, s.limit, s.why, s.wrapper = true, byPattern, "", true
	within := step{kind: PartCommand, text: a.text(inner), dirs: s.dirs, words: inner, limit: limit, why: why, set: s.set}
	if dir != nil {
		within.dirs = a.move("cd", dir, s.dirs).ok
	}
	for _, w := range s.words[:len(s.words)-len(inner)] {
		if name, value, ok := strings.Cut(w.text, "="); ok && !strings.HasPrefix(name, "-") {
			a.setting(&within, name, w, value)
		}
	}
	within.unsaid = within.limit != byPattern
	before := a.here
	a.here.fed = a.here.fed && s.words[0].text != "xargs"
	a.feed(&within)
	a.here.parent = a.add(s)
	a.here.wrapped++
	out := a.simple(within)
	a.here = before
	if s.words[0].text == "command" || s.words[0].text == "builtin" {
		return out
	}
	return stays(s.dirs)
}

// multicall adds the program that coreutils is to be.
func (s *step) multicall() {
	for i, w := range s.words {
		if name, value, ok := strings.Cut(w.text, "="); ok && strings.HasPrefix(name, "--c") {
			s.maybe = append(s.maybe, append([]word{{text: value}}, s.words[i+1:]...))
		}
	}
}

// scripts adds what a shell reads that a command may start: sudo bash, ssh host.
func (a *analysis) scripts(s *step) {
	reads := base(s.words[0].text) == "ssh" && a.here.stdin != ""
	for _, words := range s.maybe {
		reads = reads || isShell(base(words[0].text)) && readsCode(words)
	}
	if !reads {
		return
	}
	s.maybe = append(s.maybe, a.guess(a.here.stdin)...)
	if !a.here.fed {
		s.obscure("it runs what it reads")
	}
}

// setting restricts what env starts with a variable set.
func (a *analysis) setting(s *step, name string, w word, value string) {
	given := valueIn(name, w, value)
	s.sets(name, given)
	switch {
	case holdsCommand(name):
		a.variable(s, name, w, value)
	case !harmless(name):
		a.held(s, name, given)
	}
	if stores(given) {
		s.obscure("it keeps a command in a variable")
	}
}

// valueIn is the value in a word that is NAME=value.
func valueIn(name string, w word, value string) word {
	given := word{text: value, dynamic: w.dynamic, made: w.made, noPath: w.noPath}
	given.pattern = strings.TrimPrefix(w.pattern, name+"=")
	for _, v := range w.values {
		given.values = append(given.values, strings.TrimPrefix(v, name+"="))
	}
	return given
}

// find records find and the commands of its -exec and -ok.
func (a *analysis) find(s step, asIs bool) outcome {
	me := a.add(s)
	before := a.here
	a.here.parent = me
	for i, w := range s.words {
		switch w.text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			if w.splits { // it may become -exec
				a.steps[me].wraps()
				a.steps[me].maybe = append(a.steps[me].maybe, s.words[i:i+1])
			}
			continue
		}
		rest := s.words[i+1:]
		end := slices.IndexFunc(rest, func(w word) bool { return w.text == ";" || w.text == "+" })
		if end <= 0 || !asIs {
			a.steps[me].wraps()
			if len(a.steps[me].maybe) < maxCandidates {
				a.steps[me].maybe = append(a.steps[me].maybe, a.candidates(rest, 1)...)
			}
			continue
		}
		a.steps[me].wrapper = a.steps[me].limit == byPattern || a.steps[me].wrapper
		inner := replaced(rest[:end], "{}")
		within := step{kind: PartCommand, text: a.text(rest[:end]), dirs: s.dirs, words: inner, reads: readsCode(inner)}
		if strings.HasSuffix(w.text, "dir") { // it runs beside each match
			within.dirs = dirs{unknown: true}
		}
		a.simple(within)
	}
	a.here = before
	if len(a.steps[me].maybe) >= maxCandidates {
		a.steps[me].obscure("it may start too many commands")
	}
	return stays(s.dirs)
}

// maxCandidates is how many commands a find may start that is not understood.
const maxCandidates = 256

// replaced marks the words that a placeholder makes known at run time only.
func replaced(words []word, placeholder string) []word {
	out := slices.Clone(words)
	for i := range out {
		if strings.Contains(out[i].text, placeholder) && !out[i].dynamic {
			out[i].dynamic, out[i].noPath, out[i].made = true, true, true
			out[i].pattern = strings.ReplaceAll(out[i].text, placeholder, "*")
		}
	}
	return out
}

// fromStream reports whether a script that s runs is no file.
func fromStream(s *step, w word) bool {
	return streams(w.text) || !isAbs(w.text) && slices.ContainsFunc(s.dirs.names, func(dir string) bool { return streams(dir + "/" + w.text) })
}
