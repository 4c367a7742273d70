package permission

// Settle says what becomes of a call that Explain judged as why: Allow, Deny, or
// Ask, which is answered by a person and only comes back when interactive says
// that there is one. headless is what an unanswered question counts as otherwise;
// anything but Allow refuses. A deny holds everywhere, and a fresh review is
// refused wherever nobody can be asked, as is what a reviewer has not answered.
func Settle(why Reason, posture Posture, interactive bool, headless Decision) Decision {
	d := posture.Apply(why)
	switch {
	case d != Ask || interactive:
		return d
	case why.Fresh || why.Review || headless != Allow:
		return Deny
	}
	return Allow
}
