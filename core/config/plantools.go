package config

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A planTool is one reading of mcp__server__tool: both may hold "__", too.
type planTool struct{ server, tool string }

// planTools are the tools of a server that agent.plan_mode_allowed_tools names. A
// name that may be one of several servers' trusts none of them.
func (c *Config) planTools(p *Plugin) []string {
	var tools []string
	for _, full := range c.Agent.PlanModeAllowedTools {
		readings := readPlanTool(full)
		if p.FromProject {
			readings = c.plainly(p, readings)
		} else {
			readings = c.ownPlanTool(readings)
		}
		if len(readings) == 1 && readings[0].server == p.Name {
			tools = append(tools, readings[0].tool)
		}
	}
	return tools
}

// readPlanTool lists how a full name can be read.
func readPlanTool(full string) (readings []planTool) {
	rest, ok := strings.CutPrefix(full, "mcp__")
	for i := 1; ok && i+2 < len(rest); i++ {
		if strings.HasPrefix(rest[i:], "__") {
			readings = append(readings, planTool{rest[:i], rest[i+2:]})
		}
	}
	return readings
}

// plainly leaves the one reading that names p, which a project had a hand in, letter
// by letter: whoever chose that name must not get the trust that was meant for
// another server.
func (c *Config) plainly(p *Plugin, readings []planTool) []planTool {
	if len(readings) != 1 || readings[0].server != p.Name {
		return nil
	}
	if slices.ContainsFunc(c.Plugins, func(q Plugin) bool { return q.Name != p.Name && mayStandFor(p.Name, q.Name) }) {
		return nil
	}
	return readings
}

// ownPlanTool are the readings by which a name means a server of the user's own: with
// the servers' names as they are, else as they stand in the names of tools.
func (c *Config) ownPlanTool(readings []planTool) (exact []planTool) {
	var folded []planTool
	for _, r := range readings {
		for i := range c.Plugins {
			switch q := &c.Plugins[i]; {
			case q.FromProject:
			case q.Name == r.server:
				exact = append(exact, r)
			case namePart(q.Name) == namePart(r.server):
				folded = append(folded, planTool{q.Name, r.tool})
			}
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return folded
}

// mayStandFor reports whether a server of that name may have part in the names of its
// tools, whatever the case: they are made legal, and are cut and end in a hash where
// two would meet.
func mayStandFor(part, name string) bool {
	part, name = strings.ToLower(namePart(part)), strings.ToLower(namePart(name))
	if part == name {
		return true
	}
	i := strings.LastIndexByte(part, '_')
	return i >= 0 && len(part)-i > shortHash && strings.Trim(part[i+1:], "0123456789abcdef") == "" && strings.HasPrefix(name, part[:i])
}

// shortHash is how long a hash in the name of a tool is at least.
const shortHash = 8

// namePart is a server's name as it stands in those of its tools, as long as it meets
// no other.
func namePart(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r): // the accent of the letter before it
		case bareKeyRune(r):
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' }), "_")
}
