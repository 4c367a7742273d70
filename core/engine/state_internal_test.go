package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// author writes records as a session might, and as a broken one might.
type author struct {
	*rand.Rand
	h       history // of what was written
	n       int
	prompts []event.PromptID
	heads   []message.ID
	jobs    []event.JobID
	asked   []event.RequestID
}

func (a *author) id(kind string) string { a.n++; return fmt.Sprint(kind, a.n) }

func (a *author) text() string {
	return strings.Repeat([]string{"word ", "<&>\u2028", "漢🙂", "\x00\n\""}[a.IntN(4)], 1+a.IntN(9))
}

func (a *author) path() string { return fmt.Sprintf("/w/%d", a.IntN(9)) }

// next is one record, sometimes of a turn that is under way.
func (a *author) next() event.Payload {
	if calls := a.h.unanswered(); len(calls) > 0 && a.IntN(8) > 0 {
		return a.ofCall(calls[a.IntN(len(calls))])
	}
	switch a.IntN(27) {
	case 0:
		return event.Opened{Reason: []string{event.OpenedResumed, event.OpenedForked, event.OpenedTakenOver}[a.IntN(3)]}
	case 1:
		return event.Configured{Model: a.id("m"), Approval: "auto", Mode: "plan", Title: a.text()}
	case 2:
		return event.PrefixSet{System: a.text(), Tools: []message.ToolSchema{{Name: "x", Parameters: json.RawMessage(`{"a":"<"}`)}}, Reason: "work_mode"}
	case 3, 4:
		a.prompts = append(a.prompts, event.PromptID(a.id("p")))
		return event.PromptQueued{ID: a.prompts[len(a.prompts)-1], Display: a.text()}
	case 5, 6, 7:
		return a.said()
	case 8, 9, 10:
		return a.replied()
	case 11:
		return a.folded()
	case 12:
		return a.rewound()
	case 13:
		r := a.rewound().(event.Rewound)
		if a.IntN(2) == 0 {
			return event.Rewinding{Head: r.Head, Was: r.Was, Files: r.Files}
		}
		return r
	case 14:
		a.jobs = append(a.jobs, event.JobID(a.id("j")))
		return event.JobStarted{Job: a.jobs[len(a.jobs)-1], Call: "c", Title: a.text()}
	case 15:
		if len(a.jobs) > 0 {
			return event.JobEnded{Job: a.jobs[a.IntN(len(a.jobs))], Status: event.JobFailed, Told: a.IntN(2) == 0}
		}
		return event.Ended{}
	case 16:
		return event.Planned{Todos: []event.Todo{{Text: a.text(), Status: "pending", Level: a.IntN(2)}}}
	case 17:
		return event.Granted{Rule: "Bash(" + a.id("r") + ")", Scope: []string{"", scopeSession, scopeProject}[a.IntN(3)]}
	case 18:
		return event.Notice{Code: agent.NoticeFilling, Text: a.text()}
	case 19:
		return event.Repaired{Answered: a.h.closed, Dropped: a.h.orphans}
	case 20:
		return event.ChildStarted{Session: event.SessionID(a.id("s")), Profile: event.ProfilePlanner}
	case 21, 22:
		if len(a.prompts) > 0 {
			return event.TurnStarted{Prompt: a.prompts[a.IntN(len(a.prompts))]}
		}
		return event.Ended{}
	case 23:
		return event.ChildEnded{Session: "c", Usage: message.Usage{Output: a.IntN(9)}, Cost: a.cost()}
	case 24:
		a.asked = append(a.asked, event.RequestID(a.id("q")))
		return event.Asked{Question: event.Question{ID: a.asked[len(a.asked)-1], Title: a.text()}}
	case 25:
		if len(a.asked) > 0 {
			return event.Answered{ID: a.asked[a.IntN(len(a.asked))]}
		}
		return event.Ended{}
	default:
		return a.turnEnded()
	}
}

func (a *author) turnEnded() event.Payload {
	e := event.TurnEnded{Prompt: "p", Outcome: event.Completed, Detail: strings.Repeat(a.text(), a.IntN(2)*300), Cost: a.cost()}
	if len(a.prompts) > 0 && a.IntN(3) > 0 {
		e.Prompt = a.prompts[a.IntN(len(a.prompts))]
	}
	if a.IntN(3) == 0 {
		e.Failure = &event.Failure{Kind: "auth", Text: strings.Repeat("no ", a.IntN(2000))}
	}
	return e
}

func (a *author) cost() *event.Money {
	if a.IntN(3) == 0 {
		return nil
	}
	return &event.Money{Amount: float64(a.IntN(99)) / 8, Currency: []string{"USD", "CNY"}[a.IntN(2)], Estimated: a.IntN(9) == 0}
}

func (a *author) said() event.Payload {
	said := event.UserSaid{Display: a.text(), Message: message.Message{ID: message.ID(a.id("u")), Role: message.User, Content: a.text()}}
	if len(a.prompts) > 0 {
		said.Prompt = a.prompts[a.IntN(len(a.prompts))]
	}
	if len(a.jobs) > 0 && a.IntN(3) == 0 {
		said.Sources = []event.Source{{Kind: sourceJob, Ref: string(a.jobs[a.IntN(len(a.jobs))]), Bytes: 3}}
	}
	return said
}

func (a *author) replied() event.Payload {
	r := event.Replied{Model: "m", Cost: a.cost(), Usage: message.Usage{Input: a.IntN(99), CacheRead: a.IntN(9)}, Message: message.Message{
		ID: message.ID(a.id("a")), Role: message.Assistant,
		Content:   strings.Repeat(a.text(), 1+a.IntN(2)*300),
		Reasoning: []message.Reasoning{{Text: a.text(), Kind: "think", Opaque: json.RawMessage(`{"k":"<"}`)}},
	}}
	for range a.IntN(4) {
		r.Message.ToolCalls = append(r.Message.ToolCalls, message.ToolCall{ID: a.id("c"), Name: "bash", Arguments: `{"x":"` + a.id("v") + `"}`})
	}
	if a.IntN(9) == 0 {
		r.Message = message.Message{ID: r.Message.ID, Role: message.Assistant}
	}
	return r
}

func (a *author) ofCall(c message.ToolCall) event.Payload {
	switch a.IntN(5) {
	case 0, 1:
		return event.ToolStarted{Call: c.ID, Kind: []string{"read", "execute"}[a.IntN(2)]}
	case 2:
		return event.FilesChanged{Call: c.ID, More: a.IntN(2) * a.IntN(9), Files: []event.File{
			{Path: a.path(), Before: a.id("h"), After: a.id("h"), ModeWas: "100644", Mode: "100755", Lost: a.text()},
		}}
	}
	if a.IntN(12) == 0 {
		c.ID = a.id("nobody")
	}
	return event.ToolFinished{
		Call: c.ID, Status: []event.Status{event.StatusOK, event.StatusFailed}[a.IntN(2)], Dir: a.path(),
		Seen:    []event.Sight{{Path: a.path(), Hash: a.id("h"), Partial: a.IntN(2) == 0}},
		Message: message.Message{ID: message.ID(a.id("t")), Role: message.ToolRole, ToolCallID: c.ID, Name: c.Name, Content: a.text()},
	}
}

func (a *author) folded() event.Payload {
	f := event.Folded{Before: 9, After: a.IntN(9), Archive: a.text()}
	if n := len(a.h.messages); n > 2 {
		from := a.IntN(n - 1)
		to := from + a.IntN(n-from)
		f.Edits = []event.Edit{{
			First: a.h.messages[from].ID, Last: a.h.messages[to].ID,
			With: []message.Message{{ID: message.ID(a.id("d")), Role: message.User, Content: a.text()}},
		}}
	}
	return f
}

func (a *author) rewound() event.Payload {
	r := event.Rewound{Was: a.h.head(), Head: a.h.head(), Files: []event.File{{Path: a.path(), Before: a.id("h"), After: a.id("h"), Mode: "100644"}}}
	if len(a.heads) > 0 {
		r.Head = a.heads[a.IntN(len(a.heads))]
	}
	return r
}

// session writes n records into a journal of its own; at some of them it keeps the
// state, as it stands live, and calls kept.
func (a *author) session(t *testing.T, store session.Store, id event.SessionID, n, every int, kept func()) {
	t.Helper()
	log, err := store.Create(t.Context(), session.Meta{ID: id, Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	j := newJournal(Parts{Now: time.Now, Writer: "test"}, store)
	j.id, j.log = id, log
	for i := range n {
		p := a.next()
		if err := j.emit(p); err != nil {
			t.Fatal(err)
		}
		a.h = j.folded
		a.heads = append(a.heads, a.h.head())
		if every > 0 && i%every == every-1 {
			j.keepLocked()
			kept()
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// loaded is what a resume makes of a session, and how many records it read.
func loaded(t *testing.T, store session.Store, id event.SessionID) (*origin, event.Seq) {
	t.Helper()
	s := &origin{id: id, store: store, j: newJournal(Parts{Now: time.Now, Writer: "test"}, store)}
	var err error
	if s.j.log, err = store.Open(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.j.log.Close() })
	if err := s.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.j.log.Close(); err != nil {
		t.Fatal(err)
	}
	return s, s.j.seq - s.j.keptAt
}

// sameSession compares what two loads made of a session.
func sameSession(a, b *origin) string {
	a.j.folded.past, b.j.folded.past = nil, nil
	return cmp.Diff(a.j.folded, b.j.folded,
		cmp.AllowUnexported(history{}, standing{}, reply{}, compacted{}, rewinding{}, place{}, change{}, gap{}), cmpopts.EquateEmpty()) +
		cmp.Diff([]any{a.j.turn, a.j.seq}, []any{b.j.turn, b.j.seq}, cmpopts.EquateEmpty())
}

// A resume from the state that is kept of a session, and one that reads all of its
// records, are the same: whatever was said, rewound, forked or damaged.
func TestAResumeFromTheStateIsOneFromTheRecords(t *testing.T) {
	used := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		dir := t.TempDir()
		store := jsonl.New(dir, jsonl.Options{Workspace: "/w"})
		base := filepath.Join(dir, "s")
		crash := crashed{base: base}
		(&author{Rand: rng}).session(t, store, "s", 40+rng.IntN(160), 1+rng.IntN(30), func() { crash.note(t) })
		if seed%2 == 0 {
			crash.damage(t, rng)
		}
		quick, read := loaded(t, store, "s")
		if read < quick.j.seq {
			used++
		}
		if err := errors.Join(os.RemoveAll(base+".idx"), os.RemoveAll(base+".state")); err != nil {
			t.Fatal(err)
		}
		whole, _ := loaded(t, store, "s")
		if whole.j.keptAt != 0 {
			t.Fatalf("seed %d: the state was not removed", seed)
		}
		if d := sameSession(quick, whole); d != "" {
			t.Fatalf("seed %d: from the state (-), from the records (+):\n%s", seed, d)
		}
		if err := store.Copy(t.Context(), "s", 0, session.Meta{ID: "fork"}); err != nil {
			t.Fatal(err)
		}
		if fork, _ := loaded(t, store, "fork"); sameSession(whole, fork) != "" {
			t.Fatalf("seed %d: the copy is another", seed)
		}
	}
	if used < 30 {
		t.Errorf("only %d of 40 resumes began with a state", used)
	}
}

// crashed is a session whose process ended behind its last state.
type crashed struct {
	base  string
	index []byte // as the state left it
	size  int    // of the journal then
}

func (c *crashed) note(t *testing.T) {
	t.Helper()
	journal, err := os.ReadFile(c.base + ".jsonl")
	index, err2 := os.ReadFile(c.base + ".idx")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	c.index, c.size = index, len(journal)
}

// damage changes a byte behind the state, or cuts the journal off there.
func (c *crashed) damage(t *testing.T, rng *rand.Rand) {
	t.Helper()
	data, err := os.ReadFile(c.base + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(data) < c.size+2 {
		return
	}
	at := c.size + 1 + rng.IntN(len(data)-c.size-1)
	if rng.IntN(2) == 0 {
		data = data[:at]
	} else {
		data[at] ^= 1 << rng.IntN(7)
	}
	if err := errors.Join(os.WriteFile(c.base+".jsonl", data, 0o600), os.WriteFile(c.base+".idx", c.index, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A field that is added to a history and not to its state would be lost at the next
// resume: every one must survive.
func TestAStateHoldsEveryFieldOfAHistory(t *testing.T) {
	var want history
	fillAll(reflect.ValueOf(&want).Elem(), 2)
	want.past = nil
	s, err := stateOf(&want)
	if err != nil {
		t.Fatal(err)
	}
	data, err := encode(s)
	if err != nil {
		t.Fatal(err)
	}
	var back state
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	got, err := back.history()
	if err != nil {
		t.Fatal(err)
	}
	want.seen = map[string]event.Sight{"text": want.seen["text"]} // by its path
	if d := cmp.Diff(got, want, cmp.AllowUnexported(history{}, standing{}, reply{}, compacted{}, rewinding{}, place{}, change{}, gap{})); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

// fillAll sets every field, those of other packages' and of our own types alike.
func fillAll(v reflect.Value, n int) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"a":1}`))
		return
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(int64(n), 5e6).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Uint64:
		v.SetUint(uint64(n))
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), n+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillAll(v.Index(0), n+1)
		fillAll(v.Index(1), n+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillAll(key, n)
		fillAll(value, n+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fillAll(v.Field(i), n+i)
		}
	default: // functions are not kept
	}
}
