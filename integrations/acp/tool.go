package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/integrations/internal/acpwire"
)

// call is a call that was announced and has not finished.
type call struct {
	message.ToolCall
	kind  string
	title string
	out   string // the end of its live output
	upTo  int    // offset behind out
	shown time.Time

	progress event.ToolProgress // the newest
}

// callBoard draws the calls of tools.
type callBoard struct {
	*updates
	album   album
	open    map[string]*call // announced and not finished
	denials []string         // of the turn that runs
}

// liveTail bounds, in bytes, how much of a running call's output is shown: an update
// replaces what was shown before. liveEvery is the least time between two.
const (
	liveTail  = 4 << 10
	liveEvery = 150 * time.Millisecond
)

// kindOf is what a call of a built-in tool is announced as; ToolStarted has the
// tool's own word for it once the call begins.
func kindOf(tool string) string {
	switch tool {
	case "read_file", "ls", "glob", "view_image", "bash_output":
		return "read"
	case "grep", "code_index", "history":
		return "search"
	case "write_file", "edit_file", "multi_edit", "notebook_edit", "delete_range", "delete_symbol":
		return "edit"
	case "move_file":
		return "move"
	case "bash", "kill_shell", "wait":
		return "execute"
	case "web_fetch", "web_search":
		return "fetch"
	case "todo_write":
		return "think"
	}
	return "other"
}

// kindWord is a tool's own word for what it does, as far as the protocol knows it.
func kindWord(kind string) string {
	switch kind {
	case "", "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode":
		return kind
	}
	return "other"
}

// rawInput is a call's arguments, nil when they are not JSON or too long to be sent.
func rawInput(c message.ToolCall) json.RawMessage {
	if len(c.Arguments) > mostText || !json.Valid([]byte(c.Arguments)) {
		return nil
	}
	return json.RawMessage(c.Arguments)
}

// announce tells of a call as soon as the model has written it.
func (b *callBoard) announce(c message.ToolCall) {
	b.open[c.ID] = &call{ToolCall: c, kind: kindOf(c.Name), title: c.Name}
	b.update(announcement(c, "pending"))
}

func announcement(c message.ToolCall, status string) acpwire.Call {
	return acpwire.Call{
		SessionUpdate: acpwire.ToolCallBegun, ID: c.ID, Title: c.Name, Name: c.Name, Kind: kindOf(c.Name),
		Status: status, RawInput: rawInput(c),
	}
}

// known is the call of an id. One whose announcement was missed gets one.
func (b *callBoard) known(id, title string) *call {
	c := b.open[id]
	if c == nil {
		c = &call{ToolCall: message.ToolCall{ID: id}, title: title, kind: "other"}
		b.open[id] = c
		b.update(acpwire.Call{SessionUpdate: acpwire.ToolCallBegun, ID: id, Title: cmp.Or(title, "call"), Kind: "other", Status: "pending"})
	}
	return c
}

func (b *callBoard) started(p event.ToolStarted) {
	c := b.known(p.Call, p.Title)
	c.title, c.kind = cmp.Or(p.Title, c.title), cmp.Or(kindWord(p.Kind), c.kind)
	u := acpwire.Call{SessionUpdate: acpwire.ToolCallChange, ID: p.Call, Title: p.Title, Kind: kindWord(p.Kind), Status: "in_progress"}
	u.Meta = meta("rule", p.Rule, "held", p.Held)
	u.Locations = locations(p.Paths)
	b.update(u)
	b.lent.began(p.Call)
}

func locations(paths []string) []acpwire.Location {
	var all []acpwire.Location
	for _, path := range paths {
		all = append(all, acpwire.Location{Path: path})
	}
	return all
}

// meta is what this protocol has no word for, as names and values; an empty value
// is left out.
func meta(pairs ...string) map[string]any {
	said := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			said[pairs[i]] = pairs[i+1]
		}
	}
	if len(said) == 0 {
		return nil
	}
	return ours(said)
}

// output shows the end of what a running call has written. What runs in the client's
// terminal the client shows.
func (b *callBoard) output(at time.Time, p event.ToolOutput) {
	c := b.open[p.Call]
	if c == nil || len(b.lent.panes(p.Call)) > 0 {
		return
	}
	c.add(p.Offset, p.Text)
	if !at.IsZero() && at.Sub(c.shown) < liveEvery {
		return
	}
	c.shown = at
	b.update(liveOutput(c))
}

// liveOutput is the end of what a running call has written.
func liveOutput(c *call) acpwire.Call {
	return acpwire.Call{SessionUpdate: acpwire.ToolCallChange, ID: c.ID, Content: []any{textContent(fenced(c.kind, c.out))}}
}

// add joins a piece of output at its offset. Behind a gap it starts afresh.
func (c *call) add(offset int, text string) {
	switch end := offset + len(text); {
	case offset > c.upTo:
		c.out, c.upTo = text, end
	case end > c.upTo:
		c.out, c.upTo = c.out+text[c.upTo-offset:], end
	}
	if cut := len(c.out) - liveTail; cut > 0 {
		for cut < len(c.out) && !utf8.RuneStart(c.out[cut]) {
			cut++
		}
		c.out = strings.Clone(c.out[cut:])
	}
}

// progress shows how far a running call is, by its own account.
func (b *callBoard) progress(p event.ToolProgress) {
	c := b.open[p.Call]
	if c == nil {
		return
	}
	c.progress = p
	b.update(progressOf(p))
}

func progressOf(p event.ToolProgress) acpwire.Call {
	text := p.Text
	switch {
	case p.Total > 0:
		text = strings.TrimSpace(fmt.Sprintf("%s (%g of %g)", text, p.Done, p.Total))
	case p.Done > 0:
		text = strings.TrimSpace(fmt.Sprintf("%s (%g)", text, p.Done))
	}
	return acpwire.Call{
		SessionUpdate: acpwire.ToolCallChange, ID: p.Call, Content: []any{textContent(text)},
		Meta: ours(map[string]any{"progress": map[string]any{"done": p.Done, "total": p.Total, "text": p.Text}}),
	}
}

func (b *callBoard) finished(ctx context.Context, p event.ToolFinished) {
	c := b.known(p.Call, p.Title)
	panes := b.lent.ended(p.Call)
	delete(b.open, p.Call)
	if p.Status == event.StatusDenied {
		b.denials = append(b.denials, p.Title+": "+p.Reason)
	}
	u := b.result(ctx, c.kind, p)
	if len(panes) > 0 {
		u.Content = panes
	}
	b.update(u)
}

// takeDenials are the calls that were denied since it was asked last.
func (b *callBoard) takeDenials() []string {
	all := b.denials
	b.denials = nil
	return all
}

// result is what a client is told of a finished call.
func (b *callBoard) result(ctx context.Context, kind string, p event.ToolFinished) acpwire.Call {
	u := acpwire.Call{
		SessionUpdate: acpwire.ToolCallChange, ID: p.Call, Title: p.Title, Status: "failed",
		Content: diffs(p.Diffs), RawOutput: rawOutput(p),
	}
	if p.Status == event.StatusOK {
		u.Status = "completed"
	}
	if len(u.Content) == 0 {
		u.Content = []any{textContent(fenced(kind, bounded(p.Message.Content)))}
	}
	u.Content = append(u.Content, b.album.pictures(ctx, p.Message.Attachments)...)
	for _, d := range p.Diffs {
		if !slices.Contains(u.Locations, acpwire.Location{Path: d.Path}) {
			u.Locations = append(u.Locations, acpwire.Location{Path: d.Path})
		}
	}
	return u
}

func rawOutput(p event.ToolFinished) map[string]any {
	out := map[string]any{"output": bounded(p.Message.Content), "status": p.Status}
	if p.Exit != nil {
		out["exitCode"] = *p.Exit
	}
	if p.Reason != "" {
		out["reason"] = p.Reason
	}
	if p.Took > 0 {
		out["seconds"] = p.Took.Seconds()
	}
	return out
}

// textContent is a paragraph of a call's content.
func textContent(text string) acpwire.ToolContent {
	block := acpwire.TextBlock(text)
	return acpwire.ToolContent{Type: "content", Content: &block}
}

// fenced keeps a command's output from being read as Markdown.
func fenced(kind, text string) string {
	if kind != "execute" || text == "" {
		return text
	}
	return fence("console", text)
}

// fence puts text between marks that are longer than any in it.
func fence(language, text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	return marks + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + marks
}
