package providertest

import (
	"regexp"
	"strings"
	"sync"
)

// wanted finds the names a prompt wants looked up.
var wanted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(alpha|beta)\b`) })

// Obliging is a responder for Respond: a model that does what the prompts of
// core/provider/trial ask. Asked with a tool it calls the first one for each of
// the names alpha and beta, with some reasoning; given results it repeats them;
// otherwise it says ready.
func Obliging(r *Received) Reply {
	switch results := r.Results(); {
	case len(results) > 0 && r.Last().Role == "tool":
		return Text("The answer is "+strings.Join(results, " and ")+".").Usage(60, 40, 12)
	case len(r.Tools) == 0:
		return Text("ready").Usage(20, 0, 2)
	}
	var calls []Call
	for _, name := range wanted().FindAllString(r.Last().Content, -1) {
		calls = append(calls, Call{Name: r.Tools[0], Arguments: `{"name":"` + name + `"}`})
	}
	return Calls(calls...).Reasoning("reasoning_content", "I look it up.").Usage(100, 0, 30)
}
