package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Type says what a fact is about.
type Type string

// The types of facts.
const (
	User      Type = "user"      // who the user is and what they want
	Feedback  Type = "feedback"  // how they want work to be done
	Project   Type = "project"   // what holds in this project
	Reference Type = "reference" // where something is to be found
)

// Types lists the types.
func Types() []Type { return []Type{User, Feedback, Project, Reference} }

// Scope says where a fact counts.
type Scope string

// The scopes of facts.
const (
	ScopeProject Scope = "project" // in one workspace
	ScopeGlobal  Scope = "global"  // everywhere
)

// Scopes lists the scopes.
func Scopes() []Scope { return []Scope{ScopeProject, ScopeGlobal} }

// Limits of what Save takes, in characters but for MaxKeywords. A person may write
// longer files, up to MaxFile bytes.
const (
	MaxTitle       = 120
	MaxDescription = 500
	MaxBody        = 8000
	MaxKeyword     = 60
	MaxKeywords    = 20
	MaxFile        = 256 << 10
)

// Fact is one remembered thing.
type Fact struct {
	ID          string
	Revision    int // from 1; each change makes a higher one
	Type        Type
	Scope       Scope
	Title       string // one line
	Description string // one line; may be empty
	Keywords    []string
	Body        string // Markdown with LF line ends and no outer blank lines
	Created     time.Time
	Updated     time.Time
	Path        string // of its file, absolute

	// Edited says that a person changed the file without giving it another
	// revision. Such a change counts as the next revision.
	Edited bool
	// Archived says that the fact is an old revision, or forgotten: then Forgotten
	// and Reason say when and why, unless its file was just removed.
	Archived  bool
	Forgotten time.Time
	Reason    string
}

// Ref names one revision of a fact: id@revision.
func (f Fact) Ref() string { return f.ID + "@" + strconv.Itoa(f.Revision) }

// ParseRef takes the result of Ref apart.
func ParseRef(ref string) (id string, revision int, ok bool) {
	id, number, _ := strings.Cut(ref, "@")
	revision, err := strconv.Atoi(number)
	return id, revision, err == nil && revision > 0 && validID(id)
}

// Draft is the fact with its content as it is, to be changed and saved.
func (f Fact) Draft() Draft {
	return Draft{
		ID: f.ID, Revision: f.Revision, Type: f.Type, Scope: f.Scope, Title: f.Title,
		Description: f.Description, Keywords: slices.Clone(f.Keywords), Body: f.Body,
	}
}

// Draft is what is to be saved: a new fact when ID is empty, else the whole new
// content of a fact.
type Draft struct {
	ID string
	// Revision is the one the change was made from; when the fact has another by
	// now, saving it is a *ConflictError. 0 takes whatever is there.
	Revision    int
	Type        Type  // empty: project in a project, user elsewhere
	Scope       Scope // empty: project when there is a directory for it, else global
	Title       string
	Description string
	Keywords    []string
	Body        string
}

// tidy is d in the form in which it is kept.
func (d Draft) tidy() Draft {
	d.Title, d.Description, d.Body = oneLine(d.Title), oneLine(d.Description), cleanText(d.Body)
	var words []string
	for _, w := range d.Keywords {
		if w = oneLine(w); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	d.Keywords = words
	return d
}

// check refuses what is too long or no fact.
func (d Draft) check() error {
	for _, c := range []struct {
		name, text string
		most       int
	}{{"title", d.Title, MaxTitle}, {"description", d.Description, MaxDescription}, {"body", d.Body, MaxBody}} {
		if n := utf8.RuneCountInString(c.text); n > c.most {
			return &InvalidError{fmt.Sprintf("the %s has %d characters, at most %d are kept", c.name, n, c.most)}
		}
	}
	for _, w := range d.Keywords {
		if utf8.RuneCountInString(w) > MaxKeyword {
			return &InvalidError{fmt.Sprintf("a keyword has more than %d characters", MaxKeyword)}
		}
	}
	switch {
	case d.Title == "":
		return &InvalidError{"a fact needs a title"}
	case d.Description == "" && d.Body == "":
		return &InvalidError{"a fact needs a body or a description"}
	case len(d.Keywords) > MaxKeywords:
		return &InvalidError{fmt.Sprintf("there are %d keywords, at most %d are kept", len(d.Keywords), MaxKeywords)}
	case !slices.Contains(Types(), d.Type):
		return &InvalidError{fmt.Sprintf("there is no type %q: it is one of user, feedback, project, reference", d.Type)}
	}
	return nil
}

// same reports whether f says what d says.
func (d Draft) same(f Fact) bool {
	return d.Type == f.Type && d.Scope == f.Scope && d.Title == f.Title && d.Description == f.Description &&
		slices.Equal(d.Keywords, f.Keywords) && d.Body == f.Body
}

// oneLine is text without control characters, on one line.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// cleanText is text with LF line ends, without other control characters and
// without blank lines at either end.
func cleanText(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

func validID(id string) bool { return idForm().MatchString(id) }
