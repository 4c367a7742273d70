package permission

import "fmt"

// Posture is how far the user lets the agent go without being asked.
type Posture string

// The three postures.
const (
	// PostureAsk follows the policy.
	PostureAsk Posture = "ask"
	// PostureAuto allows what would be asked only because no rule spoke.
	PostureAuto Posture = "auto"
	// PostureYolo allows whatever would be asked.
	PostureYolo Posture = "yolo"
)

// ParsePosture reads ask, auto or yolo.
func ParsePosture(word string) (Posture, error) {
	switch p := Posture(word); p {
	case PostureAsk, PostureAuto, PostureYolo:
		return p, nil
	}
	return PostureAsk, fmt.Errorf("parse permission mode %q: must be ask, auto or yolo", word)
}

// Apply settles a decision under the posture. A deny holds in every posture, an
// explicit ask in all but yolo, a fresh review in all. An unknown posture is PostureAsk.
func (p Posture) Apply(why Reason) Decision {
	if why.Decision != Ask || why.Fresh {
		return why.Decision
	}
	if p == PostureYolo || p == PostureAuto && !why.Explicit {
		return Allow
	}
	return Ask
}
