package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/history"
	"reasonix/core/session"
)

func TestShow(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "20260102-150405-aaaaaa")
	w.journal("app", "20260102-150405-aabbbb").user("another")
	w.journal("other", "20251231-000000-cccccc").user("elsewhere")
	var seqs []event.Seq
	for i := range 300 {
		seqs = append(seqs, j.user(fmt.Sprintf("prompt %d %s", i, strings.Repeat("p", i*7))))
		j.emit(event.TurnEnded{Outcome: event.Completed})
	}
	h := w.history("app")
	show := func(win history.Window) history.Transcript {
		t.Helper()
		tr, err := h.Show(t.Context(), win)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	numbers := func(tr history.Transcript) (list []event.Seq) {
		for _, e := range tr.Entries {
			list = append(list, e.Seq)
		}
		return list
	}
	for _, c := range []struct {
		around         event.Seq
		before, after  int
		want           []event.Seq
		earlier, later bool
	}{
		{0, 3, 3, seqs[297:], true, false},
		{seqs[0], 2, 1, seqs[:2], false, true},
		{seqs[150], 2, 1, seqs[148:152], true, true},
		{seqs[150] + 1, 1, 0, seqs[150:152], true, true},
		{seqs[299], 1, 5, seqs[298:], true, false},
		{seqs[299] + 50, 2, 5, seqs[298:], true, false},
		{0, 400, 0, seqs, false, false},
	} {
		tr := show(history.Window{Session: "20260102-150405-aaaaaa", Around: c.around, Before: c.before, After: c.after})
		if diff := cmp.Diff(c.want, numbers(tr)); diff != "" || tr.Earlier != c.earlier || tr.Later != c.later {
			t.Errorf("around %d: earlier %v, later %v (-want +got):\n%s", c.around, tr.Earlier, tr.Later, diff)
		}
	}
	tr := show(history.Window{Session: "20260102-150405-aaa", Before: 1, Text: 100})
	if e := tr.Entries[0]; e.Cut == 0 || !strings.HasPrefix(e.Text, "prompt 299") || len(e.Text) > 130 {
		t.Errorf("text of %d bytes, %d cut", len(e.Text), e.Cut)
	}
	if tr.Session != "20260102-150405-aaaaaa" || tr.Title != "prompt 0" || tr.Workspace != "/work/app" {
		t.Errorf("got %q %q %q", tr.Session, tr.Title, tr.Workspace)
	}
	if tr := show(history.Window{Session: "2025", Before: 1}); tr.Workspace != "/work/other" {
		t.Errorf("a session of another workspace: %+v", tr)
	}
	if _, err := h.Show(t.Context(), history.Window{Session: "2026"}); !isAmbiguous(err) {
		t.Errorf("got %v", err)
	}
	for _, id := range []string{"", "nope", "../x", "archive/", "archive/nope"} {
		if _, err := h.Show(t.Context(), history.Window{Session: id}); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func isAmbiguous(err error) bool {
	_, ok := errors.AsType[*history.AmbiguousError](err)
	return ok
}
