package skill

import (
	"path/filepath"
	"slices"
	"strings"
)

// Scope says whose a skill is.
type Scope string

// The scopes, the strongest first: of two skills with one name the stronger counts.
const (
	Project Scope = "project" // below the workspace
	User    Scope = "user"    // the user's own
	Path    Scope = "path"    // a directory of [skills] paths
)

// Invocation says who may start a skill.
type Invocation string

// A skill that is started by hand is not in the index, and the model cannot run it.
const (
	Auto   Invocation = "auto"
	Manual Invocation = "manual"
)

// RunAs says what running a skill means.
type RunAs string

// An inline skill is text in the conversation. One for a subagent has a
// conversation of its own: see ErrSubagent.
const (
	Inline   RunAs = "inline"
	Subagent RunAs = "subagent"
)

// Skill is one skill as it was when it was loaded. It is a value: nobody changes
// what it holds.
type Skill struct {
	Name        string // lower case; see ValidName
	Description string // one line: what it does and when it is for
	Invocation  Invocation
	RunAs       RunAs
	// What a subagent would run with; an inline skill runs with what the session has.
	Model, Effort string
	AllowedTools  []string
	Color         string
	// Unknown are the other keys of the file with their values as text.
	Unknown map[string]string

	Scope Scope
	Path  string // of the Markdown file, absolute
	Dir   string // with the files that belong to it, absolute; empty for a lone file
	Body  string // the text below the keys
}

// argumentsMark stands in a body for what the caller said beside the name, and
// dirMark for the directory of the skill's files.
const (
	argumentsMark = "$ARGUMENTS"
	dirMark       = "${CLAUDE_SKILL_DIR}"
)

// Prompt is what the model reads when the skill runs: where it is, which files
// belong to it, the arguments and the body. Arguments stand where the body says
// $ARGUMENTS, otherwise before it. Files are looked up now; what cannot be listed is
// left out.
func (s Skill) Prompt(arguments string) string {
	var b strings.Builder
	b.WriteString("# Skill " + s.Name + "\nFile: " + shownPath(s.Path) + "\n")
	if list := s.fileList(); list != "" {
		b.WriteString("It has these files; read one when the text refers to it:\n" + list)
	}
	body := strings.ReplaceAll(s.Body, dirMark, shownPath(filepath.Dir(s.Path)))
	arguments = strings.TrimSpace(arguments)
	if arguments != "" && !strings.Contains(body, argumentsMark) {
		b.WriteString("Arguments: " + arguments + "\n")
	}
	b.WriteString("\n" + strings.ReplaceAll(body, argumentsMark, arguments) + "\n")
	return b.String()
}

// shownPath is a path as the model reads it, on one line whatever is in it.
func shownPath(path string) string { return oneLine(filepath.ToSlash(path)) }

// Skills are the skills that count, in the order of their names. They are safe for
// concurrent use as long as nobody changes the slice.
type Skills []Skill

// Find returns the skill that word names: its name, with a slash in front or not,
// in any letter case. The error is an *UnknownError.
func (l Skills) Find(word string) (Skill, error) {
	name := Normal(strings.TrimPrefix(strings.TrimSpace(word), "/"))
	if at, ok := slices.BinarySearchFunc(l, name, func(s Skill, name string) int { return strings.Compare(s.Name, name) }); ok {
		return l[at], nil
	}
	return Skill{}, &UnknownError{Name: name, Nearest: l.nearest(name)}
}

// Run is what the model gets when it runs a skill. Errors are an *UnknownError, or
// one that wraps ErrManual or ErrSubagent and names the skill.
func (l Skills) Run(name, arguments string) (string, error) {
	s, err := l.Find(name)
	if err == nil {
		err = s.runnable()
	}
	if err != nil {
		return "", err
	}
	return s.Prompt(arguments), nil
}

// offered are the skills that the model may run.
func (l Skills) offered() Skills {
	return slices.DeleteFunc(slices.Clone(l), func(s Skill) bool { return s.runnable() != nil })
}
