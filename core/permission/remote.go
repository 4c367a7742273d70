package permission

import "fmt"

// ApprovalMode is how the calls of a server's tool are approved.
type ApprovalMode string

// The modes, each a choice of a server's user. Any other word is as RemotePrompt.
const (
	// RemoteAuto judges a call as one of any other tool.
	RemoteAuto ApprovalMode = "auto"
	// RemotePrompt reviews every call.
	RemotePrompt ApprovalMode = "prompt"
	// RemoteWrites reviews every call of a tool that does not only read.
	RemoteWrites ApprovalMode = "writes"
	// RemoteApprove allows what no rule asks about.
	RemoteApprove ApprovalMode = "approve"
)

// AutoReview is the Remote.Review that lets a model review calls.
const AutoReview = "auto_review"

// ByApprovalMode is the source of a decision that a server's approval mode made.
const ByApprovalMode = "approval mode"

// Remote is what is known of a server's tool. Server says that there is one.
type Remote struct {
	Server, Tool string // as configured, and as the server calls it
	// Destructive is the server's own word that a call may destroy something.
	Destructive bool
	// ReadOnly is the server's word that the tool only reads, or that of the user, who
	// trusts it.
	ReadOnly bool
	// Mode is the tool's own where it has one, else the server's.
	Mode   ApprovalMode
	Review string // who reviews: "user" or AutoReview
}

// remote returns what is known of a tool that is not built in.
func (p *Policy) remote(f family, toolName string) (Remote, bool) {
	if p.Remote == nil || f != noFamily || lasting(toolName) {
		return Remote{}, false
	}
	r := p.Remote(toolName)
	return r, r.Server != ""
}

// judge puts what the server's user chose above the ordinary verdict, but for a
// deny: what may destroy something is a fresh review, then the mode counts.
func (r Remote) judge(ordinary Reason, readOnly bool) Reason {
	verdict := r.byMode(ordinary, readOnly)
	if verdict.Decision == Deny || !r.Destructive {
		return verdict
	}
	verdict = builtin(Ask, fmt.Sprintf("%s says that %s may destroy something, so it is asked every time", r.Server, r.Tool))
	verdict.Fresh = true
	return verdict
}

// byMode is the verdict without the server's warning. A rule that asks, asks a
// person in every mode.
func (r Remote) byMode(ordinary Reason, readOnly bool) Reason {
	ruled := ordinary.Explicit
	switch {
	case ruled && ordinary.Decision == Deny:
		return ordinary
	case r.Mode == RemoteApprove && !ruled:
		return Reason{Decision: Allow, Source: ByApprovalMode, Explicit: true, Why: r.says("allows its calls")}
	case r.Mode == RemoteAuto && !ruled && ordinary.Decision == Ask:
		ordinary.Review = r.Review == AutoReview
		return ordinary
	case r.Mode == RemoteAuto, r.Mode == RemoteApprove, r.Mode == RemoteWrites && readOnly:
		return ordinary
	}
	asks := ruled && ordinary.Decision == Ask
	verdict := Reason{
		Decision: Ask, Source: ByApprovalMode, Explicit: true, Fresh: true,
		Review: r.Review == AutoReview && !asks, Why: r.says("has every call reviewed"),
	}
	if r.Mode == RemoteWrites {
		verdict.Why = r.says("has every call reviewed that does not only read")
	}
	if asks {
		verdict.Rule, verdict.Source = ordinary.Rule, ordinary.Source
	}
	return verdict
}

// says is what the mode does, in words.
func (r Remote) says(does string) string {
	mode := r.Mode
	switch mode {
	case RemoteAuto, RemotePrompt, RemoteWrites, RemoteApprove:
	default:
		mode = RemotePrompt
	}
	return fmt.Sprintf("the approval mode %s of %s %s", mode, r.Server, does)
}

// Reviewed reports whether a reviewer is asked about a call before anybody else.
// Its allow or deny is final; without one the call is judged on as Unreviewed says.
func Reviewed(why Reason, posture Posture) bool {
	return why.Review && posture.Apply(why) == Ask
}

// Unreviewed is why when the reviewer gave no verdict, because of what: a fresh
// review, which a person alone answers.
func (r Reason) Unreviewed(what string) Reason {
	r.Review, r.Fresh, r.Explicit = false, true, true
	if r.Why != "" {
		r.Why += "; "
	}
	r.Why += what
	return r
}
