// Command reasonix is a coding agent in one static binary.
package main

import (
	"os"

	"reasonix/commands"
)

// version is stamped by the linker (-X main.version=...).
var version string

func main() {
	os.Exit(commands.Main(version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
