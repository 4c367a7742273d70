package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
)

// Kinds of a block.
const (
	turnBlock      = "turn"
	userBlock      = "user"
	assistantBlock = "assistant"
	reasoningBlock = "reasoning"
	callBlock      = "call"
	resultBlock    = "result"
	noteBlock      = "note"
	endBlock       = "end"
)

// block is one thing that was said or done. Everything in it is text of others.
type block struct {
	kind   string
	head   string
	text   string
	diffs  []event.Diff
	images []message.Attachment
	time   time.Time
}

// teller turns events into blocks.
type teller struct {
	titles map[string]string // of calls, by id
	left   left
	runs   string // the configuration that was told last
}

func (t *teller) tell(e event.Envelope) []block {
	if t.left.holds(e) {
		return nil
	}
	switch p := e.Payload.(type) {
	case event.TurnStarted:
		return []block{{kind: turnBlock, head: fmt.Sprintf("Turn %d", e.Turn), time: e.Time}}
	case event.UserSaid:
		return []block{{kind: userBlock, head: "User", text: cmp.Or(p.Display, p.Message.Content), images: p.Message.Attachments, time: e.Time}}
	case event.Replied:
		return t.replied(p)
	case event.ToolStarted:
		t.titles[p.Call] = p.Title
	case event.ToolFinished:
		return []block{t.finished(p)}
	case event.Planned:
		return []block{{kind: noteBlock, head: "plan", text: todos(p.Todos)}}
	case event.Notice:
		return []block{{kind: noteBlock, head: p.Level, text: p.Text}}
	case event.Asked:
		return []block{{kind: noteBlock, head: "asked", text: cmp.Or(p.Question.Title, p.Question.Body)}}
	case event.Answered:
		return []block{{kind: noteBlock, head: "answered", text: answer(p.Answer)}}
	case event.Configured:
		return t.configured(p)
	case event.Rewound:
		return []block{{kind: noteBlock, head: "rewound", text: wentBack(p)}}
	case event.TurnEnded:
		return []block{{kind: endBlock, head: string(p.Outcome), text: receipt(p), time: e.Time}}
	default: // no part of the conversation
	}
	return nil
}

// configured tells of a configuration that is another than the last.
func (t *teller) configured(p event.Configured) []block {
	text := configuration(p)
	if text == t.runs {
		return nil
	}
	t.runs = text
	return []block{{kind: noteBlock, head: "configuration", text: text}}
}

// wentBack says what a rewind did.
func wentBack(p event.Rewound) string {
	var parts []string
	if p.Head != p.Was {
		parts = append(parts, "the conversation went back; what it left behind is not shown")
	}
	for _, f := range p.Files {
		parts = append(parts, "put back: "+f.Path)
	}
	for _, k := range p.Kept {
		parts = append(parts, "not put back: "+strings.TrimPrefix(k.Path+": "+k.Reason, ": "))
	}
	return strings.Join(parts, "\n")
}

func (t *teller) replied(p event.Replied) []block {
	var all []block
	for _, r := range p.Message.Reasoning {
		if r.Text != "" {
			all = append(all, block{kind: reasoningBlock, head: "Reasoning", text: r.Text})
		}
	}
	if p.Message.Content != "" {
		all = append(all, block{kind: assistantBlock, head: cmp.Or(p.Model, "Assistant"), text: p.Message.Content})
	}
	for _, c := range p.Message.ToolCalls {
		t.titles[c.ID] = c.Name
		all = append(all, block{kind: callBlock, head: c.Name, text: arguments(c.Arguments)})
	}
	return all
}

func (t *teller) finished(p event.ToolFinished) block {
	head := cmp.Or(p.Title, t.titles[p.Call], "call") + ": " + string(p.Status)
	delete(t.titles, p.Call)
	if p.Exit != nil {
		head += fmt.Sprintf(", exit %d", *p.Exit)
	}
	if p.Took > 0 {
		head += ", " + p.Took.Round(time.Millisecond).String()
	}
	return block{kind: resultBlock, head: head, text: p.Message.Content, diffs: p.Diffs, images: p.Message.Attachments}
}

// arguments are indented when they are JSON.
func arguments(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") == nil {
		return b.String()
	}
	return raw
}

func todos(list []event.Todo) string {
	var b strings.Builder
	for _, t := range list {
		mark := map[string]string{"completed": "x", "in_progress": ">"}[t.Status]
		fmt.Fprintf(&b, "%s[%s] %s\n", strings.Repeat("  ", max(0, min(t.Level, 8))), cmp.Or(mark, " "), t.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func answer(a event.Answer) string {
	if a.Cancelled {
		return "cancelled"
	}
	return strings.TrimSpace(strings.Join(a.Choice, ", ") + " " + a.Text)
}

// receipt is the end of a turn in one line.
func receipt(p event.TurnEnded) string {
	var parts []string
	if p.Reason != "" {
		parts = append(parts, p.Reason)
	}
	if p.Detail != "" {
		parts = append(parts, p.Detail)
	}
	if n := p.Usage.Prompt(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens read (%s cached), %d written", n, share(p.Usage), p.Usage.Output))
	}
	if p.Cost != nil {
		parts = append(parts, money(p.Cost.Amount, p.Cost.Currency, p.Cost.Estimated))
	}
	return strings.Join(parts, "; ")
}

// lines makes text harmless and keeps its line breaks and tabs.
func lines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	all := strings.Split(text, "\n")
	for i, line := range all {
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = plain(cells[j])
		}
		all[i] = strings.Join(cells, "\t")
	}
	return strings.Join(all, "\n")
}
