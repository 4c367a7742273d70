package run

import (
	"strings"
	"testing"

	"reasonix/core/event"
)

func TestATitleHidesNothing(t *testing.T) {
	for title, want := range map[string]string{
		"touch a\u202eb":   "touch a<U+202E>b",
		"a\x1b[31mb\nc":    "a[31mb",
		"echo 你好 → é\tend": "echo 你好 → é\tend",
	} {
		if got := oneLineTitle(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

// TestANoticeSteersNoTerminal: whatever it quotes, of a hook or a server for example.
func TestANoticeSteersNoTerminal(t *testing.T) {
	var out strings.Builder
	p := &textPrinter{err: &out}
	p.draw(event.Envelope{Payload: event.Notice{Level: event.LevelWarning, Text: "two\n\tlines\x1b[2J of \u202etxt\u009b"}})
	p.warn("\x1b]0;title\a")
	if got, want := out.String(), "· warning: two\n\tlines[2J of <U+202E>txt\nwarning: ]0;title\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
