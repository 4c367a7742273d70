// Package permission decides whether a tool call may run: allow, ask or deny, by
// rules such as Bash(go test:*) and Edit(docs/**), and by what a path is. It is
// pure: no files, no clock, no question.
//
// Deny goes before ask, ask before allow, and allow before the fallback. A shell
// command is taken apart by its syntax tree into steps: every simple command,
// whatever starts it, and every redirection, each from the directory it runs in.
// A step has its own verdict, a redirection that of an edit of its path, and the
// strictest verdict counts: a deny needs one step, an allow needs all. What cannot
// be analysed (a syntax error, a program named at run time) is covered by no rule
// about a command. Hidden paths are denied, and a write to a protected or a read of
// a secret one is a fresh review, which no rule and no posture answers.
//
// The engine asks before every call and settles the answer with Settle, a person
// or a grant that Suggest offered; the sandbox holds whatever is decided.
package permission

import (
	"cmp"
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
	// Dir is where a shell command starts, absolute; empty is Root.
	Dir string
	// Home is the user's home directory, for patterns that begin with "~/".
	Home string
	// PowerShell says that the shell tool speaks PowerShell. Then only a command
	// without any operator, quote or expansion is read; all others count as opaque.
	PowerShell bool
	// FoldCase compares paths without case, as the file system below Root does.
	FoldCase bool
	// Places are the paths that count without a rule.
	Places Places
	// Resolve returns an absolute path with its links resolved; nil compares names
	// as they are written. It must be safe for concurrent use.
	Resolve func(abs string) string
	// Repository returns the top of the repository that git finds in the absolute
	// directory dir, with its links resolved; "" where it cannot tell. nil: a
	// repository is known by its top alone, where Places.Protected names what is in it.
	// It must be safe for concurrent use.
	Repository func(dir string) string
	// Nested reports whether git, when it looks at the files of the repository with
	// this top, may go into another one that nobody vouches for. nil: it may. It must
	// be safe for concurrent use.
	Nested func(top string) bool
	// Remote says of a tool that a server offers how its calls are approved; the zero
	// Remote is any other tool. nil: there is none. It must be safe for concurrent use.
	Remote func(toolName string) Remote
	// ReadOnlyCommands lets shell commands that can only read run without a
	// question where the fallback would ask.
	ReadOnlyCommands bool

	linked *linked // what Resolve said of the roots, while a call is judged
}

// Places are absolute paths that a decision knows without any rule, each with all
// below it. Where one names another's child the stricter counts.
type Places struct {
	Write     []string // writable roots, besides Policy.Root
	Hidden    []string // neither read nor written: denied
	Bare      []string // readable although below Hidden
	Protected []string // a write is a fresh review
	// Names are slash-separated relative paths that are protected wherever they
	// stand below a writable root: ".git/hooks", ".envrc".
	Names   []string
	Secrets []string // a read is a fresh review, unless an allow rule names it
}

// Reason is a decision and what led to it.
type Reason struct {
	Decision Decision
	// Rule decided; the zero Rule means that the fallback did.
	Rule Rule
	// Source is where the rule stands: project, user, a flag; or fallback.
	Source string
	// Explicit is false when no rule and no path spoke, so that a posture may settle
	// it.
	Explicit bool
	// Why says in words what no rule says, such as a command made at run time.
	Why string
	// Fresh is a question that no posture, grant or rule answers: a person allows it
	// this once, and where nobody can be asked it is refused.
	Fresh bool
	// Review says that a reviewer may answer the question in a person's place, as
	// Reviewed says.
	Review bool
	// Release lists the protected paths the call would write, as Places names them;
	// an approval lifts their protection for this call.
	Release []string
	// Parts are the steps of a shell command, each with its own decision. A wrapper
	// such as timeout, which is as good as what it starts, is none.
	Parts []Part
}

// Part is one simple command or redirection of a shell command.
type Part struct {
	Kind     string // PartCommand, PartWrite or PartRead
	Text     string // as written
	Path     string // of a redirection, resolved as far as it is known
	Dir      string // where the command would run, absolute; empty when unknown
	Decision Decision
	Rule     Rule
	Source   string // as in Reason; empty for what does nothing, such as X=1
	Why      string // as in Reason, or why no rule with a pattern covers it
	Fresh    bool
}

// String names what decided: the rule as one would write it, or its Source.
func (r Reason) String() string {
	if r.Rule == (Rule{}) {
		return cmp.Or(r.Source, Fallback)
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
