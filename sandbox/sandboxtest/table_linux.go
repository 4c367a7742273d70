package sandboxtest

import (
	"fmt"
	"slices"
	"strings"

	"reasonix/sandbox"
)

// Table writes what each Runner holds, and the attempts it is measured by, as
// Markdown. The Runners are those that pass Escapes.
func Table(runners ...sandbox.Runner) string {
	var b strings.Builder
	b.WriteString("| guarantee |")
	for _, r := range runners {
		fmt.Fprintf(&b, " %s |", r.Way())
	}
	b.WriteString(" attempts |\n|---|" + strings.Repeat("---|", len(runners)) + "---|\n")
	for _, g := range guarantees() {
		fmt.Fprintf(&b, "| %s |", g)
		for _, r := range runners {
			held := "no"
			if slices.Contains(r.Holds(), g) {
				held = "held"
			}
			fmt.Fprintf(&b, " %s |", held)
		}
		fmt.Fprintf(&b, " %s |\n", strings.Join(attemptsAt(g), "; "))
	}
	return b.String()
}

func attemptsAt(g sandbox.Guarantee) []string {
	var names []string
	for _, a := range attempts {
		if a.holds == g {
			names = append(names, a.name)
		}
	}
	return names
}

// Work lists what was done confined, in words.
func Work() []string {
	var names []string
	for _, w := range work {
		names = append(names, w.name)
	}
	return names
}
