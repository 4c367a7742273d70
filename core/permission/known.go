package permission

import "strings"

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
		if d := edits(word, strings.ToLower(name)); d < best {
			nearest, best = name, d
		}
	}
	return nearest, false
}

// edits counts the bytes to insert, delete or replace to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
