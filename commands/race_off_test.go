//go:build !race

package commands_test

const crashes = 50
