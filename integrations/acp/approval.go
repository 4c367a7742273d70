package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// asked is a question that is not closed.
type asked struct {
	event.Question
	closed context.Context // ends with the question
	close  context.CancelFunc
}

// asking draws questions and passes the answers on.
type asking struct {
	*updates
	of     protocol.Session
	calls  *callBoard      // that they are about
	beside *sync.WaitGroup // what waits for the client's user next to this goroutine
	open   map[event.RequestID]*asked
	unable []string // titles of questions that the client was told it cannot answer
}

// maxUnable is how many such titles are told.
const maxUnable = 32

// ask puts a question to the client's user, right behind the call it is about,
// and passes the answer on.
func (k *asking) ask(ctx context.Context, q event.Question) {
	closed, stop := context.WithCancel(ctx)
	k.open[q.ID] = &asked{q, closed, stop}
	k.put(k.open[q.ID])
}

// again puts a question once more that is not closed.
func (k *asking) again(id event.RequestID) {
	if q := k.open[id]; q != nil {
		k.put(q)
	}
}

// put puts a question, perhaps once more: whichever is answered first counts.
func (k *asking) put(q *asked) {
	a := k.asker(q.Question)
	if a == nil {
		k.answer(q.closed, q.ID, event.Answer{Cancelled: true})
		if len(k.unable) < maxUnable && !slices.Contains(k.unable, q.Title) { // once for each that asks
			k.unable = append(k.unable, q.Title)
			k.notice(event.LevelWarning, q.Title, i18n.T(k.lang, "acp.no_way"))
		}
		return
	}
	call, err := a.put()
	if err != nil {
		k.answer(q.closed, q.ID, event.Answer{Cancelled: true})
		return
	}
	k.beside.Go(func() {
		if answer, ok := a.wait(q.closed, call); ok {
			k.answer(q.closed, q.ID, answer)
		}
	})
}

// asker is one way to have a question answered. wait may put it again; it is false when
// the question was closed first. Anything but an answer, an error or a client that
// left, is no consent.
type asker interface {
	put() (*jsonrpc.Call, error)
	wait(ctx context.Context, call *jsonrpc.Call) (event.Answer, bool)
}

// asker chooses the way; nil when the client has none.
func (k *asking) asker(q event.Question) asker {
	switch {
	case q.Kind == event.AskElicitation && k.elicits(q):
		return &form{conn: k.conn, params: elicitation(k.id, q)}
	case len(q.Options) == 0 || q.Kind == event.AskElicitation && len(q.Schema) > 0:
		return nil // a client can only choose
	case q.Kind == event.AskQuestion && q.Multi:
		return &several{permit: permit{conn: k.conn, lang: k.lang, q: q, params: k.permission(q)}}
	}
	return &permit{conn: k.conn, lang: k.lang, q: q, params: k.permission(q)}
}

// answered gives up a question that is closed, be it by its own answer.
func (k *asking) answered(id event.RequestID) {
	if q := k.open[id]; q != nil {
		q.close()
		delete(k.open, id)
	}
}

// close gives up every question: the session is closed.
func (k *asking) close() {
	for id := range k.open {
		k.answered(id)
	}
}

func (k *asking) answer(ctx context.Context, id event.RequestID, a event.Answer) {
	// ErrStale: the turn ended meanwhile; ErrClosed: so did the session.
	_ = k.of.Submit(ctx, protocol.Answer{ID: id, Answer: a})
}

// permit is a question of which one option is chosen.
type permit struct {
	conn   *jsonrpc.Conn
	lang   string
	q      event.Question
	params acpwire.AskPermission
}

func (c *permit) put() (*jsonrpc.Call, error) {
	return c.conn.Call("session/request_permission", c.params)
}

func (c *permit) wait(ctx context.Context, call *jsonrpc.Call) (event.Answer, bool) {
	got, ok := chosen(ctx, call)
	if !ok {
		return event.Answer{}, false
	}
	return c.answer(got), true
}

// answer is a choice in the engine's words. A client may name a kind in the place of an
// option.
func (c *permit) answer(got acpwire.Permission) event.Answer {
	id := got.Outcome.OptionID
	if got.Outcome.Outcome != "selected" || id == dismissal(c.q) {
		return event.Answer{Cancelled: true}
	}
	known := slices.ContainsFunc(c.q.Options, func(o event.Option) bool { return o.ID == id })
	for i := 0; !known && i < len(c.q.Options); i++ {
		if c.q.Options[i].Kind == id && id != "" {
			id, known = c.q.Options[i].ID, true
		}
	}
	if !known {
		return event.Answer{Cancelled: true}
	}
	return event.Answer{Choice: []string{id}}
}

// chosen waits for the client's user; false when the question was closed first, of which
// the client is told.
func chosen(ctx context.Context, call *jsonrpc.Call) (acpwire.Permission, bool) {
	var got acpwire.Permission
	err := call.Wait(ctx, &got)
	if ctx.Err() != nil {
		call.GiveUp()
		return got, false
	}
	if err != nil {
		got = acpwire.Permission{}
	}
	return got, true
}

func (k *asking) permission(q event.Question) acpwire.AskPermission {
	var of message.ToolCall
	kind := kindOf(q.Tool)
	if c := k.calls.open[q.Call]; c != nil {
		of, kind = c.ToolCall, c.kind
	}
	p := acpwire.AskPermission{SessionID: k.id}
	p.ToolCall = acpwire.Call{
		ID: q.Call, Title: q.Title, Name: of.Name, Kind: kind, Status: "pending",
		Content: append(diffs(q.Diffs), k.words(q)...), RawInput: rawInput(of), Meta: questionMeta(q),
	}
	if p.ToolCall.ID == "" { // of a server that was not called
		p.ToolCall.ID = "question-" + string(q.ID)
	}
	for _, d := range q.Diffs {
		p.ToolCall.Locations = append(p.ToolCall.Locations, acpwire.Location{Path: d.Path})
	}
	for _, o := range q.Options {
		p.Options = append(p.Options, permissionOption(k.lang, o))
	}
	if q.Kind == event.AskQuestion {
		asQuestion(&p, k.lang, q)
	}
	return p
}

// questionMeta is what of a question the protocol has no word for.
func questionMeta(q event.Question) map[string]any {
	m := meta("approvalId", string(q.ID), "kind", q.Kind, "tool", q.Tool, "held", q.Sandbox, "why", q.Why, "rule", q.Rule, "dir", q.Dir)
	ours, _ := m["reasonix.io"].(map[string]any)
	if ours != nil && q.Fresh {
		ours["fresh"] = true
	}
	return m
}

// asQuestion makes a request of a question of the model: it is about nothing that would
// be done, and it can be dismissed.
func asQuestion(p *acpwire.AskPermission, lang string, q event.Question) {
	p.ToolCall.Kind = "other"
	options := []map[string]string{}
	for _, o := range q.Options {
		options = append(options, map[string]string{"id": o.ID, "label": o.Label, "description": o.Detail})
	}
	raw, err := json.Marshal(map[string]any{
		"id": questionID(q), "header": q.Title, "question": q.Body, "multi": q.Multi, "options": options,
	})
	if err == nil { // it is made of strings
		p.ToolCall.RawInput = raw
	}
	p.Options = append(p.Options, dismiss(lang, q))
}

// questionID is what stands before the colon in the ids of a question's options.
func questionID(q event.Question) string {
	if len(q.Options) > 0 {
		if id, _, ok := strings.Cut(q.Options[0].ID, ":"); ok {
			return id
		}
	}
	return "q1"
}

// dismissal is the id of the option that leaves a question of the model unanswered;
// empty for any other question.
func dismissal(q event.Question) string {
	if q.Kind != event.AskQuestion {
		return ""
	}
	return questionID(q) + ":cancel"
}

// worded is the sentence of key in another language than the English that came with the
// event.
func worded(lang, key, english string) string {
	if i18n.Match(lang) == i18n.English {
		return english
	}
	if text, ok := i18n.Lookup(lang, key); ok {
		return text
	}
	return english
}

// dismiss is the option that leaves a question of the model unanswered.
func dismiss(lang string, q event.Question) acpwire.PermissionOption {
	return acpwire.PermissionOption{ID: dismissal(q), Name: i18n.T(lang, "acp.dismiss"), Kind: event.RejectOnce}
}

// words are what a person must read before an answer, a paragraph each: a client
// may show nothing but the content.
func (k *asking) words(q event.Question) []any {
	var all []any
	add := func(before, text, after string) {
		if text != "" {
			all = append(all, textContent(before+text+after))
		}
	}
	sentence := func(key, text string) string {
		if text == "" {
			return ""
		}
		return i18n.T(k.lang, key, text)
	}
	switch q.Kind {
	case event.AskUnconfined:
		add("", fence("console", bounded(q.Body)), "")
	case event.AskQuestion, event.AskElicitation:
		add("", bounded(q.Body), "")
	}
	add("", q.Reason, "")
	add("", sentence("question.why", q.Why), "")
	for _, part := range q.Parts {
		add(worded(k.lang, "verdict."+part.Verdict, part.Verdict)+": `", part.Text, "`")
	}
	add("", sentence("question.held", q.Sandbox), "")
	if q.Fresh {
		add("", i18n.T(k.lang, "question.fresh"), "")
	}
	return all
}

// permissionOption names the rules that an answer would add, and what else they
// allow. A kind of a newer version is shown as one that grants nothing.
func permissionOption(lang string, o event.Option) acpwire.PermissionOption {
	p := acpwire.PermissionOption{ID: o.ID, Name: worded(lang, "option."+o.ID, o.Label), Kind: o.Kind}
	if o.Detail != "" {
		p.Name += ": " + o.Detail
	}
	if o.Example != "" {
		p.Name = i18n.T(lang, "acp.also", p.Name, o.Example)
	}
	switch p.Kind {
	case event.AllowOnce, event.AllowAlways, event.RejectOnce, event.RejectAlways:
	case "":
		p.Kind = event.AllowOnce
	default:
		p.Kind = event.RejectOnce
	}
	return p
}
