package event_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"reasonix/core/event"
)

func TestBriefKeepsBothEnds(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"short", "a\nb", "a\nb"},
		{"just fits", strings.Repeat("漢", event.MaxWords), strings.Repeat("漢", event.MaxWords)},
		{"too long", strings.Repeat("漢", 3000) + strings.Repeat("b", 3000), strings.Repeat("漢", 1996) + "\n[...]\n" + strings.Repeat("b", 1996)},
		{"by one", strings.Repeat("a", event.MaxWords+1), strings.Repeat("a", 1996) + "\n[...]\n" + strings.Repeat("a", 1996)},
	} {
		got := event.Brief(c.text)
		if got != c.want {
			t.Errorf("%s: got %d bytes, want %d", c.name, len(got), len(c.want))
		}
		if utf8.RuneCountInString(got) > event.MaxWords || event.Brief(got) != got {
			t.Errorf("%s: %d characters, or another text when it is made brief again", c.name, utf8.RuneCountInString(got))
		}
	}
}

func TestOneLineIsBounded(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"breaks", " fix\n\tthe  bug ", "fix the bug"},
		{"long", strings.Repeat("漢", 300), strings.Repeat("漢", 199) + "…"},
		{"mostly space", "a" + strings.Repeat(" ", 1<<20) + "b", "a…"},
	} {
		if got := event.OneLine(c.text); got != c.want {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

func TestSpendSumsByCurrencyAndChangesNothing(t *testing.T) {
	first := event.Spend(nil, event.Money{Amount: 1, Currency: "USD"})
	both := event.Spend(first, event.Money{Amount: 2, Currency: "CNY"})
	more := event.Spend(both, event.Money{Amount: 3, Currency: "USD", Estimated: true})
	if want := []event.Money{{Amount: 4, Currency: "USD", Estimated: true}, {Amount: 2, Currency: "CNY"}}; !slices.Equal(more, want) {
		t.Errorf("got %+v", more)
	}
	if both[0].Amount != 1 || len(first) != 1 {
		t.Errorf("an older sum changed: %+v, %+v", first, both)
	}
}
