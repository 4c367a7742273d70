package demo

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
)

// diff is one of file f in which a became b, at line n.
func diff(f, a, b, n string) event.Diff {
	text := "--- a/" + f + "\n+++ b/" + f + "\n@@ -" + n + ",3 +" + n + ",3 @@\n x\n-" + a + "\n+" + b + "\n y\n"
	return event.Diff{Path: "/p/" + f, Unified: text}
}

func TestAChangeThatIsTakenBackLeavesNothing(t *testing.T) {
	ab, ba, ac := diff("f", "a", "b", "7"), diff("f", "b", "a", "7"), diff("f", "a", "c", "7")
	far, other := diff("f", "b", "a", "9"), diff("g", "b", "a", "7")
	for _, tt := range []struct {
		name     string
		in, want changes
	}{
		{"one", changes{ab}, changes{ab}},
		{"and back", changes{ab, ba}, changes{}},
		{"back and another", changes{ab, ba, ac}, changes{ac}},
		{"back with another file between", changes{ab, other, ba}, changes{other}},
		{"the same words elsewhere", changes{ab, far}, changes{ab, far}},
		{"the same words in another file", changes{ab, other}, changes{ab, other}},
		{"not the last of its file", changes{ab, far, ba}, changes{ab, far, ba}},
	} {
		got := changes{}
		for _, d := range tt.in {
			got.add(d)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestReversedExchangesSidesAndRanges(t *testing.T) {
	const forth = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n-a\n-b\n+c\n+d\n+e\n@@ -9 +10,2 @@ \n k\n+n\n"
	const back = "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n-c\n-d\n-e\n+a\n+b\n@@ -10,2 +9 @@\n k\n-n\n"
	if d := cmp.Diff(back, reversed(forth)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
