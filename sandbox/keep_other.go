//go:build !linux && !darwin

package sandbox

// keeper has nothing to keep where nothing is confined.
type keeper struct{}

// Own is what the function Own does.
func (r *confined) Own(_ []string, write func() error) error { return write() }

// Check is what the function Check does.
func (r *confined) Check() []string { return nil }

func (r *confined) kept(_ Cmd, _ func([]string) (writable, changeable []string), run func() (Exit, error)) (Exit, error) {
	return run()
}
