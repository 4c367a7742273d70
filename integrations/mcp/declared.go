package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"reasonix/integrations/mcp/shape"
)

// A declared server is what its configuration says of it, and what follows from that. It
// never changes.
type declared struct {
	world *World
	cfg   Config
	part  string // stands for it in the names of its tools
}

func (d declared) error(what string) error {
	return fmt.Errorf("MCP server %s: %s", d.cfg.Name, printable(brief(what)))
}

// maxFault bounds, in bytes, what is told of a fault: its text is a server's own.
const maxFault = 4 << 10

// brief is the beginning and the end of a text that is longer than maxFault.
func brief(text string) string {
	left := len(text) - maxFault
	if left <= 0 {
		return text
	}
	head, tail := text[:maxFault*3/4], text[len(text)-maxFault/4:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[... %d bytes left out ...]\n", left) + strings.ToValidUTF8(tail, "")
}

// file is the server's name in files. That of a project's server has its identity in
// it: whoever chooses its name must not get what another server keeps.
func (d declared) file() string {
	if !d.cfg.FromProject {
		return d.part
	}
	return d.part + "-" + d.cfg.identity(*d.world)[:fileHash]
}

// asks and samples report what the server is told that it may ask of us.
func (d declared) asks() bool    { return d.world.Ask != nil }
func (d declared) samples() bool { return d.world.Sample != nil && d.cfg.Sampling }

// authorized reports whether the configuration itself has what authorizes.
func (d declared) authorized() bool {
	for name := range d.cfg.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return d.cfg.HeadersHelper != ""
}

// cacheKey tells what the server is and what it was told.
func (d declared) cacheKey() string {
	can := fmt.Sprintf("%s elicitation=%t sampling=%t %s", d.cfg.identity(*d.world), d.asks(), d.samples(), d.cfg.protocol())
	sum := sha256.Sum256([]byte(can))
	return hex.EncodeToString(sum[:8])
}

// commands gives the server's prompts their commands and sorts them.
func (d declared) commands(all []Prompt) []Prompt {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	commands := shape.Names(d.part, names)
	for i, name := range names {
		all[i].Server, all[i].Command = d.cfg.Name, commands[name]
	}
	slices.SortFunc(all, func(a, b Prompt) int { return strings.Compare(a.Command, b.Command) })
	return all
}
