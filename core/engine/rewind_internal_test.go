package engine

import (
	"strings"
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
	j := newJournal(Parts{}, store)
	j.id = "s"
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
		h.changed([]event.File{f}, 0)
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

// A call that changed more than one record names is recorded as a whole in several.
func TestManyChangesAreRecordedWhole(t *testing.T) {
	for _, c := range []struct{ files, records, more int }{
		{0, 0, 0},
		{1, 1, 0},
		{maxFiles, 1, 0},
		{maxFiles + 1, 2, 0},
		{8001, 2, 0},
		{maxFiles*maxRecords + 7, maxRecords, 7},
	} {
		n := 0
		all := changesOf("c", make([]event.File, c.files))
		for _, p := range all {
			n += len(p.Files)
			if len(p.Files) > maxFiles || p.More != c.more {
				t.Errorf("%d files: a record of %d, more %d", c.files, len(p.Files), p.More)
			}
		}
		if len(all) != c.records || n != c.files-c.more {
			t.Errorf("%d files: %d in %d records", c.files, n, len(all))
		}
	}
}

// What a call made may be what it moved there from a path that is not recorded.
func TestUndoRemovesNothingOfACallThatIsNotRecordedWhole(t *testing.T) {
	var h history
	for i, p := range []event.FilesChanged{
		{Files: []event.File{{Path: "/whole", Mode: "100644", After: "1"}}},
		{Files: []event.File{
			{Path: "/moved", Mode: "100644", After: "1"},
			{Path: "/gone", ModeWas: "100644", Before: "1"},
		}, More: 3},
	} {
		h.apply(event.Envelope{Seq: event.Seq(i + 1), Payload: p})
	}
	files, kept := h.undo(0)
	if len(kept) != 2 || kept[0].Path != "/moved" || !strings.HasPrefix(kept[1].Reason, "3 more that a call changed") {
		t.Errorf("kept %+v", kept)
	}
	if got := paths(files); got != "/gone /whole" {
		t.Errorf("put back %s", got)
	}
}

// The parent has what files were before a fork; the fork says what it leaves.
func TestUndoNamesWhatWasChangedBeforeAFork(t *testing.T) {
	var h history
	made := func(path string) event.FilesChanged {
		return event.FilesChanged{Files: []event.File{{Path: path, Mode: "100644", After: "1"}}}
	}
	for i, p := range []event.Payload{
		made("/first"), made("/second"), event.Opened{Reason: event.OpenedForked}, made("/own"),
	} {
		h.apply(event.Envelope{Seq: event.Seq(i + 1), Payload: p})
	}
	for since, want := range map[event.Seq]string{1: "/second /first", 2: "/second", 3: ""} {
		files, kept := h.undo(since)
		var names []string
		for _, k := range kept {
			names = append(names, k.Path)
		}
		if got := strings.Join(names, " "); got != want || paths(files) != "/own" {
			t.Errorf("since %d: kept %+v, put back %s", since, kept, paths(files))
		}
	}
}

// A process that was killed recorded nothing of the call that ran; a rewind says so.
func TestUndoNamesACallThatWasCutOff(t *testing.T) {
	for kind, want := range map[string]int{"execute": 1, "edit": 1, "read": 0} {
		var h history
		reply := message.Message{ID: "m", Role: message.Assistant, ToolCalls: []message.ToolCall{{ID: "done"}, {ID: "cut"}}}
		for i, p := range []event.Payload{
			event.Replied{Message: reply},
			event.ToolStarted{Call: "done", Kind: kind},
			event.ToolFinished{Call: "done", Status: event.StatusOK},
			event.ToolStarted{Call: "cut", Kind: kind},
			event.Opened{Reason: event.OpenedResumed},
			event.ToolFinished{Call: "cut", Status: event.StatusInterrupted},
			event.Opened{Reason: event.OpenedResumed},
		} {
			h.apply(event.Envelope{Seq: event.Seq(i + 1), Payload: p})
		}
		if _, kept := h.undo(1); len(kept) != want || want == 1 && kept[0].Reason != cutShort {
			t.Errorf("%s: kept %+v", kind, kept)
		}
		if _, kept := h.undo(5); len(kept) != 0 {
			t.Errorf("%s: kept of a later time %+v", kind, kept)
		}
	}
}

func paths(files []event.File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return strings.Join(names, " ")
}

// A rewind that has no end yet is over as soon as the session goes on without it.
func TestAnUnfinishedRewindEndsWhereTheSessionGoesOn(t *testing.T) {
	for _, c := range []struct {
		behind event.Payload
		open   bool
	}{
		{event.Opened{Reason: event.OpenedResumed}, true},
		{event.Configured{}, true},
		{event.Notice{}, true},
		{event.Ended{}, true},
		{event.Opened{Reason: event.OpenedForked}, false},
		{event.PromptQueued{ID: "p"}, false},
		{event.TurnStarted{Prompt: "p"}, false},
		{event.UserSaid{Prompt: "p"}, false},
		{event.Folded{}, false},
		{event.Rewound{}, false},
	} {
		var h history
		h.apply(event.Envelope{Seq: 1, Payload: event.Rewinding{Head: "a", Was: "b"}})
		h.apply(event.Envelope{Seq: 2, Payload: c.behind})
		if open := h.intent != nil; open != c.open {
			t.Errorf("behind %T: open %t", c.behind, open)
		}
	}
}
