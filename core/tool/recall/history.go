package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/core/history"
	"reasonix/core/tool"
)

func init() { tool.RegisterBuiltin(readHistory{}) }

const historySchema = `{"properties":{"around":{"minimum":1,"type":"integer"},"limit":{"maximum":20,"minimum":1,"type":"integer"},` +
	`"query":{"type":"string"},"scope":{"enum":["project","global"],"type":"string"},"session":{"type":"string"}},"type":"object"}`

const (
	// historyPatience is how long a call may read journals that the index does not
	// cover yet.
	historyPatience = 20 * time.Second
	// windowSide is how many entries a window has on each side unless limit says.
	windowSide = 4
	// entryText is how many bytes of an entry a window shows at most.
	entryText = 2000
)

// readHistory looks into earlier sessions and the folded part of this one. The zero
// value describes; Bind returns the one that runs.
type readHistory struct {
	history *history.History
	current event.SessionID
	cap     int // bytes of a result
}

func (readHistory) Name() string { return "history" }

func (readHistory) Description() string {
	return "Search saved sessions (query), or read one around a hit (session, around)."
}

func (readHistory) Schema() json.RawMessage { return json.RawMessage(historySchema) }
func (readHistory) ReadOnly() bool          { return true }

func (readHistory) Bind(env tool.Env) (tool.Tool, error) {
	set := env.Settings
	return readHistory{
		history: history.New(history.Places(set.HistoryDirs), env.Now),
		current: event.SessionID(set.SessionID),
		cap:     cmp.Or(max(set.OutputCap, 0), defaultCap),
	}, nil
}

type historyArguments struct {
	Query   string        `json:"query"`
	Scope   history.Scope `json:"scope"`
	Session string        `json:"session"`
	Around  event.Seq     `json:"around"`
	Limit   int           `json:"limit"`
}

// Subject names what is looked for.
func (readHistory) Subject(raw json.RawMessage) tool.Subject {
	var in historyArguments
	_ = json.Unmarshal(raw, &in) // a call that cannot be decoded is refused later
	return tool.Subject{Title: "History: " + oneLine(cmp.Or(in.Query, in.Session), maxShownTitle), Kind: "search"}
}

// Execute answers with hits, each with the session and the number that lead to it,
// or with a part of a transcript.
func (t readHistory) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if t.history == nil {
		return "", tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var in historyArguments
	if err := tool.Decode(raw, json.RawMessage(historySchema), &in); err != nil {
		return "", err
	}
	in.Query, in.Session = strings.TrimSpace(in.Query), strings.TrimSpace(in.Session)
	switch {
	case in.Query != "":
		return t.search(ctx, in)
	case in.Session != "":
		return t.window(ctx, in)
	}
	return "", &tool.ArgError{
		Pointer: "/query", Expected: "words to search for, or the session of a hit", Got: "neither",
		Example: `{"query":"retryBackoff deadline exceeded"}`,
	}
}

func (t readHistory) search(ctx context.Context, in historyArguments) (string, error) {
	in.Scope = cmp.Or(in.Scope, history.Project)
	r, err := t.history.Search(ctx, history.Query{
		Text: in.Query, Scope: in.Scope, Limit: in.Limit, Session: event.SessionID(in.Session),
		Current: t.current, Patience: historyPatience,
	})
	if err != nil {
		return "", err
	}
	if len(r.Hits) == 0 {
		return r.Advice(in.Scope), nil
	}
	var b strings.Builder
	left := 0
	const last = "Read around one: session, and its number as around."
	for i, h := range r.Hits {
		next := found(h)
		if b.Len() > 0 && b.Len()+len(next)+len(last)+200 > t.cap {
			left = len(r.Hits) - i
			break
		}
		b.WriteString(next)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%d more were left out. ", left)
	}
	b.WriteString(last)
	if note := r.Unread(); note != "" {
		b.WriteString(" " + note)
	}
	return b.String(), nil
}

// found is one hit: session, number, when, who and title, and the snippet below.
func found(h history.Hit) string {
	who := string(h.Role)
	if h.Tool != "" {
		who += " " + h.Tool
	}
	where := ""
	if h.Workspace != "" && !h.Own {
		where = " in " + filepath.ToSlash(h.Workspace)
	}
	return fmt.Sprintf("%s #%d %s %s%s, %q\n  %s\n", h.Session, h.Seq, when(h.Time), who, where, oneLine(h.Title, maxShownTitle), h.Snippet)
}

func when(at time.Time) string {
	if at.IsZero() {
		return "(no time)"
	}
	return at.UTC().Format("2006-01-02 15:04Z")
}

func (t readHistory) window(ctx context.Context, in historyArguments) (string, error) {
	side := cmp.Or(in.Limit, windowSide)
	w := history.Window{Session: in.Session, Around: in.Around, Before: side, After: side}
	w.Text = min(entryText, max(200, t.cap/(2*side+2)-80))
	if in.Around == 0 {
		w.Before = 2 * side
	}
	tr, err := t.history.Show(ctx, w)
	if several, ok := errors.AsType[*history.AmbiguousError](err); ok {
		return "", several
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", tr.Session, oneLine(tr.Title, maxShownTitle))
	if tr.Earlier {
		b.WriteString("(earlier entries left out)\n")
	}
	for _, e := range tr.Entries {
		who := string(e.Role)
		if e.Tool != "" {
			who += " " + e.Tool
		}
		fmt.Fprintf(&b, "#%d %s %s: %s\n", e.Seq, when(e.Time), who, e.Text)
	}
	if len(tr.Entries) == 0 {
		b.WriteString("Nothing was said here.\n")
	}
	if tr.Later {
		b.WriteString("(later entries left out)\n")
	}
	return strings.TrimSuffix(cut(b.String(), t.cap), "\n"), nil
}
