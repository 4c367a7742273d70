package permission

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Known reports whether rule speaks of a tool there is: a family, one of
// toolNames, or a tool of an MCP server, whose names only the server knows. If
// not, nearest is the name most like it, "" when none is.
func Known(rule Rule, toolNames []string) (nearest string, ok bool) {
	if familyOf(rule.Tool) != noFamily || strings.HasPrefix(rule.Tool, "mcp__") {
		return "", true
	}
	word := strings.ToLower(rule.Tool)
	best := max(1, len(word)/3) + 1
	for _, name := range append([]string{"Bash", "Edit", "Read"}, toolNames...) {
		if strings.EqualFold(name, rule.Tool) {
			return "", true
		}
		if d := levenshtein.ComputeDistance(word, strings.ToLower(name)); d < best {
			nearest, best = name, d
		}
	}
	return nearest, false
}
