package engine

import (
	"testing"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/sessiontest"
)

// A conversation that a compaction replaced is read from the journal again, when the
// session goes back to before it.
func TestRewindToBeforeACompaction(t *testing.T) {
	user := func(id message.ID) event.UserSaid {
		return event.UserSaid{Prompt: event.PromptID(id), Message: message.Message{ID: id, Role: message.User, Content: "say " + string(id)}}
	}
	reply := func(id message.ID) event.Replied {
		return event.Replied{Message: message.Message{ID: id, Role: message.Assistant, Content: "text of " + string(id)}}
	}
	digest := message.Message{ID: "d", Role: message.User, Content: "digest"}
	records := []event.Payload{
		user("u1"), reply("m1"), user("u2"), reply("m2"),
		event.Folded{Edits: []event.Edit{{First: "u1", Last: "m1", With: []message.Message{digest}}}},
		user("u3"), reply("m3"),
		event.Rewound{Head: "m1", Was: "m3"},
		event.Rewound{Head: "m3", Was: "m1"},
	}
	store := sessiontest.Memory()
	log, err := store.Create(t.Context(), session.Meta{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{id: "s", store: store}
	h := history{rewinding: rewinding{past: j.past}}
	want := map[int]string{4: "d u2 m2", 7: "u1 m1", 8: "d u2 m2 u3 m3"}
	for i, p := range records {
		env := event.Envelope{Seq: event.Seq(i + 1), Payload: p}
		if err := log.Append(env); err != nil {
			t.Fatal(err)
		}
		h.apply(env)
		got := ""
		for _, m := range h.messages {
			got += " " + string(m.ID)
		}
		if w := want[i]; w != "" && got != " "+w {
			t.Errorf("after record %d: %s, want %s", i, got, w)
		}
	}
}

// Somebody else's change between two of ours is where a path stops going back.
func TestUndoStopsAtSomebodyElsesChange(t *testing.T) {
	var h history
	for i, f := range []event.File{
		{Path: "/a", ModeWas: "100644", Mode: "100644", Before: "1", After: "2"},
		{Path: "/a", ModeWas: "100644", Mode: "100644", Before: "theirs", After: "3"},
		{Path: "/b", Mode: "100644", After: "1"},
		{Path: "/b", ModeWas: "100644", Mode: "100644", Before: "1", After: "2"},
	} {
		h.at = event.Seq(i + 1)
		h.changed([]event.File{f})
	}
	files, kept := h.undo(0)
	at := map[string]event.File{}
	for _, f := range files {
		at[f.Path] = f
	}
	if len(kept) != 1 || kept[0].Path != "/a" || at["/a"].Before != "theirs" || at["/a"].After != "3" {
		t.Errorf("/a: %+v, kept %+v", at["/a"], kept)
	}
	if b := at["/b"]; b.ModeWas != "" || b.After != "2" {
		t.Errorf("/b: %+v", b)
	}
	if files, _ := h.undo(4); len(files) != 1 || files[0].Before != "1" {
		t.Errorf("since the last: %+v", files)
	}
}
