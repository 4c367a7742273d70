// Command reasonix is a coding agent in one static binary. It links the built-in
// providers and tools, which register themselves, and leaves the rest to the
// commands package.
package main

import (
	"os"

	"reasonix/commands"
	_ "reasonix/core/provider/demo"
	_ "reasonix/core/provider/openai"
	_ "reasonix/core/tool/file"
	_ "reasonix/core/tool/plan"
	_ "reasonix/core/tool/recall"
	_ "reasonix/core/tool/search"
	_ "reasonix/core/tool/shell"
	_ "reasonix/core/tool/skill"
	_ "reasonix/core/tool/vision"
	_ "reasonix/core/tool/web"
	"reasonix/sandbox"
)

// version is stamped by the linker (-X main.version=...).
var version string

func main() {
	if sandbox.Helper(os.Args) {
		return
	}
	os.Exit(commands.Main(version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
