package environment

import (
	"runtime"
	"strings"
)

// release names the version of the operating system where a file has it.
func release() string {
	switch runtime.GOOS {
	case "linux":
		return osRelease(start("/etc/os-release"))
	case "darwin":
		return plistVersion(start("/System/Library/CoreServices/SystemVersion.plist"))
	}
	return ""
}

// osRelease returns PRETTY_NAME of an os-release file.
func osRelease(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

// plistVersion returns the ProductVersion of a property list.
func plistVersion(text string) string {
	_, rest, ok := strings.Cut(text, "<key>ProductVersion</key>")
	if !ok {
		return ""
	}
	if v := firstVersion(rest); v != "" {
		return "macOS " + v
	}
	return ""
}
