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
	ErrOutside    = errors.New("outside the writable directories")
	ErrDirectory  = errors.New("is a directory")
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
	ErrChanged    = errors.New("changed on disk since it was read")
)

// PathError is a refused path. Reason is for the reader, Err for errors.Is.
type PathError struct {
	Op     string // read, write, move
	Path   string // as asked for
	Reason string
	Err    error
}

func (e *PathError) Error() string { return e.Op + " " + filepath.ToSlash(e.Path) + ": " + e.Reason }

// Unwrap returns the kind of refusal.
func (e *PathError) Unwrap() error { return e.Err }

func refuse(op, path string, err error) *PathError {
	var pe *PathError
	if errors.As(err, &pe) {
		return pe
	}
	reason := err.Error()
	var sys *fs.PathError
	var link *os.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		reason = "permission denied"
	case errors.As(err, &sys):
		reason = sys.Err.Error()
	case errors.As(err, &link):
		reason = link.Err.Error()
	}
	return &PathError{Op: op, Path: path, Reason: reason, Err: err}
}
