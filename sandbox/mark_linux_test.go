package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkReplacesTheRunnersOwnAndKeepsOthers(t *testing.T) {
	m := marker{text: "ours"}
	first := marked([]string{"A=1", "REASONIX_SUPERVISED=theirs.7;", "B="}, m.next())
	if diff := cmp.Diff([]string{"A=1", "B=", "REASONIX_SUPERVISED=ours.1;theirs.7;"}, first); diff != "" {
		t.Error(diff)
	}
	carried := marked(first, m.next())
	if diff := cmp.Diff([]string{"A=1", "B=", "REASONIX_SUPERVISED=ours.2;theirs.7;"}, carried); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"REASONIX_SUPERVISED=ours.3;"}, marked(nil, m.next())); diff != "" {
		t.Error(diff)
	}
}

func TestFirstWordsOfASupervisorAreTheCause(t *testing.T) {
	for said, want := range map[string]string{
		"": "",
		"panic: no such thing\n\ngoroutine 1 [running]:\nmain.main()\n": "panic: no such thing",
		"==================\nWARNING: DATA RACE\nRead at\n":             "WARNING: DATA RACE",
		"cut off": "cut off",
	} {
		if got := firstWords(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
