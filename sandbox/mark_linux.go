package sandbox

import (
	"crypto/rand"
	"strconv"
	"strings"
)

// markVar is the environment variable that every command gets, and so whatever
// it starts. Its value is a list of marks: one of the supervisor, and those that
// the command's owner had itself when it runs under another owner's supervisor.
// It is how an owner knows what a dead supervisor had; see sweep.
const markVar = "REASONIX_SUPERVISED"

// A marker makes the marks of one Runner: a random text, a number, an end.
type marker struct {
	text string // of the Runner; made by the first mark
	last int
}

// next returns the mark of one more supervisor.
func (m *marker) next() string {
	if m.text == "" {
		m.text = rand.Text()
	}
	m.last++
	return m.text + "." + strconv.Itoa(m.last) + ";"
}

// marked returns env with mark. An environment that comes from an earlier command
// of the same Runner, as that of a shell whose exports are carried over, has that
// command's mark, which goes; marks of other Runners stay.
func marked(env []string, mark string) []string {
	ours, _, _ := strings.Cut(mark, ".")
	list := mark
	after := make([]string, 0, len(env)+1)
	for _, kv := range env {
		value, ok := strings.CutPrefix(kv, markVar+"=")
		if !ok {
			after = append(after, kv)
			continue
		}
		for m := range strings.SplitAfterSeq(value, ";") {
			if !strings.HasPrefix(m, ours+".") {
				list += m
			}
		}
	}
	return append(after, markVar+"="+list)
}
