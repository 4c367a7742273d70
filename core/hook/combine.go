package hook

import "strings"

// and adds what the next hook said. A block beats an ask, an ask beats an allow. An
// allow was of the arguments it was given: it is void once others took their place.
func (v Verdict) and(next Verdict) Verdict {
	if next.Args != nil {
		if v.Permission == Allow {
			v.Permission, v.Reason, v.By = "", "", ""
		}
		v.Args, v.Replaced = next.Args, next.Replaced
	}
	if rank(next) > rank(v) {
		v.Block, v.Permission, v.Reason, v.By = next.Block, next.Permission, next.Reason, next.By
	}
	if next.Stop && !v.Stop {
		v.Stop, v.StopReason = true, next.StopReason
	}
	v.Context = joined(v.Context, next.Context)
	v.Messages = append(v.Messages, next.Messages...)
	v.Runs = append(v.Runs, next.Runs...)
	return v
}

func rank(v Verdict) int {
	switch {
	case v.Block:
		return 3
	case v.Permission == Ask:
		return 2
	case v.Permission == Allow:
		return 1
	}
	return 0
}

func joined(a, b string) string { return strings.TrimSpace(a + "\n" + b) }
