package permission

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
)

// Suggest returns the narrowest rule that would allow the call from now on: the
// command as written, the file, or the host. It is what "always allow" stores and what a
// refused headless run tells the user to add; a wider rule is the user's to write.
func Suggest(toolName string, args json.RawMessage) string {
	s := subjectsOf(args)
	switch {
	case memberOf(toolName) == familyBash && s.command != "":
		return bashRule(s.command).String()
	case memberOf(toolName) == familyEdit && s.n == 1:
		return Rule{Tool: "Edit", Spec: escape(path.Clean(filepath.ToSlash(s.paths[0])))}.String()
	case toolName == fetchTool && s.host != "" && !s.more:
		return Rule{Tool: fetchTool, Spec: domain + s.host}.String()
	case toolName == fetchTool:
		return Rule{Tool: fetchTool, Spec: domain + "invalid"}.String() // a host that never is: the call fails, and nothing is granted by it
	}
	return toolName
}

func bashRule(command string) Rule {
	if r, err := ParseRule("Bash(" + command + ")"); err == nil && r.Spec == command && !strings.Contains(command, "*") {
		return Rule{Tool: "Bash", Spec: command}
	}
	return Rule{Tool: "bash", Spec: command, Literal: true}
}

// escape makes a path a pattern that matches nothing else.
func escape(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(name)
}

// SuggestPrefix returns the rule for the command's program and verb, such as
// Bash(go test:*), or "" when no prefix is safe to offer: the command is not one
// simple command, it starts others, or its program runs whatever it is given.
func SuggestPrefix(toolName string, args json.RawMessage) string {
	s := subjectsOf(args)
	if memberOf(toolName) != familyBash || s.more {
		return ""
	}
	script := analyse(s.command, "/", "")
	if script.unread != "" || len(script.steps) != 1 {
		return ""
	}
	return prefixRule(&script.steps[0])
}
func prefixRule(s *step) string {
	if s.limit != byPattern || len(s.words) < 2 || s.kind != partCommand {
		return ""
	}
	program, verb := s.words[0], s.words[1]
	if program.dynamic || verb.dynamic || interprets(base(program.text)) || isShell(base(program.text)) || strings.HasPrefix(verb.text, "-") || strings.ContainsAny(program.text+verb.text, " \t\n*()'\"\\/.=") {
		return ""
	}
	return Rule{Tool: "Bash", Spec: program.text + " " + verb.text + ":*"}.String()
}
