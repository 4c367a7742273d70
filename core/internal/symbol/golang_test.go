package symbol_test

import (
	"strings"
	"testing"
)

func TestGoConstantsThatOthersDependOn(t *testing.T) {
	for _, tt := range []struct{ name, group, symbol, unsure string }{
		{"iota at the head", "\tA = iota\n\tB\n\tC\n", "B", "numbered by iota"},
		{"iota in a later value", "\tA = 7\n\tB = 1 << (iota + 1)\n", "A", "numbered by iota"},
		{"iota in each value", "\tA = -iota\n\tB = -iota\n", "A", "numbered by iota"},
		{"iota inside a call", "\tA = 1\n\tB = len([iota]int{})\n", "A", "numbered by iota"},
		{"the last of them", "\tA = iota\n\tB\n", "B", ""},
		{"a value that is repeated", "\tA = 1\n\tB\n\tC\n", "A", "repeat its value"},
		{"one that repeats", "\tA = 1\n\tB\n\tC\n", "B", ""},
		{"values of their own", "\tA = 1\n\tB = 2\n", "A", ""},
		{"alone", "\tA = iota\n", "A", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "package p\n\nconst (\n" + tt.group + ")\n"
			s := (cut{"a.go", "const " + tt.symbol, text}).find(t, text)
			if (tt.unsure == "") != (s.Unsure == "") || !strings.Contains(s.Unsure, tt.unsure) {
				t.Errorf("unsure is %q, want %q", s.Unsure, tt.unsure)
			}
		})
	}
}
