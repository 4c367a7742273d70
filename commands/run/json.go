package run

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/message"
)

// result is the final object, of json and stream-json alike.
type result struct {
	Type     string   `json:"type"`
	Subtype  string   `json:"subtype"`
	IsError  bool     `json:"is_error"`
	Outcome  string   `json:"outcome"`
	Reason   string   `json:"reason,omitzero"`
	Duration int64    `json:"duration_ms"`
	Turns    int      `json:"num_turns"`
	Result   string   `json:"result"`
	Session  string   `json:"session_id"`
	Model    string   `json:"model"`
	TotalUSD *float64 `json:"total_cost_usd"`
	Usage    usage    `json:"usage"`
	Cost     *cost    `json:"cost"`
	Denials  []denial `json:"permission_denials"`
	Held     []string `json:"commands_held_by,omitzero"` // in words, each once
	Assumed  []string `json:"assumptions,omitzero"`      // questions that nobody was asked
	Folds    []fold   `json:"compactions,omitzero"`
	Warnings []string `json:"warnings,omitzero"`
	Error    *failure `json:"error,omitzero"`
}

type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

type cost struct {
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
	Estimated bool    `json:"estimated,omitzero"`
}

type failure struct {
	Message   string `json:"message"`
	Hint      string `json:"hint,omitzero"`
	Kind      string `json:"kind,omitzero"`
	Phase     string `json:"phase,omitzero"`
	Provider  string `json:"provider,omitzero"`
	Status    int    `json:"status,omitzero"`
	Retryable bool   `json:"retryable,omitzero"`
}

// fold is one stage of a compaction.
type fold struct {
	Stage   string `json:"stage"`
	Trigger string `json:"trigger"`
	Before  int    `json:"pre_tokens"`
	After   int    `json:"post_tokens"`
	Lost    int    `json:"cache_lost_tokens"`
	Archive string `json:"archive,omitzero"`
	Error   string `json:"error,omitzero"`
}

func foldOf(f event.Folded) fold {
	told := fold{Stage: f.Stage, Trigger: f.Trigger, Before: f.Before, After: f.After, Lost: f.Lost, Archive: f.Archive}
	if f.Failure != nil {
		told.Error = f.Failure.Text
	}
	return told
}

func usageOf(u message.Usage) usage {
	return usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// subtype is the word scripts switch on (docs/architecture.md section 6).
func subtype(o event.Outcome) string {
	switch o {
	case event.Completed:
		return "success"
	case event.Provider, event.Stalled:
		return "error_provider"
	case event.Internal:
		return "error_internal"
	case event.Cut, event.Refused, event.Cancelled, event.Limit, event.Denied:
		return "error_" + string(o)
	}
	return "error_internal"
}

// final is the result object of a turn that ended.
func (l *ledger) final(ended event.TurnEnded) result {
	r := l.blank()
	r.Subtype, r.Outcome, r.Reason = subtype(ended.Outcome), string(ended.Outcome), ended.Reason
	r.IsError = ended.Outcome != event.Completed
	r.Usage = usageOf(ended.Usage)
	if m := ended.Cost; m != nil {
		r.Cost = &cost{Amount: m.Amount, Currency: m.Currency, Estimated: m.Estimated}
		if m.Currency == "USD" {
			r.TotalUSD = &m.Amount
		}
	}
	if r.IsError {
		r.Error = &failure{Message: ended.Detail}
		if f := ended.Failure; f != nil {
			*r.Error = failure{Message: ended.Detail, Kind: f.Kind, Phase: f.Phase, Provider: f.Provider, Status: f.Status, Retryable: f.Retryable}
		}
	}
	return r
}

// early is the result object of a run that never got to the end of a turn.
func (l *ledger) early(err error) result {
	r := l.blank()
	r.IsError, r.Outcome = true, string(event.Internal)
	switch cmdutil.CodeOf(err) {
	case cmdutil.CodeUsage:
		r.Subtype, r.Outcome = "error_usage", "usage"
	case cmdutil.CodeConfig:
		r.Subtype, r.Outcome = "error_config", "config"
	case cmdutil.CodeSIGINT, cmdutil.CodeSIGTERM:
		r.Subtype, r.Outcome = subtype(event.Cancelled), string(event.Cancelled)
	default:
		r.Subtype = "error_internal"
	}
	r.Error = &failure{Message: err.Error(), Hint: cmdutil.HintOf(err)}
	return r
}

func (l *ledger) blank() result {
	denials := l.denials
	if denials == nil {
		denials = []denial{}
	}
	return result{
		Type: "result", Duration: l.now().Sub(l.began).Milliseconds(), Turns: l.replies, Result: l.answer,
		Session: string(l.session), Model: l.model, Denials: denials, Held: l.helds, Folds: l.folds, Warnings: l.warnings, Assumed: l.assumed,
	}
}

// jsonPrinter prints the final object, and with stream the messages before it.
type jsonPrinter struct {
	ledger
	out    io.Writer
	stream bool
}

func (p *jsonPrinter) begin(dir string, at event.CaughtUp) {
	p.ledger.begin(at)
	if !p.stream {
		return
	}
	p.line(struct {
		Type    string   `json:"type"`
		Subtype string   `json:"subtype"`
		Session string   `json:"session_id"`
		Cwd     string   `json:"cwd"`
		Model   string   `json:"model"`
		Tools   []string `json:"tools"`
		Posture string   `json:"permission_mode"`
	}{"system", "init", string(at.Session), dir, at.Configured.Model, at.Tools, at.Configured.Approval})
}

func (p *jsonPrinter) draw(env event.Envelope) {
	p.add(env.Payload)
	if !p.stream {
		return
	}
	switch e := env.Payload.(type) {
	case event.Replied:
		p.line(streamed{"assistant", spoken{
			ID: string(e.Message.ID), Role: "assistant", Model: e.Model, Content: replyBlocks(e.Message), Usage: new(usageOf(e.Usage)),
		}, string(p.session)})
	case event.ToolFinished:
		p.line(streamed{"user", spoken{Role: "user", Content: []any{resultBlock(e, p.held[e.Call])}}, string(p.session)})
	case event.Folded:
		p.line(struct {
			Type    string `json:"type"`
			Subtype string `json:"subtype"`
			Session string `json:"session_id"`
			Fold    fold   `json:"compact_metadata"`
		}{"system", "compact_boundary", string(p.session), foldOf(e)})
	default: // this shape has no word for the rest
	}
}

func (p *jsonPrinter) end(ended event.TurnEnded) { p.line(p.final(ended)) }
func (p *jsonPrinter) failed(err error)          { p.line(p.early(err)) }

// warn is told in the final object: machine formats keep stderr empty.
func (p *jsonPrinter) warn(text string) { p.warnings = append(p.warnings, text) }

func (p *jsonPrinter) line(v any) { printLine(p.out, v) }

// printLine writes v as one line. A stdout that cannot be written has nobody
// left to be told.
func printLine(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// streamed is one message of stream-json.
type streamed struct {
	Type    string `json:"type"`
	Message spoken `json:"message"`
	Session string `json:"session_id"`
}

type spoken struct {
	ID      string `json:"id,omitzero"`
	Role    string `json:"role"`
	Model   string `json:"model,omitzero"`
	Content []any  `json:"content"`
	Usage   *usage `json:"usage,omitzero"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type useBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResultBlock struct {
	Type    string `json:"type"`
	UseID   string `json:"tool_use_id"`
	Content string `json:"content"`
	IsError bool   `json:"is_error"`
	// What other agents' streams do not have: why the call ran unasked or was
	// denied, and what confined a command.
	Rule string `json:"rule,omitzero"`
	Held string `json:"held,omitzero"`
}

func replyBlocks(m message.Message) []any {
	blocks := []any{}
	if m.Content != "" {
		blocks = append(blocks, textBlock{"text", m.Content})
	}
	for _, c := range m.ToolCalls {
		input := json.RawMessage(c.Arguments)
		if !json.Valid(input) {
			quoted, err := json.Marshal(c.Arguments)
			if err != nil || c.Arguments == "" {
				quoted = []byte("{}")
			}
			input = quoted
		}
		blocks = append(blocks, useBlock{"tool_use", c.ID, c.Name, input})
	}
	return blocks
}

func resultBlock(f event.ToolFinished, held string) toolResultBlock {
	return toolResultBlock{"tool_result", f.Call, f.Message.Content, f.Status != event.StatusOK, f.Rule, held}
}

// eventPrinter prints the journal's own vocabulary.
type eventPrinter struct {
	out     io.Writer
	partial bool
	now     func() time.Time
}

func (p *eventPrinter) begin(_ string, at event.CaughtUp) {
	p.draw(event.Envelope{Time: p.now(), Payload: at})
}

func (p *eventPrinter) draw(env event.Envelope) {
	if event.KindOf(env.Payload).Class == event.Transient && !p.partial {
		if _, caughtUp := env.Payload.(event.CaughtUp); !caughtUp {
			return
		}
	}
	line, err := event.Append(nil, env)
	if err != nil {
		return // a payload without a type cannot reach a front end: repocheck's table test
	}
	fmt.Fprintf(p.out, "%s\n", line)
}

func (p *eventPrinter) end(event.TurnEnded) {}

func (p *eventPrinter) failed(err error) {
	ended := event.TurnEnded{Outcome: event.Internal, Reason: reasonOf(err), Detail: err.Error()}
	if code := cmdutil.CodeOf(err); code == cmdutil.CodeSIGINT || code == cmdutil.CodeSIGTERM {
		ended.Outcome = event.Cancelled
	}
	p.draw(event.Envelope{Time: p.now(), Payload: ended})
}

func reasonOf(err error) string {
	switch cmdutil.CodeOf(err) {
	case cmdutil.CodeUsage:
		return "usage"
	case cmdutil.CodeConfig:
		return "config"
	}
	return "internal"
}

// warn is a notice of no session: it is in no journal.
func (p *eventPrinter) warn(text string) {
	p.draw(event.Envelope{Time: p.now(), Payload: event.Notice{Level: event.LevelWarning, Code: "warning", Text: text}})
}
