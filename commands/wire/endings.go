package wire

import (
	"errors"
	"slices"
)

// endings is what is to be ended with a session.
type endings []func() error

// add has end called before everything that was added so far.
func (e *endings) add(end func() error) { *e = append(*e, end) }

// close ends everything, the last begun first. It may be called again.
func (e *endings) close() error {
	var errs []error
	for _, end := range slices.Backward(*e) {
		errs = append(errs, end())
	}
	*e = nil
	return errors.Join(errs...)
}
