package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

// trace is the last automatic recall of a session, in JSON.
type trace struct {
	Session string    `json:"session"` // "" when there is none
	Seq     uint64    `json:"seq"`     // of the prompt; 0 when nothing was recalled
	Time    time.Time `json:"time"`
	Prompt  string    `json:"prompt"`
	Facts   []traced  `json:"facts"`
	Text    string    `json:"text"`
}

// traced is one fact that was recalled, as it was then.
type traced struct {
	Ref   string  `json:"ref"`
	Title string  `json:"title"`
	Score float64 `json:"score"`
	Bytes int     `json:"bytes"`
}

func (d *desk) showLast(ctx context.Context, format string) error {
	home, err := d.app.RequireHome()
	if err != nil {
		return err
	}
	dir, err := d.workspace()
	if err != nil {
		return err
	}
	t, err := lastRecall(ctx, jsonl.New(jsonl.Dir(home, dir), jsonl.Options{Workspace: dir}))
	if err != nil {
		return err
	}
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(d.app.Out, t)
	}
	switch {
	case t.Session == "":
		fmt.Fprintln(d.app.Err, "there is no session of this project")
		return nil
	case t.Seq == 0:
		fmt.Fprintf(d.app.Err, "session %s: nothing was recalled\n", t.Session)
		return nil
	}
	fmt.Fprintf(d.app.Out, "session %s, %s\n", t.Session, stamp(t.Time))
	for _, f := range t.Facts {
		fmt.Fprintf(d.app.Out, "%6.2f  %s  %s\n", f.Score, f.Ref, f.Title)
	}
	_, err = fmt.Fprintln(d.app.Out, "\n"+t.Text)
	return err
}

// lastRecall looks through the newest session.
func lastRecall(ctx context.Context, sessions session.Store) (trace, error) {
	none := trace{Facts: []traced{}}
	newest, err := sessions.List(ctx, session.Query{Limit: 1})
	if err != nil || len(newest) == 0 {
		return none, err
	}
	last := none
	last.Session = string(newest[0].ID)
	for e, err := range sessions.Read(ctx, newest[0].ID, 0) {
		var damage *session.DamageError
		if errors.As(err, &damage) {
			continue
		}
		if err != nil {
			return none, err
		}
		if said, ok := e.Payload.(event.UserSaid); ok {
			if facts := factsOf(said); len(facts) > 0 {
				text, _ := memory.Trace(said.Message.Content)
				last = trace{Session: last.Session, Seq: uint64(e.Seq), Time: e.Time, Prompt: said.Display, Facts: facts, Text: text}
			}
		}
	}
	return last, nil
}

// factsOf lists the facts that a prompt got, with what its text says of them.
func factsOf(said event.UserSaid) []traced {
	_, told := memory.Trace(said.Message.Content)
	var facts []traced
	for _, source := range said.Sources {
		if source.Kind != memory.SourceKind {
			continue
		}
		f := traced{Ref: source.Ref, Bytes: source.Bytes}
		for _, t := range told {
			if ref := (memory.Fact{ID: t.ID, Revision: t.Revision}).Ref(); ref == source.Ref {
				f.Title, f.Score = t.Title, t.Score
			}
		}
		facts = append(facts, f)
	}
	return facts
}
