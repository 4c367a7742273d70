package compaction

// Counter says how many tokens the next prompt is: what the endpoint counted for
// the last one, tool schemas included, and an estimate of what was added since or
// taken away. The zero Counter has no count and passes estimates on. It belongs to
// one model.
type Counter struct {
	counted   int // the endpoint's, of the prompt below
	estimated int
}

// Counted notes the endpoint's own count of a prompt and what that prompt was
// estimated at before any scaling. A count of 0 is none.
func (c *Counter) Counted(counted, estimated int) {
	if counted > 0 {
		c.counted, c.estimated = counted, estimated
	}
}

// Tokens is the prompt that is now estimated at so much, unscaled. scale turns an
// estimate into the endpoint's tokens.
func (c *Counter) Tokens(estimated int, scale func(int) int) int {
	switch {
	case c.counted == 0:
		return scale(estimated)
	case estimated < c.estimated:
		return max(0, c.counted-scale(c.estimated-estimated))
	}
	return c.counted + scale(estimated-c.estimated)
}

// Forget drops the count, e.g. when the model changed.
func (c *Counter) Forget() { *c = Counter{} }
