package sandbox

import "slices"

// A way is one means of confinement on this system.
type way struct {
	name string
	// probe tells whether it works on this machine; the error, which may be a
	// *defect, says why not. It may start a process.
	probe func() error
	// holds lists what it holds commands to where it works.
	holds func() []Guarantee
	// eager is set when a command that starts proves the way.
	eager bool
	system
}

// A defect is why a way does not work, and what a person can do.
type defect struct {
	why error
	fix string
}

func (d *defect) Error() string { return d.why.Error() }

func (d *defect) Unwrap() error { return d.why }

// lacks lists what of needs the way does not hold.
func (w *way) lacks(needs []Guarantee) []Guarantee {
	held := w.holds()
	return slices.DeleteFunc(slices.Clone(needs), func(g Guarantee) bool { return slices.Contains(held, g) })
}
