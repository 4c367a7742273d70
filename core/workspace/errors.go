package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// What a PathError can wrap besides the errors of io/fs.
var (
	ErrHidden     = errors.New("hidden by the configuration")
	ErrProtected  = errors.New("protected")
	ErrLinked     = errors.New("has other names outside the workspace")
	ErrOutside    = errors.New("outside the writable directories")
	ErrDirectory  = errors.New("is a directory")
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
	ErrChanged    = errors.New("changed on disk since it was read")
)

// PathError is a refused path. Its text says what was to be done, to which path,
// why not, and, where there is something, what to do instead:
//
//	write ../x: outside the workspace /w (resolves to /x); choose a place inside, ...
type PathError struct {
	Op     string // read, list, write, move
	Path   string // as asked for
	Reason string // why not, for the reader
	Hint   string // what to do instead; may be empty
	Err    error  // for errors.Is
}

func (e *PathError) Error() string {
	text := e.Op + " " + Quote(filepath.ToSlash(e.Path)) + ": " + e.Reason
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the kind of refusal.
func (e *PathError) Unwrap() error { return e.Err }

func refuse(op, path string, err error) *PathError {
	var pe *PathError
	if errors.As(err, &pe) {
		return pe
	}
	return &PathError{Op: op, Path: path, Reason: reasonOf(err).Error(), Err: err}
}

// reasonOf is an error of the system without the path in it.
func reasonOf(err error) error {
	var sys *fs.PathError
	var link *os.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &reason{"no such file or directory", err}
	case errors.Is(err, fs.ErrPermission):
		return &reason{"permission denied", err}
	case isLink(err):
		return &reason{"a link is where a directory or a file was", err}
	case errors.As(err, &sys):
		return sys.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// reason is an error in other words.
type reason struct {
	text string
	err  error
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.err }
