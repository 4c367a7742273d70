//go:build linux || darwin

package sandbox

import (
	"errors"
	"slices"
)

// kept runs a command and puts back what it changed of cmd.Protected. how tells, once
// what other commands changed has been put back, what it may write and what of
// Protected it can change, given those paths that may be held as they are. A command
// that was let change one goes through it too: what it leaves is the original for
// those beside it.
func (r *confined) kept(cmd Cmd, how func(holdable []string) (writable, changeable []string), run func() (Exit, error)) (Exit, error) {
	r.home.Do(func() { r.keeper.open(r.options.Home) })
	one := r.keeper.begin()
	writable, changeable := how(one.unkept(cmd.Protected))
	if err := one.keep(writable, cmd.Protected, changeable, cmd.Released); err != nil {
		return Exit{}, err
	}
	exit, err := run()
	unkept := one.restore()
	one.tell(&exit)
	return exit, errors.Join(err, unkept)
}

// Own is what the function Own does.
func (r *confined) Own(paths []string, write func() error) error { return r.keeper.own(paths, write) }

// Check is what the function Check does.
func (r *confined) Check() []string { return r.keeper.look() }

// Close ends every running command, which puts back what it changed, and the rest.
func (r *confined) Close() error {
	err := r.off.Close()
	r.keeper.close()
	return err
}

// unheld are the protected paths that c does not hold: not there, or by another
// name than the one a link leads to.
func unheld(cmd Cmd, c confinement) []string {
	return slices.DeleteFunc(slices.Clone(cmd.Protected), func(path string) bool { return slices.Contains(c.Protected, path) })
}
