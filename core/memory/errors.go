package memory

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of the store besides the types below and those of the file system.
var (
	// ErrUnknown says that no fact has the id.
	ErrUnknown = errors.New("no such fact")
	// ErrForgotten says that the fact is in the archive.
	ErrForgotten = errors.New("the fact is forgotten; restore it first")
	// ErrActive says that a fact that is to be restored is not forgotten.
	ErrActive = errors.New("the fact is not forgotten; name the revision to go back to")
	// ErrNoPlace says that there is no directory for facts of that scope.
	ErrNoPlace = errors.New("there is no directory for such facts")
)

// InvalidError says what is wrong with a draft.
type InvalidError struct{ Text string }

func (e *InvalidError) Error() string { return e.Text }

// ConflictError says that a fact changed since it was read.
type ConflictError struct {
	ID         string
	Have, Want int // its revision now, and the one the change was made from
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("fact %s changed: it has revision %d now, the change was made from %d; read it again", e.ID, e.Have, e.Want)
}

// DuplicateError says that another fact has the title of a new one.
type DuplicateError struct{ ID, Title string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("fact %s has the title %q: update it by its id, or choose another title", e.ID, e.Title)
}

// AmbiguousError says that an id stands in more than one file: which fact is meant is
// for a person to say.
type AmbiguousError struct {
	ID    string
	Paths []string // absolute
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("fact %s is in %d files: %s; give one of them another id, or remove its id line", e.ID, len(e.Paths), strings.Join(e.Paths, ", "))
}

// SecretError says that a text holds a configured key or password. It does not say
// which.
type SecretError struct{}

func (*SecretError) Error() string {
	return "the text contains a configured key or password, which is never kept: name the variable instead"
}

// Problem is something about a file that a person should hear of.
type Problem struct {
	Path    string // absolute
	Text    string // an English sentence without the path
	Skipped bool   // the file is not taken as a fact
}

func (p Problem) String() string { return p.Path + ": " + p.Text }
