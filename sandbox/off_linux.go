package sandbox

import "context"

// NewOff returns the Runner that confines nothing. Nothing is started before the
// first Run. The binary must call Helper first thing in main.
func NewOff() Runner { return newOff() }

func newOff() *off { return &off{} }

// off runs commands without confinement.
type off struct{ pool pool }

// Way is off.
func (o *off) Way() string { return WayOff }

// Holds nothing.
func (o *off) Holds() []Guarantee { return nil }

func (o *off) Run(ctx context.Context, cmd Cmd) (Exit, error) {
	return o.pool.run(ctx, cmd, "", plain)
}

func (o *off) Warm(Cmd) error { return o.pool.warm("", plain) }

func (o *off) Close() error { return o.pool.close() }
