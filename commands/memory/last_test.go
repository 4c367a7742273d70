package memory_test

import (
	"strings"
	"testing"
	"time"

	core "reasonix/core/memory"

	"reasonix/commands/wire"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// journal makes a session in which these prompts were typed, each with what is
// recalled for it.
func (d *desk) journal(id string, prompts ...string) {
	d.t.Helper()
	log, err := jsonl.New(jsonl.Dir(d.home, d.work), jsonl.Options{Workspace: d.work}).Create(d.t.Context(), session.Meta{ID: event.SessionID(id), Workspace: d.work, Created: d.now})
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	r := core.NewRecaller(wire.Memory(d.home, d.work, nil, time.Now), nil)
	for i, p := range prompts {
		got, err := r.Recall(p)
		if err != nil {
			d.t.Fatal(err)
		}
		said := event.UserSaid{Display: p, Message: message.Message{Role: message.User, Content: p + "\n\n" + got.Text}}
		for i, ref := range got.Refs() {
			said.Sources = append(said.Sources, event.Source{Kind: core.SourceKind, Ref: ref, Bytes: got.Bytes[i]})
		}
		if err := log.Append(event.Envelope{Seq: event.Seq(i + 1), Time: d.now, Payload: said}); err != nil {
			d.t.Fatal(err)
		}
	}
}

type lastTrace struct {
	Session, Prompt, Text string
	Seq                   int
	Facts                 []struct {
		Ref, Title string
		Score      float64
		Bytes      int
	}
}

func TestRecallLastShowsTheTraceOfTheNewestSession(t *testing.T) {
	d := newDesk(t)
	d.want(0, "no session", "recall", "--last")
	f := d.add("--title", "Use pnpm", "--body", "Not npm.")
	d.journal("20260304-120000-aaaaaa", "hello world")
	d.want(0, "nothing was recalled", "recall", "--last")
	d.journal("20260304-130000-bbbbbb", "install with pnpm", "and pnpm again", "continue")
	out := d.want(0, "session 20260304-130000-bbbbbb", "recall", "--last")
	if !strings.Contains(out, "  1.00  "+f.ID+"@1  Use pnpm\n") || !strings.Contains(out, "Not npm.\n</recalled-memory>") {
		t.Errorf("got\n%s", out)
	}
	got := decode[lastTrace](t, d.want(0, "", "recall", "--last", "--output-format", "json"))
	if got.Seq != 1 || got.Prompt != "install with pnpm" || len(got.Facts) != 1 || got.Facts[0].Ref != f.ID+"@1" || got.Facts[0].Score != 1 || got.Facts[0].Bytes == 0 {
		t.Errorf("got %+v", got)
	}
	d.want(0, "", "forget", f.ID)
	d.want(0, f.ID+"@1  Use pnpm", "recall", "--last")
}
