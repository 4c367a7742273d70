package history_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/history"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

var epoch = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// world is a home directory with projects.
type world struct {
	t    testing.TB
	home string
}

func newWorld(t testing.TB) world { return world{t, t.TempDir()} }

func (w world) sessions(project string) string {
	return filepath.Join(w.home, "projects", project, "sessions")
}

func (w world) history(project string) *history.History {
	return history.New(history.Below(w.home, w.sessions(project)), time.Now)
}

// journal is a session being written.
type journal struct {
	world
	log  session.Log
	id   event.SessionID
	path string
	turn int
}

func (w world) journal(project, id string) *journal {
	w.t.Helper()
	store := jsonl.New(w.sessions(project), jsonl.Options{Workspace: "/work/" + project, Writer: "test"})
	log, err := store.Create(w.t.Context(), session.Meta{ID: event.SessionID(id), Created: epoch})
	if err != nil {
		w.t.Fatal(err)
	}
	j := &journal{world: w, log: log, id: event.SessionID(id), path: filepath.Join(w.sessions(project), id+".jsonl")}
	w.t.Cleanup(j.close)
	return j
}

func (j *journal) close() {
	if err := j.log.Close(); err != nil {
		j.t.Error(err)
	}
}

func (j *journal) emit(p event.Payload) event.Seq {
	j.t.Helper()
	seq := j.log.Last() + 1
	if err := j.log.Append(event.Envelope{Seq: seq, Time: epoch.Add(time.Duration(seq) * time.Second), Turn: j.turn, Payload: p}); err != nil {
		j.t.Fatal(err)
	}
	return seq
}

func (j *journal) user(text string) event.Seq {
	j.t.Helper()
	j.turn++
	return j.emit(event.UserSaid{Display: text, Message: message.Message{Role: message.User, Content: text + "\n\nadded by itself: zebra"}})
}

func (j *journal) reply(text string, calls ...message.ToolCall) event.Seq {
	j.t.Helper()
	m := message.Message{Role: message.Assistant, Content: text, ToolCalls: calls, Reasoning: []message.Reasoning{{Text: "okapi"}}}
	return j.emit(event.Replied{Message: m})
}

func (j *journal) result(name, title, text string) event.Seq {
	j.t.Helper()
	return j.emit(event.ToolFinished{Title: title, Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, Name: name, Content: text}})
}

func search(t testing.TB, h *history.History, q history.Query) history.Result {
	t.Helper()
	if q.Scope == "" {
		q.Scope = history.Project
	}
	r, err := h.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// places are the hits as session:seq.
func places(r history.Result) []string {
	var list []string
	for _, h := range r.Hits {
		list = append(list, fmt.Sprintf("%s:%d", h.Session, h.Seq))
	}
	return list
}

func TestHitSaysWhereAndWho(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "20260102-150405-aaaaaa")
	j.emit(event.Configured{Model: "m"})
	j.user("why does the watchdog fire?\nmore")
	j.reply("Looking.", message.ToolCall{ID: "1", Name: "grep", Arguments: `{"pattern":"heartbeatInterval","path":"core/lease.go"}`})
	seq := j.result("grep", "grep heartbeatInterval", strings.Repeat("filler text ", 60)+"lease.go:12: heartbeatInterval is thirty seconds "+strings.Repeat("more filler ", 60))
	j.reply("The watchdog fires because heartbeats come too late.")
	r := search(t, w.history("app"), history.Query{Text: "thirty seconds heartbeat"})
	if len(r.Hits) == 0 {
		t.Fatal("no hit")
	}
	h := r.Hits[0]
	if !strings.Contains(h.Snippet, "heartbeatInterval is thirty seconds") || len(h.Snippet) > 260 {
		t.Errorf("snippet %q", h.Snippet)
	}
	var marked []string
	for _, m := range h.Marks {
		marked = append(marked, h.Snippet[m.Start:m.End])
	}
	if diff := cmp.Diff([]string{"heartbeatInterval", "thirty", "seconds"}, marked); diff != "" {
		t.Errorf("marked (-want +got):\n%s", diff)
	}
	h.Snippet, h.Marks, h.Score = "", nil, 0
	want := history.Hit{
		Session: "20260102-150405-aaaaaa", Workspace: "/work/app", Own: true, Title: "why does the watchdog fire?", Seq: seq, Turn: 1,
		Time: epoch.Add(time.Duration(seq) * time.Second), Role: message.ToolRole, Tool: "grep", Terms: []string{"thirty", "seconds", "heartbeat"},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("hit (-want +got):\n%s", diff)
	}
	j.emit(event.Configured{Model: "m", Title: "The watchdog"})
	if got := search(t, w.history("app"), history.Query{Text: "heartbeat"}).Hits[0].Title; got != "The watchdog" {
		t.Errorf("title %q", got)
	}
}

func TestWhatIsTakenIn(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "s1")
	j.user("typed giraffe")
	j.reply("said lion", message.ToolCall{Name: "write_file", Arguments: `{"content":"tab\there panther\nnext jaguar","path":"src/ocelot.go"}`},
		message.ToolCall{Name: "history", Arguments: `{"query":"wombat"}`})
	j.result("bash", "go test ./badger", "FAIL otter")
	j.result("history", "history wombat", "1 hit: wombat")
	j.user("next turn")
	h := w.history("app")
	for word, found := range map[string]bool{
		"giraffe": true, "lion": true, "panther": true, "jaguar": true, "ocelot": true, "badger": true, "otter": true, "write_file": true,
		"zebra": false, "okapi": false, "wombat": false, "query": false,
	} {
		if got := len(search(t, h, history.Query{Text: word}).Hits) > 0; got != found {
			t.Errorf("%s found: %v, want %v", word, got, found)
		}
	}
}

func TestScopes(t *testing.T) {
	w := newWorld(t)
	w.journal("app", "s1").user("the quokka in app")
	w.journal("other", "s2").user("the quokka in other")
	archive := filepath.Join(w.home, "archive", "20260102T150405.000-s3-0001.jsonl")
	if err := os.MkdirAll(filepath.Dir(archive), 0o700); err != nil {
		t.Fatal(err)
	}
	lines := encode(t, message.Message{Role: message.User, Content: "first"}) + "not json\n" +
		encode(t, message.Message{Role: message.Assistant, Content: "the quokka in the archive"})
	if err := os.WriteFile(archive, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	h := w.history("app")
	if diff := cmp.Diff([]string{"s1:1"}, places(search(t, h, history.Query{Text: "quokka"}))); diff != "" {
		t.Errorf("project (-want +got):\n%s", diff)
	}
	global := search(t, h, history.Query{Text: "quokka", Scope: history.Global})
	got := map[string]string{}
	for _, h := range global.Hits {
		got[fmt.Sprintf("%s:%d", h.Session, h.Seq)] = h.Workspace
	}
	want := map[string]string{"s1:1": "/work/app", "s2:1": "/work/other", "archive/20260102T150405.000-s3-0001:3": ""}
	if diff := cmp.Diff(want, got); diff != "" || global.Sessions != 3 {
		t.Errorf("global of %d (-want +got):\n%s", global.Sessions, diff)
	}
	one := search(t, h, history.Query{Text: "quokka", Scope: history.Global, Session: "s2"})
	if diff := cmp.Diff([]string{"s2:1"}, places(one)); diff != "" {
		t.Errorf("one session (-want +got):\n%s", diff)
	}
	none := search(t, h, history.Query{Text: "axolotl"})
	if len(none.Hits) != 0 || none.Sessions != 1 {
		t.Errorf("got %+v", none)
	}
	shown, err := h.Show(t.Context(), history.Window{Session: "archive/20260102T150405.000-s3-0001", Around: 3, Before: 1, After: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(shown.Entries) != 2 || shown.Entries[0].Text != "first" || shown.Entries[1].Seq != 3 {
		t.Errorf("archive window %+v", shown.Entries)
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// What was asked just now is no answer to it; results of the running turn are.
func TestTheRunningTurnIsNoHit(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "now")
	old := j.user("the mongoose plan")
	j.user("what did we say about the mongoose?")
	j.reply("I search for mongoose.")
	result := j.result("bash", "cat notes", "mongoose notes")
	got := places(search(t, w.history("app"), history.Query{Text: "mongoose", Current: "now"}))
	want := []string{fmt.Sprintf("now:%d", old), fmt.Sprintf("now:%d", result)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// big makes a journal large enough for its index to be written.
func big(j *journal, word string) {
	j.t.Helper()
	for i := range 30 {
		j.user(fmt.Sprintf("prompt %d", i))
		j.result("bash", "cat", fmt.Sprintf("%s number%d ", word, i)+strings.Repeat(fmt.Sprintf("line%d of output ", i), 1500))
	}
}

func indexOf(w world, project string) string {
	return filepath.Join(w.home, "projects", project, "history.idx")
}

// The index follows its journals: growth, deletion, another file under the name, an
// edit, and damage to the index itself, without an answer that is wrong.
func TestIndexFollowsTheJournals(t *testing.T) {
	w := newWorld(t)
	h := w.history("app")
	j := w.journal("app", "s1")
	big(j, "platypus")
	find := func(word string) int { return len(search(t, h, history.Query{Text: word, Limit: 50}).Hits) }
	if got := find("platypus"); got != 30 {
		t.Fatalf("%d hits, want 30", got)
	}
	before, err := os.Stat(indexOf(w, "app"))
	if err != nil {
		t.Fatalf("no index was written: %v", err)
	}
	j.result("bash", "cat", "one echidna")
	if find("echidna") != 1 || find("platypus") != 30 {
		t.Error("growth is not found beside what is in the file")
	}
	if after, err := os.Stat(indexOf(w, "app")); err != nil || after.Size() != before.Size() {
		t.Errorf("a small growth was written at once: %v", err)
	}
	k := w.journal("app", "s2")
	big(k, "numbat")
	if find("numbat") != 30 || find("echidna") != 1 || find("platypus") != 30 {
		t.Error("a second journal is not found beside the first")
	}
	if err := os.Remove(k.path); err != nil {
		t.Fatal(err)
	}
	if find("numbat") != 0 || find("platypus") != 30 {
		t.Error("a deleted journal is still found, or another is not")
	}
	data, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	edited := []byte(strings.Replace(string(data), "one echidna", "two echidna", 1)) // the checksum is wrong now
	if err := os.WriteFile(j.path, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	if find("echidna") != 0 || find("platypus") != 30 {
		t.Error("an edited line is found, or the others are not")
	}
	if err := os.WriteFile(j.path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := find("platypus"); got < 13 || got > 16 {
		t.Errorf("%d hits in half of the journal", got)
	}
	if err := os.Remove(indexOf(w, "app")); err != nil {
		t.Fatal(err)
	}
	if got := find("platypus"); got < 13 || got > 16 {
		t.Errorf("%d hits without the index", got)
	}
}

func TestDamagedIndexIsBuiltAgain(t *testing.T) {
	w := newWorld(t)
	big(w.journal("app", "s1"), "platypus")
	h := w.history("app")
	query := history.Query{Text: "platypus number7 line7"}
	want := places(search(t, h, query))
	path := indexOf(w, "app")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "other": []byte(strings.Repeat("x", 5000)), "cut": good[:len(good)/2], "half a head": good[:20],
		"slots": append(append([]byte(nil), good[:8]...), make([]byte, len(good)-8)...),
	} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, places(search(t, h, query))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for i := 0; i < len(good); i += 1499 {
		bad := append([]byte(nil), good...)
		bad[i] ^= 0x20
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, places(search(t, h, query))); diff != "" {
			t.Fatalf("byte %d (-want +got):\n%s", i, diff)
		}
	}
}

// A second process searches while one writes the index, and where nothing can be
// written.
func TestSearchWithoutTheLock(t *testing.T) {
	w := newWorld(t)
	big(w.journal("app", "s1"), "platypus")
	lock, err := durable.Acquire(indexOf(w, "app") + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	h := w.history("app")
	if got := len(search(t, h, history.Query{Text: "platypus", Limit: 50}).Hits); got != 30 {
		t.Errorf("%d hits", got)
	}
	if _, err := os.Stat(indexOf(w, "app")); err == nil {
		t.Error("the index was written without the lock")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	for range 4 {
		go func() {
			r, err := w.history("app").Search(t.Context(), history.Query{Text: "platypus", Scope: history.Project, Limit: 50})
			if err != nil {
				t.Error(err)
			}
			done <- len(r.Hits)
		}()
	}
	for range 4 {
		if got := <-done; got != 30 {
			t.Errorf("%d hits in parallel", got)
		}
	}
}

// Many small commits leave few segments and a file not much larger than its content.
func TestIndexStaysSmall(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "s1")
	h := w.history("app")
	for i := range 6 {
		big(j, fmt.Sprintf("animal%d", i))
		search(t, h, history.Query{Text: "animal1"})
	}
	grown, err := os.Stat(indexOf(w, "app"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(indexOf(w, "app")); err != nil {
		t.Fatal(err)
	}
	search(t, h, history.Query{Text: "animal1"})
	fresh, err := os.Stat(indexOf(w, "app"))
	if err != nil {
		t.Fatal(err)
	}
	if grown.Size() > 2*fresh.Size()+2<<20 {
		t.Errorf("%d bytes after 6 rounds, %d when built at once", grown.Size(), fresh.Size())
	}
}

func TestPatienceLeavesTheRest(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		j := w.journal("app", fmt.Sprintf("s%d", i))
		big(j, "platypus")
		big(j, "platypus")
	}
	clock := epoch
	h := history.New(history.Below(w.home, w.sessions("app")), func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	})
	first := search(t, h, history.Query{Text: "platypus", Patience: time.Millisecond})
	if first.Behind == 0 || len(first.Hits) == 0 {
		t.Fatalf("behind %d bytes with %d hits, want some of both", first.Behind, len(first.Hits))
	}
	last := first
	for range 10 {
		last = search(t, h, history.Query{Text: "platypus", Patience: time.Millisecond})
		if last.Behind == 0 {
			return
		}
	}
	t.Errorf("still %d bytes behind", last.Behind)
}

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

// SE-01: a journal that was cut and goes on, with damaged lines in it.
func TestSE01DamagedLinesAreSkipped(t *testing.T) {
	w := newWorld(t)
	j := w.journal("app", "s1")
	j.user("the first tapir")
	j.user("the second tapir")
	j.user("the third tapir")
	data, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[2] = strings.Replace(lines[2], "second", "2nd", 1)
	torn := strings.Join(lines, "") + "\x00\xffgarbage\n{\"seq\":9\n" + lines[3][:40]
	if err := os.WriteFile(j.path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	h := w.history("app")
	if diff := cmp.Diff([]string{"s1:3", "s1:1"}, places(search(t, h, history.Query{Text: "tapir"}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tr, err := h.Show(t.Context(), history.Window{Session: "s1", Before: 10})
	if err != nil || len(tr.Entries) != 2 {
		t.Errorf("%d entries: %v", len(tr.Entries), err)
	}
}

func TestRepeatsAreOneHit(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.journal("app", fmt.Sprintf("s%d", i)).result("bash", "run", "the same capybara output")
	}
	if got := len(search(t, w.history("app"), history.Query{Text: "capybara"}).Hits); got != 1 {
		t.Errorf("%d hits", got)
	}
}

func TestNothingThere(t *testing.T) {
	w := newWorld(t)
	for _, scope := range []history.Scope{history.Project, history.Global} {
		if r := search(t, w.history("app"), history.Query{Text: "anything", Scope: scope}); len(r.Hits) > 0 || r.Sessions > 0 {
			t.Errorf("%s: %+v", scope, r)
		}
	}
	if entries, err := os.ReadDir(w.home); err != nil || len(entries) > 0 {
		t.Errorf("searching nothing made %v: %v", entries, err)
	}
}
