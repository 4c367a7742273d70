package session_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
)

func TestNewIDIsUTCTimeAndSixHexDigits(t *testing.T) {
	now := time.Date(2026, 1, 2, 17, 4, 5, 999, time.FixedZone("", 2*3600))
	id, err := session.NewID(now, bytes.NewReader([]byte{0xa1, 0xb2, 0xc3}))
	if err != nil {
		t.Fatal(err)
	}
	if want := event.SessionID("20260102-150405-a1b2c3"); id != want {
		t.Errorf("got %s, want %s", id, want)
	}
	if !session.ValidID(id) {
		t.Errorf("%s is not valid", id)
	}
	if _, err := session.NewID(now, strings.NewReader("x")); err == nil {
		t.Error("no error without randomness")
	}
}

func TestValidIDRefusesWhatIsNoFileName(t *testing.T) {
	for _, id := range []event.SessionID{
		"", ".", "..", "../x", "a/b", `a\b`, "a.lock", "a b", "é", "a\x00", "C:x",
		event.SessionID(strings.Repeat("a", 65)),
	} {
		if session.ValidID(id) {
			t.Errorf("%q is valid", id)
		}
	}
}
