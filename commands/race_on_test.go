//go:build race

package commands_test

// crashes is lower under the race detector, which makes each process slow.
const crashes = 12
