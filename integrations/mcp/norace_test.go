//go:build !race

package mcp_test

// bigResult is the size of a very long result.
const bigResult = 10 << 20
