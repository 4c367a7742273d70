package walk

import (
	"strings"

	"reasonix/core/internal/gitconfig"
)

// gitConfig is the little of git's configuration that matters here. Included
// files and the system's are not read.
type gitConfig struct {
	excludesFile string
	hasExcludes  bool
	ignoreCase   bool
	sha256       bool
}

// parse lets data's settings replace those of c.
func (c *gitConfig) parse(data []byte) {
	for s := range gitconfig.Settings(data) {
		if s.Sub == "" {
			c.set(s.Section+"."+s.Key, s.Value, s.Set)
		}
	}
}

func (c *gitConfig) set(key, value string, set bool) {
	switch key {
	case "core.excludesfile":
		c.excludesFile, c.hasExcludes = value, true
	case "core.ignorecase":
		switch strings.ToLower(value) {
		case "true", "yes", "on", "1":
			c.ignoreCase = true
		default:
			c.ignoreCase = !set
		}
	case "extensions.objectformat":
		c.sha256 = strings.EqualFold(value, "sha256")
	}
}
