package cmdutil

import (
	"runtime/debug"
	"strings"
)

// Version returns stamped, the version the linker wrote, or what the build knows
// of itself: the module's version, else its commit, else "devel".
func Version(stamped string) string {
	if stamped != "" {
		return strings.TrimPrefix(stamped, "v")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return strings.TrimPrefix(v, "v")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
