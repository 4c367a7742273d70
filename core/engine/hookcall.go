package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"reasonix/core/agent"
	"reasonix/core/compaction"
	"reasonix/core/hook"
	"reasonix/core/permission"
)

// callHooks are the hooks of a session as its agent knows them.
type callHooks struct{ *hooks }

func callInput(req agent.Request) hook.Input {
	return hook.Input{Call: req.Call.ID, Tool: req.Call.Name, Args: json.RawMessage(req.Call.Arguments)}
}

// BeforeCall implements agent.Hooks.
func (h callHooks) BeforeCall(ctx context.Context, req agent.Request) (agent.Advice, error) {
	v, err := h.fire(ctx, hook.PreToolUse, callInput(req))
	if err != nil {
		return agent.Advice{}, err
	}
	said := agent.Advice{
		Reason: v.Reason, By: v.By, Args: v.Args, ReplacedBy: v.Replaced, Context: told(hook.PreToolUse, v.Context).text,
	}
	switch {
	case v.Block:
		said.Decision = agent.AdviceDeny
	case v.Stop:
		said.Decision, said.Reason = agent.AdviceDeny, v.StopReason
	case v.Permission == hook.Ask:
		said.Decision = agent.AdviceAsk
	case v.Permission == hook.Allow:
		said.Decision = agent.AdviceAllow
	}
	if v.Stop {
		return said, h.stopTurn(v)
	}
	return said, nil
}

// AfterCall implements agent.Hooks.
func (h callHooks) AfterCall(ctx context.Context, req agent.Request, result string, failed bool) (string, error) {
	in := callInput(req)
	in.Result, in.Failed = result, failed
	v, err := h.fire(ctx, hook.PostToolUse, in)
	if err != nil {
		return "", err
	}
	var said []string
	if v.Block {
		said = append(said, fmt.Sprintf("the hook %s says of this: %s", v.By, v.Reason))
	}
	if a := told(hook.PostToolUse, v.Context); a.text != "" {
		said = append(said, a.text)
	}
	if v.Stop {
		err = h.stopTurn(v)
	}
	return strings.Join(said, "\n"), err
}

// BeforeCompact implements agent.Hooks.
func (h callHooks) BeforeCompact(ctx context.Context, trigger, focus string) (string, error) {
	in := hook.Input{Trigger: "auto", Focus: focus}
	if trigger == string(compaction.Manual) {
		in.Trigger = "manual"
	}
	v, err := h.fire(ctx, hook.PreCompact, in)
	return strings.TrimSpace(focus + "\n" + v.Context), err
}

// heed puts what hooks said of a call into what the policy says of it. An ask is one
// that only a person answers, once. An allow answers what is asked because no rule
// spoke, and nothing else.
func heed(why permission.Reason, said agent.Advice) permission.Reason {
	switch {
	case said.Decision == agent.AdviceAsk && why.Decision != permission.Deny && (!why.Fresh || why.Review):
		return permission.Reason{
			Decision: permission.Ask, Source: hookSource(said.By), Explicit: true, Fresh: true,
			Why: "the hook " + said.By + " asks" + colon(said.Reason), Release: why.Release, Parts: why.Parts,
		}
	case said.Decision == agent.AdviceAllow && unspoken(why):
		return permission.Reason{Decision: permission.Allow, Source: hookSource(said.By), Explicit: true, Parts: why.Parts}
	}
	return why
}

// unspoken reports whether a call is asked about because no rule spoke of it.
func unspoken(why permission.Reason) bool {
	return why.Decision == permission.Ask && !why.Explicit && !why.Fresh && !why.Review && len(why.Release) == 0
}

// fromHook begins the Source of what a hook decided.
const fromHook = "hook "

func hookSource(name string) string { return fromHook + name }

// askHooks lets the hooks of PermissionRequest answer in the place of a person, for
// this once: a fresh review they can only deny. answered is false when a person must.
func (g *gate) askHooks(ctx context.Context, req agent.Request, why permission.Reason) (v agent.Verdict, answered bool, err error) {
	if outlives(req.Call.Name) { // what is remembered is told to nobody
		return agent.Verdict{}, false, nil
	}
	said, err := g.hooks.fire(ctx, hook.PermissionRequest, callInput(req))
	if err != nil {
		return agent.Verdict{}, false, err
	}
	if said.Stop {
		err = g.hooks.stopTurn(said)
		return agent.Verdict{Rule: hookSource(said.By), Reason: said.StopReason}, true, err
	}
	switch {
	case said.Block:
		return agent.Verdict{Rule: hookSource(said.By), Reason: "the hook " + said.By + " denied it" + colon(said.Reason)}, true, nil
	case said.Permission == hook.Allow && unspoken(why):
		return g.allow(req, hookSource(said.By)), true, nil
	}
	return agent.Verdict{}, false, nil
}

// ofCalls are the hooks of a session whose calls another one makes for it: those of
// the session itself have run there.
type ofCalls struct {
	hook.Runner
	parent *hooks
}

func (h ofCalls) about(p hook.Point) bool { return p == hook.PreToolUse || p == hook.PostToolUse }

// Wants implements hook.Runner.
func (h ofCalls) Wants(p hook.Point, subject string) bool {
	return h.about(p) && h.Runner.Wants(p, subject)
}

// Fire implements hook.Runner. What ends a turn ends the parent's.
func (h ofCalls) Fire(ctx context.Context, p hook.Point, in hook.Input) (hook.Verdict, error) {
	in.Session = string(h.parent.session)
	v, err := h.Runner.Fire(ctx, p, in)
	if v.Stop && err == nil {
		err = h.parent.stopTurn(v)
	}
	return v, err
}
