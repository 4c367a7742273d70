// Command reasonix-plugin-example is a small MCP server to read, to copy and to
// test with: two tools that answer at once, a slow one that reports progress, a
// prompt and a resource. It speaks over standard input and output, keeps nothing and touches
// no file. Try it:
//
//	go build -o plugin-example ./cmd/reasonix-plugin-example
//	reasonix mcp add example -- ./plugin-example
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const usage = `reasonix-plugin-example is an MCP server on standard input and output.

Tools      echo       returns its text
           wordcount  counts lines, words and characters (read-only)
           countdown  counts down from a number, with progress
Prompts    review     asks for a review of a file
Resources  example://about

Usage: reasonix-plugin-example [--help]

Declare it in config.toml:

  [[plugins]]
  name = "example"
  command = "/path/to/reasonix-plugin-example"
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], &mcp.StdioTransport{}, os.Stdout, os.Stderr))
}

// run serves until the client goes away, and returns the exit code: 0 when it
// did, 1 when the connection broke, 2 for a wrong command line.
func run(ctx context.Context, args []string, transport mcp.Transport, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("reasonix-plugin-example", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "reasonix-plugin-example: %v\n\n%s", err, usage)
		return 2
	}
	// Standard output belongs to the protocol; a server's own words go to stderr.
	if err := newServer().Run(ctx, transport); err != nil && ctx.Err() == nil {
		fmt.Fprintln(stderr, "reasonix-plugin-example:", err)
		return 1
	}
	return 0
}
