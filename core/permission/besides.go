package permission

import (
	"slices"
	"strings"
)

// besides knows the arguments of programs that run something, or write, by more than
// the name of an option.
func (e *effects) besides(program, text string) bool {
	name, value, joined := strings.Cut(text, "=")
	switch {
	case e.remotes:
		return remoteHelper(text)
	case program == "go":
		return joined && valueRuns(program, name, &word{text: value})
	case oneOf(program, "gcc g++ cc c++ clang clang++ ld ar rustc java javac"):
		return strings.HasPrefix(text, "@") // a file of options
	case program == "make" || program == "gmake":
		return joined && !strings.HasPrefix(text, "-") && !harmlessVariable(name, value)
	case program == "curl":
		at := strings.IndexByte(text, '@')
		return strings.Contains(text, "%output{") || at > 0 && valueRuns(program, strings.TrimSuffix(text[:at], "="), &word{text: text[at:]})
	case program == "pytest" || program == "py.test":
		return oneOf(name, "--cov-config --confcutdir") || joined && valueRuns(program, name, &word{text: value})
	case program == "golangci-lint":
		return joined && valueRuns(program, name, &word{text: value})
	}
	return false
}

// valueRuns reports whether the value of an option makes a program run or write
// something.
func valueRuns(program, option string, value *word) bool {
	switch program {
	case "go":
		return strings.HasSuffix(option, "flags") && oneOf(strings.TrimLeft(option, "-"), "ldflags gcflags asmflags") &&
			(value.made || !plainFlags(option, value.text) || slices.ContainsFunc(value.values, func(v string) bool { return !plainFlags(option, v) }))
	case "curl":
		format := len(option) > 3 && strings.HasPrefix("--write-out", option) || len(option) > 1 && option[0] == '-' && option[1] != '-' && strings.HasSuffix(option, "w")
		return format && strings.HasPrefix(value.text, "@") // a file that may say %output{}
	case "pytest", "py.test":
		return option == "--cov-report" && strings.Contains(value.text, ":")
	case "golangci-lint":
		return option == "--out-format" && strings.Contains(value.text, ":")
	}
	return false
}

// plainFlags reports whether the flags for a tool of go neither start a program nor
// write or read a file. PATTERN= may stand before them.
func plainFlags(option, value string) bool {
	allowed := "-N -l -m -e -S -B"
	if strings.HasSuffix(option, "ldflags") {
		allowed = "-s -w -X"
	}
	if pattern, rest, ok := strings.Cut(value, "="); ok && !strings.HasPrefix(pattern, "-") && !strings.ContainsAny(pattern, " \t'\"") {
		value = rest
	}
	parts := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\n'\"", c) })
	for _, part := range parts {
		if strings.HasPrefix(part, "@") || strings.HasPrefix(part, "-") && !oneOf(part, allowed) && !strings.HasPrefix(part, "-X=") {
			return false
		}
	}
	return true
}

// harmlessVariable reports whether a variable of make that is given in the command only
// says how much it tells. Any other may be a part of what a rule of it runs.
func harmlessVariable(name, value string) bool {
	return oneOf(name, "V VERBOSE") && (digits(value) || oneOf(value, "true false yes no"))
}

// harmlessProperty reports whether an argument of mvn only chooses tests.
func harmlessProperty(program string, w *word) bool {
	if program != "mvn" || w.dynamic {
		return false
	}
	name, _, _ := strings.Cut(w.text, "=")
	return oneOf(name, "-DskipTests -DskipITs -Dtest -Dit.test -Dmaven.test.skip -DfailIfNoTests -Dsurefire.failIfNoSpecifiedTests -Dstyle.color")
}
