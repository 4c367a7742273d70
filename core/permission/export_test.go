package permission

import "strings"

// HarmlessNames are the variables that may be set before a command.
func HarmlessNames() []string { return strings.Fields(harmlessNames) }
