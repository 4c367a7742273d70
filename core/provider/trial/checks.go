package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// The names of the checks, in their order.
const (
	checkModels   = "models"
	checkText     = "text"
	checkUsage    = "usage"
	checkOptions  = "stream_options"
	checkCall     = "tool call"
	checkResult   = "tool result"
	checkReplay   = "reasoning"
	checkParallel = "parallel calls"
)

func user(text string) message.Message { return message.Message{Role: message.User, Content: text} }

// models looks for the model in the endpoint's list. Many endpoints have none.
func (r *run) models() {
	lister, ok := r.provider.(provider.Lister)
	if !ok {
		r.add(checkModels, Skipped, "this kind lists no models")
		return
	}
	ids, err := lister.Models(r.ctx)
	var f *provider.Failure
	switch {
	case errors.As(err, &f) && f.Kind == provider.KindAuth:
		r.fail(checkModels, err)
	case err != nil:
		r.add(checkModels, Noted, "no list: %v", err)
	case len(ids) == 0:
		r.add(checkModels, Noted, "the list is empty")
	case !slices.Contains(ids, r.Model):
		r.result.Found.Models = len(ids)
		r.add(checkModels, Noted, "%s is not among the %d models it lists", r.Model, len(ids))
	default:
		r.result.Found.Models = len(ids)
		r.result.Found.Window = windowOf(r.tap.last().body, r.Model)
		r.add(checkModels, OK, "%d, %s is among them", len(ids), r.Model)
	}
}

// text asks for a word. It reports whether the endpoint answered.
func (r *run) text() bool {
	a := r.ask([]message.Message{user("Reply with the word ready and nothing else.")})
	switch {
	case a.err != nil:
		r.fail(checkText, a.err)
		return false
	case a.Content == "" && a.finish == provider.FinishLength:
		r.add(checkText, Noted, "%d tokens were not enough for its reasoning and an answer", MaxOutput)
	case a.finish == provider.FinishRefusal:
		r.add(checkText, Noted, "it refused to say ready")
	default:
		r.add(checkText, OK, "%q, %s", short(a.Content), streamed(a.wire))
	}
	return true
}

func streamed(x exchange) string {
	if x.shape.events == 0 {
		return "in one piece"
	}
	return fmt.Sprintf("streamed in %d events", x.shape.events)
}

func short(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return string(runes)
}

// counts looks at what the answer before counted.
func (r *run) counts() {
	found := r.result.Found
	if found.Usage == "" {
		r.add(checkUsage, Noted, "no token counts: costs and the context's fill level are estimates")
		return
	}
	cache := "no count of cache hits"
	if len(found.Cache) > 0 {
		cache = "cache hits in " + strings.Join(found.Cache, ", ")
	}
	r.add(checkUsage, OK, "%s; %s", found.Usage, cache)
}

// options looks at what became of stream_options.
func (r *run) options() {
	switch {
	case slices.Contains(r.Profile.Drop, checkOptions):
		r.add(checkOptions, Skipped, "the profile leaves it out")
	case slices.Contains(r.result.Found.Refused, checkOptions):
		r.add(checkOptions, Noted, "refused, and left out from then on")
	default:
		r.add(checkOptions, OK, "accepted")
	}
}

// lookup is the tool of the trial.
func lookup() message.ToolSchema {
	return message.ToolSchema{
		Name: "lookup", Description: "Returns the number that belongs to a name.",
		Parameters: json.RawMessage(`{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}`),
	}
}

const number = "4217"

// call has the model call the tool and read its result.
func (r *run) call() {
	talk := []message.Message{user("Call the tool lookup with the name alpha. Then tell me the number.")}
	a := r.ask(talk, lookup())
	if problem := wrongCall(a); problem != nil {
		r.fail(checkCall, problem)
		r.add(checkResult, Skipped, "there was no call")
		r.add(checkReplay, Skipped, "there was no call")
		return
	}
	shape := a.wire.shape.calls()
	r.add(checkCall, OK, "%s %s%s", a.ToolCalls[0].Name, short(a.ToolCalls[0].Arguments), shape)
	b := r.ask(append(talk, results(a)...), lookup())
	switch {
	case b.err != nil:
		r.fail(checkResult, b.err)
	case !strings.Contains(b.Content, number) && len(b.ToolCalls) == 0:
		r.add(checkResult, Noted, "accepted, but the answer is %q", short(b.Content))
	default:
		r.add(checkResult, OK, "accepted and read")
	}
	r.replay(a, b)
}

// wrongCall says what keeps a from being a call that can be run.
func wrongCall(a answer) error {
	switch {
	case a.err != nil:
		return a.err
	case len(a.ToolCalls) == 0 && a.finish == provider.FinishLength:
		return fmt.Errorf("no call came within %d tokens", MaxOutput)
	case len(a.ToolCalls) == 0:
		return fmt.Errorf("the model wrote %q instead of calling the tool", short(a.Content))
	case a.ToolCalls[0].Name != lookup().Name:
		return fmt.Errorf("the model called %q, which it was not offered", short(a.ToolCalls[0].Name))
	}
	if _, ok := provider.ValidArguments(a.ToolCalls[0].Arguments); !ok {
		return fmt.Errorf("the arguments are no JSON object: %s", short(a.ToolCalls[0].Arguments))
	}
	return nil
}

// results answers every call of a.
func results(a answer) []message.Message {
	out := []message.Message{a.Message}
	for _, c := range a.ToolCalls {
		out = append(out, message.Message{Role: message.ToolRole, ToolCallID: c.ID, Name: c.Name, Content: number})
	}
	return out
}

// replay says what became of the reasoning that came with the call a in the
// request that b answers.
func (r *run) replay(a, b answer) {
	found := &r.result.Found
	switch {
	case len(a.Reasoning) == 0:
		r.add(checkReplay, Skipped, "none came with the call")
	case b.err != nil && b.wire.aboutReasoning():
		found.Replay = "missed"
		r.fail(checkReplay, b.err)
	case b.err != nil:
		r.add(checkReplay, Skipped, "the request failed for another reason")
	case slices.ContainsFunc(b.notices, refusesReasoning):
		found.Replay = "refused"
		r.add(checkReplay, Noted, "refused when it is sent back, and left out from then on")
	case b.wire.replayed != "":
		found.Replay = "accepted"
		r.add(checkReplay, OK, "sent back as %s and accepted", b.wire.replayed)
	default:
		found.Replay = "not sent"
		r.add(checkReplay, OK, "not sent back, and not missed")
	}
}

func refusesReasoning(n *provider.Notice) bool { return n.Code == "reasoning_not_taken" }

// parallel has the model call the tool twice at once and answers both calls.
func (r *run) parallel() {
	talk := []message.Message{user("Call the tool lookup for alpha and for beta, both calls at once in one reply. Then tell me both numbers.")}
	a := r.ask(talk, lookup())
	switch {
	case a.err != nil:
		r.fail(checkParallel, a.err)
		return
	case len(a.ToolCalls) < 2:
		r.add(checkParallel, Noted, "%d call came, not two: the model goes one by one", len(a.ToolCalls))
		return
	}
	r.result.Found.Parallel = true
	if b := r.ask(append(talk, results(a)...), lookup()); b.err != nil {
		r.fail(checkParallel, b.err)
		return
	}
	r.add(checkParallel, OK, "%d in one reply, and their results were accepted", len(a.ToolCalls))
}
