package permission

import "strings"

// A family is a group of tools that one rule name speaks of.
type family int

const (
	noFamily family = iota
	familyBash
	familyEdit
	familyRead
)

// familyOf returns the family that a rule's tool names. A tool's own name, such
// as bash or read_file, is not a family, but bash has no sibling, so its name and
// the family's are the same.
func familyOf(ruleTool string) family {
	switch {
	case strings.EqualFold(ruleTool, "bash"):
		return familyBash
	case strings.EqualFold(ruleTool, "edit"), ruleTool == "Write", ruleTool == "MultiEdit":
		return familyEdit
	case strings.EqualFold(ruleTool, "read"):
		return familyRead
	}
	return noFamily
}

// memberOf returns the family a tool belongs to.
func memberOf(toolName string) family {
	switch toolName {
	case "bash":
		return familyBash
	case "write_file", "edit_file", "multi_edit", "move_file", "notebook_edit", "delete_range", "delete_symbol":
		return familyEdit
	case "read_file", "view_image", "ls", "glob", "grep":
		return familyRead
	}
	return noFamily
}

// speaksOf reports whether the rule is about toolName at all.
func (r Rule) speaksOf(toolName string) bool {
	if r.Tool == "" {
		return false
	}
	if f := familyOf(r.Tool); f != noFamily {
		return f == memberOf(toolName)
	}
	if strings.EqualFold(r.Tool, toolName) {
		return true
	}
	if !strings.HasPrefix(r.Tool, "mcp__") {
		return false
	}
	// mcp__server and mcp__server__* are every tool of a server.
	server := strings.TrimSuffix(r.Tool, "__*")
	rest, ok := strings.CutPrefix(toolName, server)
	return ok && strings.HasPrefix(rest, "__") && strings.Count(server, "__") == 1
}
