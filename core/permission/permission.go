// Package permission decides whether a tool call may run: allow, ask or deny, by
// rules such as Bash(go test:*) and Edit(docs/**). It is pure: no files, no
// clock, no question. A shell command is judged per simple command of its syntax
// tree, never as one string: a deny needs one match, an allow needs all. What
// cannot be read with certainty (a syntax error, a command word made at run time)
// is never covered by an allow rule. The engine asks it before every call and
// settles what it answers with a Posture or a person; the sandbox holds whatever
// it decides.
package permission

import (
	"encoding/json"
	"fmt"
)

// Decision is what becomes of a call.
type Decision int

// The three decisions, from mildest to strictest.
const (
	Allow Decision = iota
	Ask
	Deny
)

// String returns the word that ParseDecision reads.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	}
	return fmt.Sprintf("decision(%d)", int(d))
}

// ParseDecision reads allow, ask or deny.
func ParseDecision(word string) (Decision, error) {
	for _, d := range []Decision{Allow, Ask, Deny} {
		if word == d.String() {
			return d, nil
		}
	}
	return Deny, fmt.Errorf("parse decision %q: must be allow, ask or deny", word)
}

// Policy is a set of rules. Precedence is deny, ask, allow, then the fallback:
// readers are allowed, writers get Mode. The zero Policy allows everything; a
// configured one has Mode Ask. A Policy is a value; deciding with it is safe for
// concurrent use.
type Policy struct {
	Mode             Decision
	Allow, Ask, Deny []Rule
	// Root is the workspace, absolute: relative patterns and paths start there.
	Root string
	// Home is the user's home directory, for patterns that begin with "~/".
	Home string
	// PowerShell says that the shell tool speaks PowerShell. Then only a command
	// without any operator, quote or expansion is read; all others count as opaque.
	PowerShell bool
	// FoldCase compares paths without case, as the file system below Root does.
	FoldCase bool
}

// Reason is a decision and what led to it.
type Reason struct {
	Decision Decision
	// Rule decided; the zero Rule means that the fallback did.
	Rule Rule
	// Source is where the rule stands: project, user, a flag; or fallback.
	Source string
	// Explicit is false when nobody wrote a rule about the call, so that a posture
	// may settle it.
	Explicit bool
	// Why says in words what no rule says, such as a command made at run time.
	Why string
	// Parts are the simple commands of a shell command, each with its own decision.
	Parts []Part
}

// Part is one simple command of a shell command.
type Part struct {
	Text     string
	Decision Decision
	Rule     Rule
}

// Fallback is the Source of a decision that no rule made.
const Fallback = "fallback"

// String names what decided: the rule as one would write it, or the fallback.
func (r Reason) String() string {
	if r.Rule == (Rule{}) {
		return Fallback
	}
	return r.Rule.String()
}

// Decide judges one call. readOnly is what the tool says of itself; args is the
// raw JSON of the call and need not be valid.
func (p Policy) Decide(toolName string, readOnly bool, args json.RawMessage) Decision {
	return p.judge(toolName, readOnly, args, false).Decision
}

// Explain is Decide with its reasons, at a slightly higher cost.
func (p Policy) Explain(toolName string, readOnly bool, args json.RawMessage) Reason {
	return p.judge(toolName, readOnly, args, true)
}
