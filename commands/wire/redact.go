package wire

import "strings"

// shortestSecret is how long a value must be to be taken out of what tools
// return: the "keys" of local servers are words like "none".
const shortestSecret = 12

// redactor replaces the configured keys wherever a tool comes across one; nil
// when there is none.
func redactor(secrets []string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			pairs = append(pairs, s, "[redacted]")
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return strings.NewReplacer(pairs...).Replace
}

func longest(list []string) int {
	n := 0
	for _, s := range list {
		n = max(n, len(s))
	}
	return n
}
