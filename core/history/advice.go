package history

import (
	"fmt"
	"strings"
)

// Advice says what to do when a search has no hit.
func (r Result) Advice(scope Scope) string {
	what, where := "session", " of this workspace"
	if scope == Global {
		what, where = "session or archive", ""
	}
	if r.Sessions != 1 {
		what = strings.ReplaceAll(what, " or ", "s and ") + "s"
	}
	text := fmt.Sprintf("Nothing fits in %d %s%s. Try rarer words as they were written: names, paths, error texts.", r.Sessions, what, where)
	if scope != Global {
		text += " Scope global searches other workspaces and archives, too."
	}
	return strings.TrimSpace(text + " " + r.Unread())
}

// Unread says what was not searched; empty when everything was.
func (r Result) Unread() string {
	if r.Behind == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f MB of journals were not read yet; search again to go on.", float64(r.Behind)/1e6)
}
