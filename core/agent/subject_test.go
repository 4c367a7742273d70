package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"reasonix/core/agent"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/tool"
)

// walker goes one directory down with every call.
type walker struct {
	fn
	dir *string
}

func (w walker) Subject(json.RawMessage) tool.Subject {
	return tool.Subject{Title: "cd", Kind: "execute", Dir: *w.dir}
}

// A call is judged where it will run: the calls before it in the same reply count.
func TestASubjectIsThatOfTheMomentOfTheCall(t *testing.T) {
	dir := "/work"
	w := walker{fn{"walk", false, func(context.Context, json.RawMessage) (string, error) { dir += "/sub"; return "", nil }}, &dir}
	r := newRig(t, &scripted{replies: [][]provider.Chunk{
		calls(message.ToolCall{ID: "1", Name: "walk"}, message.ToolCall{ID: "2", Name: "walk"}), says("done"),
	}}, w)
	var judged []string
	r.Gate = gateFunc(func(req agent.Request) agent.Verdict {
		judged = append(judged, req.Subject.Dir)
		return agent.Verdict{Allow: true, Held: "held", Release: []string{"/x"}}
	})
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(judged, " "); got != "/work /work/sub" {
		t.Errorf("judged in %s", got)
	}
	if started := told[event.ToolStarted](r); len(started) != 2 || started[0].Held != "held" {
		t.Errorf("started %+v", started)
	}
}

// previewer tells a change with a key in it, or has a bug.
type previewer struct {
	fn
	bug bool
}

func (p previewer) Subject(json.RawMessage) tool.Subject {
	return tool.Subject{Preview: func(context.Context) []event.Diff {
		if p.bug {
			panic("bug")
		}
		return []event.Diff{{Path: "/a", Unified: "+sk-secret-123\n"}}
	}}
}

func TestAPreviewHasNoKeysAndNoBugs(t *testing.T) {
	r := newRig(t, &scripted{replies: [][]provider.Chunk{
		calls(message.ToolCall{ID: "1", Name: "good"}, message.ToolCall{ID: "2", Name: "bad"}), says("done"),
	}}, previewer{echo("good", false), false}, previewer{echo("bad", false), true})
	r.Redact = strings.NewReplacer("sk-secret-123", "[redacted]").Replace
	var shown []event.Diff
	r.Gate = gateFunc(func(req agent.Request) agent.Verdict {
		shown = append(shown, req.Subject.Preview(t.Context())...)
		return agent.Verdict{Allow: true}
	})
	if err := r.Run(t.Context(), r.in); err != nil {
		t.Fatal(err)
	}
	if len(shown) != 1 || shown[0].Unified != "+[redacted]\n" {
		t.Errorf("shown %+v", shown)
	}
}
