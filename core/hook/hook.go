// Package hook runs the programs a user, or a repository the user trusts, wants
// run at named points of a session, and reads what they say: block this, ask a
// person, go on with other arguments, tell the model something. It matches hooks,
// builds what they read, runs them through sandbox.Runner and combines their
// verdicts. It obeys nothing itself and keeps no journal: the engine fires the
// points, decides what a verdict may change and records every run. Hooks written
// for Claude Code's settings.json work unchanged: they are given that program's
// names of tools and arguments, and may answer with its JSON.
package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Point is where in a session hooks run.
type Point string

// The points.
const (
	SessionStart      Point = "SessionStart"
	UserPromptSubmit  Point = "UserPromptSubmit"
	PreToolUse        Point = "PreToolUse"
	PostToolUse       Point = "PostToolUse"
	PermissionRequest Point = "PermissionRequest"
	PreCompact        Point = "PreCompact"
	TurnEnd           Point = "TurnEnd"
	SessionEnd        Point = "SessionEnd"
	Notification      Point = "Notification"
	SubagentStop      Point = "SubagentStop"
)

// Points lists all points in the order in which a session comes to them.
func Points() []Point {
	return []Point{
		SessionStart, UserPromptSubmit, PreToolUse, PermissionRequest, Notification, PostToolUse, PreCompact, SubagentStop, TurnEnd, SessionEnd,
	}
}

// ParsePoint reads a point's name. Stop is TurnEnd.
func ParsePoint(name string) (p Point, ok bool) {
	if name == claudeTurnEnd {
		return TurnEnd, true
	}
	for _, p := range Points() {
		if string(p) == name {
			return p, true
		}
	}
	return "", false
}

// ofTools reports whether the point is about a call.
func (p Point) ofTools() bool {
	return p == PreToolUse || p == PostToolUse || p == PermissionRequest
}

// CanBlock reports whether a hook's block means something at this point.
func (p Point) CanBlock() bool {
	switch p {
	case UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse, TurnEnd, SubagentStop:
		return true
	case SessionStart, PreCompact, SessionEnd, Notification:
	}
	return false
}

// guards reports whether something waits for leave at this point.
func (p Point) guards() bool { return p == PreToolUse || p == UserPromptSubmit }

// Hook is one program and when it runs.
type Hook struct {
	Name  string // for people; empty: its command
	Event Point
	// Match is a regular expression that must match the whole of what a point is
	// about, see Input.Subject. Empty and "*" match everything.
	Match   string
	Command string        // given to the shell
	Timeout time.Duration // 0: DefaultTimeout
	Dir     string        // absolute; empty: the workspace
	File    string        // where it is declared
	Line    int
	// FromProject: a repository declares it, so that it runs inside the sandbox.
	FromProject bool
	// Claude: it was written for Claude Code, and is spoken to as there.
	Claude bool
}

// Title names the hook for people.
func (h Hook) Title() string {
	return clip(strings.Join(strings.Fields(cmp.Or(h.Name, h.Command)), " "), 80)
}

// DefaultTimeout is how long a hook without a time-out of its own may run: a short
// while where something waits for its leave or for the end, else longer, and a
// minute where it was written for Claude Code.
func (h Hook) DefaultTimeout() time.Duration {
	switch {
	case h.Event == SessionEnd:
		return 5 * time.Second
	case h.Claude:
		return time.Minute
	case h.Event.guards(), h.Event == PermissionRequest:
		return 5 * time.Second
	}
	return 30 * time.Second
}

// Input is what a point tells its hooks. Which fields are set depends on the point.
type Input struct {
	Session string
	Dir     string // the workspace, absolute
	Turn    int

	Call   string // id; of a call: PreToolUse, PostToolUse, PermissionRequest
	Tool   string
	Args   json.RawMessage
	Result string // PostToolUse
	Failed bool   // PostToolUse: the result is an error

	Prompt  string // UserPromptSubmit
	Source  string // SessionStart: startup, resume
	Reason  string // SessionEnd
	Trigger string // PreCompact: manual, auto
	Focus   string // PreCompact: what the user wants kept

	Outcome string // TurnEnd
	Words   string // TurnEnd: the last reply
	Again   bool   // TurnEnd: a hook kept the turn going already

	Kind    string // Notification: permission_prompt, question
	Title   string // Notification: of what is asked; empty where nothing may be told
	Message string // Notification
}

// Subject is what a hook's Match is compared with: the tool's name, else how the
// session began, what started a compaction, or what kind a notification has. It is
// empty at points that are about nothing of the kind, where every hook matches.
func (in Input) Subject(p Point) string {
	switch p {
	case PreToolUse, PostToolUse, PermissionRequest:
		return in.Tool
	case SessionStart:
		return in.Source
	case PreCompact:
		return in.Trigger
	case Notification:
		return in.Kind
	case SessionEnd:
		return in.Reason
	case UserPromptSubmit, TurnEnd, SubagentStop:
	}
	return ""
}

// Permission is what a hook says of a call.
type Permission string

// What a hook can say of a call.
const (
	Allow Permission = "allow"
	Ask   Permission = "ask"
	Deny  Permission = "deny"
)

// Verdict is what the hooks of a point said together.
type Verdict struct {
	// Block: a hook refuses. Reason is why, for the model, By the hook that did.
	Block  bool
	Reason string
	By     string
	// Permission is empty when no hook spoke of it. Deny comes with Block.
	Permission Permission
	// Args are arguments to use instead; nil: those of the model. A JSON object.
	Args json.RawMessage
	// Replaced names the hook that gave them.
	Replaced string
	// Context is text for the model.
	Context string
	// Stop ends the turn, StopReason is why, for the user.
	Stop       bool
	StopReason string
	// Messages are for the user.
	Messages []string
	// Runs are the hooks that ran, in order.
	Runs []Run
}

// Words of a Run.
const (
	WordOK     = "ok"
	WordBlock  = "block"
	WordAllow  = "allow"
	WordAsk    = "ask"
	WordDeny   = "deny"
	WordFailed = "failed"
)

// Run is one hook that ran.
type Run struct {
	Hook   Hook
	Word   string // ok, block, allow, ask, deny, failed
	Reason string // of the word; what went wrong when it failed
	Exit   int
	Out    string // standard output, at most MaxOutput
	ErrOut string // standard error, at most MaxOutput
	Took   time.Duration
}

// Runner runs the hooks of a point. It is safe for concurrent use.
type Runner interface {
	// Wants reports whether a hook would run, so that nobody prepares an Input for
	// nothing. subject is Input.Subject.
	Wants(p Point, subject string) bool
	// Fire runs the hooks of a point, one after the other. A hook that fails is a
	// Run and no error: an error means that ctx ended.
	Fire(ctx context.Context, p Point, in Input) (Verdict, error)
}
