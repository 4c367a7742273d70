package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// filmed is a store on disk of which a picture is taken behind each record: what a
// process leaves that is killed there.
type filmed struct {
	session.Store
	t   *testing.T
	dir string

	mu       sync.Mutex
	on       bool
	pictures []picture
}

// picture is a directory as it was behind a record.
type picture struct {
	kind  string
	files map[string][]byte
}

func (f *filmed) Create(ctx context.Context, m session.Meta) (session.Log, error) {
	log, err := f.Store.Create(ctx, m)
	return filmedLog{log, f}, err
}

func (f *filmed) Open(ctx context.Context, id event.SessionID) (session.Log, error) {
	log, err := f.Store.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	f.take("opened")
	return filmedLog{log, f}, nil
}

type filmedLog struct {
	session.Log
	film *filmed
}

func (l filmedLog) Append(batch ...event.Envelope) error {
	if err := l.Log.Append(batch...); err != nil {
		return err
	}
	l.film.take(event.KindOf(batch[len(batch)-1].Payload).Type)
	return nil
}

func (f *filmed) take(kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on {
		return
	}
	p := picture{kind, map[string][]byte{}}
	entries, err := os.ReadDir(f.dir)
	for _, e := range entries {
		if err == nil && !e.IsDir() && !strings.HasPrefix(e.Name(), ".tmp-") {
			p.files[e.Name()], err = os.ReadFile(filepath.Join(f.dir, e.Name()))
		}
		if os.IsNotExist(err) {
			err = nil // it was derived, and is being made anew
		}
	}
	if err != nil {
		f.t.Error(err)
	}
	f.pictures = append(f.pictures, p)
}

// film begins with a picture of what is there.
func (f *filmed) film() {
	f.mu.Lock()
	f.on = true
	f.mu.Unlock()
	f.take("before")
}

func (f *filmed) developed() []picture {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.pictures)
}

// filming is the world's engine over a filmed directory.
func (w *world) filming(t *testing.T) (*engine.Engine, *filmed) {
	f := &filmed{t: t, dir: t.TempDir()}
	f.Store = jsonl.New(f.dir, jsonl.Options{Workspace: "/work"})
	return w.over(f.dir, f), f
}

// after opens a session of a picture, says something and returns the conversation before
// that. torn cuts the last record of the journal in two.
func (w *world) after(t *testing.T, p picture, id event.SessionID, torn bool) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range p.files {
		if torn && name == string(id)+".jsonl" {
			whole := strings.LastIndexByte(strings.TrimSuffix(string(data), "\n"), '\n') + 1
			data = data[:(whole+len(data))/2]
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := w.onDisk(dir).Open(t.Context(), protocol.Spec{Session: id, Workspace: "/work"})
	if err != nil {
		t.Fatalf("killed behind %s: %v", p.kind, err)
	}
	defer s.Close()
	if ended := say(t, protocoltest.NewClient(t, s, nil), "after"); ended.Outcome != event.Completed {
		t.Errorf("killed behind %s: %+v", p.kind, ended)
	}
	return w.asked(t)
}

// asked is the conversation before the last prompt, as the model was sent it.
func (w *world) asked(t *testing.T) string {
	t.Helper()
	for _, r := range slices.Backward(w.model.Requests()) {
		if summary(r) || r.Last().Role != "user" {
			continue
		}
		var body struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s", body.Messages[:len(body.Messages)-1])
	}
	return ""
}

// talked is a filmed session of ten turns that call a tool.
func talked(t *testing.T, window int) (*world, *engine.Engine, *filmed, *protocoltest.Client) {
	t.Helper()
	w := newWorld(t, dump(2_000))
	w.window = window
	w.model.Respond(worker(providertest.Call{Name: "dump"}))
	e, film := w.filming(t)
	s, err := e.Open(t.Context(), protocol.Spec{Workspace: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c := protocoltest.NewClient(t, s, nil)
	for i := range 10 {
		prompt(t, c, fmt.Sprintf("turn %d.", i))
	}
	return w, e, film, c
}

// keepsTurns fails unless what the user said in the first turns is there.
func keepsTurns(t *testing.T, what, conversation string, turns int) {
	t.Helper()
	for i := range turns {
		if !strings.Contains(conversation, fmt.Sprintf("turn %d.", i)) {
			t.Errorf("%s: turn %d is lost", what, i)
		}
	}
}

// A process that is killed at any record of a compaction leaves the conversation as it
// was before or as it is behind it, and it goes on.
func TestAKillDuringACompactionLeavesOneOfTwoConversations(t *testing.T) {
	t.Parallel()
	w, _, film, c := talked(t, 1_000_000)
	film.film()
	compactNow(t, c, "the turns")
	prompt(t, c, "turn 10.")
	compacted := w.asked(t)
	if done, failed := folds(c.Durable()); len(done) != 1 || len(failed) > 0 {
		t.Fatalf("done %+v, failed %+v", done, failed)
	}
	pictures := film.developed()
	folded := slices.IndexFunc(pictures, func(p picture) bool { return p.kind == "context.folded" })
	if folded < 1 {
		t.Fatalf("no compaction in %d pictures", len(pictures))
	}
	before, behind := w.after(t, pictures[0], c.Session.ID(), false), w.after(t, pictures[folded], c.Session.ID(), false)
	if before == behind || behind != compacted {
		t.Fatalf("resumed before it the conversation is\n%s\nbehind it\n%s\nwhile the one that was not killed has\n%s", before, behind, compacted)
	}
	for i, p := range pictures[:folded+1] {
		want := before
		if i == folded {
			want = behind
		}
		if got := w.after(t, p, c.Session.ID(), false); got != want {
			t.Errorf("killed behind %s: the conversation is\n%s\nwant\n%s", p.kind, got, want)
		}
		if got := w.after(t, p, c.Session.ID(), true); got != before {
			t.Errorf("killed within %s: the conversation is\n%s\nwant\n%s", p.kind, got, before)
		}
	}
	for _, p := range pictures[folded+1:] {
		keepsTurns(t, p.kind, w.after(t, p, c.Session.ID(), false), 10)
	}
	if bad := w.model.Rejections(); len(bad) > 0 {
		t.Errorf("the strict server refused: %v", bad)
	}
}

// So does one that is killed while a turn is compacted because the window is full: what
// the turn had done stays, be it folded or not.
func TestAKillDuringACompactionWithinATurnLosesNothing(t *testing.T) {
	t.Parallel()
	w, _, film, c := talked(t, 8_000)
	film.film()
	for i := 10; i < 14; i++ {
		prompt(t, c, fmt.Sprintf("turn %d.", i))
	}
	pictures := film.developed()
	said, compactions := 10, 0
	for _, p := range pictures {
		switch p.kind {
		case "user.said":
			said++
		case "context.folded":
			compactions++
		}
		keepsTurns(t, "killed behind "+p.kind, w.after(t, p, c.Session.ID(), false), said)
	}
	if compactions == 0 {
		t.Error("nothing was compacted")
	}
	if bad := w.model.Rejections(); len(bad) > 0 {
		t.Errorf("the strict server refused: %v", bad)
	}
}

// A process that is killed at any record of a fork leaves the parent as it was, and of
// the copy nothing or all of the conversation.
func TestAKillDuringAForkLeavesTheConversationWhole(t *testing.T) {
	t.Parallel()
	w, e, film, c := talked(t, 1_000_000)
	parent := c.Session.ID()
	film.film()
	fork, err := e.Open(t.Context(), protocol.Spec{Workspace: "/work", Fork: protocol.Fork{Session: parent}})
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	say(t, protocoltest.NewClient(t, fork, nil), "aside")
	pictures := film.developed()
	want := w.after(t, pictures[0], parent, false)
	journal := string(fork.ID()) + ".jsonl"
	if _, there := pictures[0].files[journal]; there || len(pictures) < 5 {
		t.Fatalf("%d pictures", len(pictures))
	}
	// While the records are copied they have no name yet.
	half := picture{"half a copy", map[string][]byte{string(fork.ID()) + ".lock": nil}}
	for name, data := range pictures[0].files {
		half.files[name] = data
	}
	copied := pictures[1].files[journal]
	half.files[".tmp-1"] = copied[:len(copied)/2]
	said := false
	for _, p := range append([]picture{half}, pictures...) {
		if got := w.after(t, p, parent, false); got != want {
			t.Errorf("killed behind %s: the parent's conversation is\n%s\nwant\n%s", p.kind, got, want)
		}
		if _, there := p.files[journal]; !there {
			continue
		}
		said = said || p.kind == "prompt.queued"
		for _, torn := range []bool{false, true} {
			got := w.after(t, p, fork.ID(), torn)
			keepsTurns(t, "killed behind "+p.kind, got, 10)
			if !said && got != want {
				t.Errorf("killed behind %s, torn %t: the copy's conversation is\n%s\nwant\n%s", p.kind, torn, got, want)
			}
		}
	}
	if bad := w.model.Rejections(); len(bad) > 0 {
		t.Errorf("the strict server refused: %v", bad)
	}
}
