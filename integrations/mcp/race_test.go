//go:build race

package mcp_test

// bigResult is the size of a very long result; the race detector looks at every
// byte of it many times.
const bigResult = 1 << 20
