// Package slash is the commands a person types: a first word that begins with a
// slash. A command is data: a name, a line of help and a closure that says what it
// does (submit an operation, show a report, become the text of a prompt), or the
// word that the front end itself does it.
//
// Built-in commands are a table; custom ones are Markdown files that Load reads
// from a project's and a user's directory. A Set puts them and those of other
// packages (skills, prompts of servers) into one list, in which the first of a name
// wins and every loser is named. A text that looks like a command and is none is an
// error that names the nearest, never something for a model to read. The package
// runs nothing and keeps no state; commands/wire builds the set, and every front
// end looks up, lists and completes in it.
package slash

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/core/protocol"
)

// Kind says which of a command's closures does it.
type Kind string

// The kinds of commands.
const (
	KindOp     Kind = "op"     // Op is submitted to the session
	KindReport Kind = "report" // what Report returns is shown, the model sees nothing
	KindText   Kind = "text"   // what Text returns is the next prompt
	KindFront  Kind = "front"  // the front end does it: it has no closure
)

// Where commands come from, for Command.Source. Others may be used.
const (
	SourceBuiltin = "builtin"
	SourceProject = "project"
	SourceUser    = "user"
)

// Command is one command. The closure of its Kind is set and may be called from any
// goroutine; args is what was typed behind the name, without outer space.
type Command struct {
	Name    string // without the slash, as ValidName says
	Hint    string // what arguments it takes, such as [focus]; may be empty
	Help    string // one line
	Source  string
	Kind    Kind
	Confirm string // what to ask before it is done; empty: nothing
	Refused error  // why it cannot be called; nil: it can

	Op     func(args string) (protocol.Op, error)
	Report func(ctx context.Context, args string) (string, error)
	Text   func(ctx context.Context, args string) (string, error)
}

// MaxName is the longest name of a command, in bytes.
const MaxName = 128

// ValidName reports whether name can be typed as a command: one word of visible
// characters, without a slash, that is not longer than MaxName.
func ValidName(name string) bool {
	return name != "" && len(name) <= MaxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || !unicode.IsGraphic(r) || unicode.IsSpace(r) })
}

// Shadow is a command that cannot be called, because By is what its name means or,
// with By empty, because the name cannot be typed.
type Shadow struct {
	Name, Source string
	By           string // the source of the command that has the name
}

// Set is the commands of a session. It does not change and is safe for concurrent
// use.
type Set struct {
	byName   map[string]Command
	folded   map[string]string // a name by the same in lower case
	names    []string          // sorted
	shadowed []Shadow
}

// NewSet puts lists together, the strongest first: of several commands of one name
// the first is it.
func NewSet(lists ...[]Command) *Set {
	s := &Set{byName: map[string]Command{}, folded: map[string]string{}}
	for _, c := range slices.Concat(lists...) {
		first, taken := s.byName[c.Name]
		switch {
		case taken:
			s.shadowed = append(s.shadowed, Shadow{Name: c.Name, Source: c.Source, By: cmp.Or(first.Source, string(first.Kind))})
		case !ValidName(c.Name):
			s.shadowed = append(s.shadowed, Shadow{Name: c.Name, Source: c.Source})
		default:
			s.byName[c.Name] = c
			s.names = append(s.names, c.Name)
			if low := strings.ToLower(c.Name); s.folded[low] == "" {
				s.folded[low] = c.Name
			}
		}
	}
	slices.Sort(s.names)
	return s
}

// Shadowed lists the commands that NewSet left out, in the order it met them.
func (s *Set) Shadowed() []Shadow { return slices.Clone(s.shadowed) }

// List is all commands by name.
func (s *Set) List() []Command {
	list := make([]Command, len(s.names))
	for i, name := range s.names {
		list[i] = s.byName[name]
	}
	return list
}

// Lookup takes a typed text for a command when its first word names one, whatever
// the case; args is the rest without outer space. ok is false for text that is no
// command: it does not begin with a slash (a space before it is enough), or its
// first word has not the shape of a command, as in "/usr/bin/x fails". A word that
// has the shape, and that no command has, is a *UnknownError.
func (s *Set) Lookup(text string) (c Command, args string, ok bool, err error) {
	rest, begins := strings.CutPrefix(text, "/")
	if !begins {
		return Command{}, "", false, nil
	}
	word, args := rest, ""
	if at := strings.IndexFunc(rest, unicode.IsSpace); at >= 0 {
		word, args = rest[:at], strings.TrimSpace(rest[at:])
	}
	if c, ok := s.find(word); ok {
		return c, args, true, nil
	}
	if !shaped(word) {
		return Command{}, "", false, nil
	}
	return Command{}, "", false, &UnknownError{Name: clip(word, MaxName), Nearest: s.nearest(word)}
}

// find knows a command by its name, or by the name in another case.
func (s *Set) find(word string) (Command, bool) {
	if len(word) > MaxName {
		return Command{}, false
	}
	c, ok := s.byName[word]
	if !ok {
		c, ok = s.byName[s.folded[strings.ToLower(word)]]
	}
	return c, ok
}

// shaped reports whether word is [a-z][a-z0-9_:-]*.
func shaped(word string) bool {
	for i, r := range word {
		if !('a' <= r && r <= 'z') && (i == 0 || !('0' <= r && r <= '9') && r != '_' && r != ':' && r != '-') {
			return false
		}
	}
	return word != ""
}

// Complete lists the commands whose names begin with prefix, then those of which a
// later part does (commit for git:commit), each by name and whatever the case. The
// slash before prefix may be there.
func (s *Set) Complete(prefix string) []Command {
	prefix = strings.ToLower(strings.TrimPrefix(prefix, "/"))
	var first, later []Command
	for _, name := range s.names {
		switch folded := strings.ToLower(name); {
		case strings.HasPrefix(folded, prefix):
			first = append(first, s.byName[name])
		case partBegins(folded, prefix):
			later = append(later, s.byName[name])
		}
	}
	return append(first, later...)
}

func partBegins(name, prefix string) bool {
	for i := range name {
		if i > 0 && strings.IndexByte(":_-", name[i-1]) >= 0 && strings.HasPrefix(name[i:], prefix) {
			return true
		}
	}
	return false
}

// Help is the list for a person: a line for each command that is of no kind in
// without, the built-in ones first.
func (s *Set) Help(without ...Kind) string {
	list := slices.DeleteFunc(s.List(), func(c Command) bool { return slices.Contains(without, c.Kind) })
	slices.SortStableFunc(list, func(a, b Command) int {
		return cmp.Compare(min(1, len(strings.TrimPrefix(a.Source, SourceBuiltin))), min(1, len(strings.TrimPrefix(b.Source, SourceBuiltin))))
	})
	width := 0
	for _, c := range list {
		width = max(width, min(utf8.RuneCountInString(c.usage()), maxUsage))
	}
	var b strings.Builder
	for _, c := range list {
		usage := c.usage()
		b.WriteString(usage)
		room := width - utf8.RuneCountInString(usage)
		if room < 0 { // what it does stands below
			b.WriteString("\n")
			room = width
		}
		b.WriteString(strings.Repeat(" ", room+2))
		b.WriteString(clip(c.Help, maxHelp))
		if c.Source != SourceBuiltin && c.Source != "" {
			b.WriteString(" (" + c.Source + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// maxUsage is how wide, in characters, the first column of Help may be.
const maxUsage = 32

func (c Command) usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Hint) }
