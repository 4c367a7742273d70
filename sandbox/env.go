package sandbox

import "strings"

// pathOf returns the search path of an environment.
func pathOf(env []string) string { return valueOf(env, "PATH") }

// valueOf returns the last value of a variable.
func valueOf(env []string, name string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}
