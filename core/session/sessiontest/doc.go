// Package sessiontest holds what every session.Store must do, as a suite (Run), and
// a store in memory (Memory) for tests of whoever uses one. The suite knows nothing
// of how a store keeps its bytes: damage, full disks and other processes are tested
// where the bytes are.
package sessiontest
