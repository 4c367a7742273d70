package permission

import "strings"

// prefixes lists the programs of which a prefix may be offered, each with the
// verbs that neither run what they are given nor reach further than they say.
// "run" of a package manager takes the script's name too; no verb is the program
// by itself.
func prefixes(program string) string {
	switch program {
	case "go":
		return "test build vet fmt mod doc list version"
	case "git":
		return "status diff log show add commit fetch pull merge branch switch tag rev-parse ls-files blame describe shortlog stash"
	case "npm", "pnpm", "yarn", "bun":
		return "test ci ls list outdated audit run"
	case "cargo":
		return "test build check clippy fmt doc tree"
	case "gh":
		return "pr issue run release"
	case "docker", "podman":
		return "ps images logs inspect"
	case "kubectl":
		return "get describe logs"
	case "terraform", "tofu":
		return "plan validate fmt"
	case "pip", "pip3":
		return "list show freeze check"
	case "dotnet", "swift":
		return "build test"
	case "mvn":
		return "test compile verify"
	case "bazel":
		return "build test query"
	case "brew":
		return "list info"
	case "pytest", "jest", "vitest", "eslint", "prettier", "tsc", "ruff", "mypy", "black", "isort", "flake8", "golangci-lint", "gofmt", "gofumpt", "staticcheck", "shellcheck", "ctest", "mkdir":
		return "-"
	}
	return ""
}

// prefixOf returns the prefix rule for a step, "" when none is safe.
func prefixOf(s *step) string {
	words := s.words
	if s.git != nil {
		words = s.git
	}
	if s.kind != PartCommand || s.limit != byPattern || len(words) == 0 || words[0].dynamic || firstRisk(words).at > 0 {
		return ""
	}
	n := 2
	switch verbs := prefixes(words[0].text); {
	case verbs == "":
		return ""
	case verbs == "-":
		n = 1
	case len(words) < 2 || words[1].dynamic || !oneOf(words[1].text, verbs):
		return ""
	case takesTwo(words[0].text, words[1].text):
		n = 3
	}
	if len(words) < n {
		return ""
	}
	for _, w := range words[:n] {
		if w.dynamic || strings.HasPrefix(w.text, "-") || strings.Trim(w.text, safeInRule) != "" {
			return ""
		}
	}
	return Rule{Tool: "Bash", Spec: joined(words[:n], "") + ":*"}.String()
}

// safeInRule are the characters of a word that stands in a rule as it is.
const safeInRule = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:"

// takesTwo reports whether a verb needs another word to say what it does.
func takesTwo(program, verb string) bool {
	switch program {
	case "npm", "pnpm", "yarn", "bun":
		return verb == "run"
	case "gh":
		return true
	}
	return false
}
