package protocol

// Compact makes the conversation smaller now: at once when no turn runs, and
// before the next request of a running one otherwise. Folded says what was done; a
// Notice says when there was nothing to do. Focus is what a summary must keep and
// may be empty. Cancel stops it.
type Compact struct {
	Focus string
}

func (Compact) op() {}
