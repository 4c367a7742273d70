package sandbox

// A way is one means of confinement.
type way struct {
	name string
	// probe tells whether it works on this machine; the error says why not. It may
	// start a process.
	probe func() error
	// holds lists what it holds commands to where it works.
	holds func() []Guarantee
}
