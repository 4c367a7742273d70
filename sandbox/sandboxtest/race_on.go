//go:build race

package sandboxtest

// raced tells that the race detector looks at us: it sees nothing more in what the
// kernel does to another user, and takes its time.
const raced = true
