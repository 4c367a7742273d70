//go:build linux || darwin

package sandbox

import (
	"errors"
	"slices"
)

// kept runs a command and puts back what it changed of the protected paths inside
// writable. A command that may change one goes through it too: what it leaves is
// the original for those beside it.
func (r *confined) kept(writable, protected []string, run func() (Exit, error)) (Exit, error) {
	before, err := r.keeper.keep(writable, protected)
	if err != nil {
		return Exit{}, err
	}
	exit, err := run()
	changed, unkept := before.restore()
	exit.Restored = changed
	return exit, errors.Join(err, unkept)
}

// Own is what the function Own does.
func (r *confined) Own(paths []string, write func() error) error { return r.keeper.own(paths, write) }

// unheld are the protected paths that c does not hold: not there, or by another
// name than the one a link leads to.
func unheld(cmd Cmd, c confinement) []string {
	return slices.DeleteFunc(slices.Clone(cmd.Protected), func(path string) bool { return slices.Contains(c.Protected, path) })
}
