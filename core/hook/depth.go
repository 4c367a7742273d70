package hook

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxDepth is how many hooks may run inside each other: a hook that starts a session
// has that session's hooks run, which may start one again.
const MaxDepth = 3

// depthVariable tells what a hook starts how many hooks are around it.
const depthVariable = "REASONIX_HOOK_DEPTH"

// depthOf is how many hooks are around a program with that environment. What is no
// number was not written by a hook and counts as 0.
func depthOf(environ []string) int {
	depth := 0
	for _, e := range environ {
		if value, ok := strings.CutPrefix(e, depthVariable+"="); ok {
			depth, _ = strconv.Atoi(value) // the largest for a number that is too large
		}
	}
	return max(0, depth)
}

// deepError says that a hook is not run, because that could go on without end.
type deepError struct{}

func (e *deepError) Error() string {
	return fmt.Sprintf("it was not run: %d hooks are around this session already, each of which started the next (%s)", MaxDepth, depthVariable)
}
