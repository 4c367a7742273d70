package agent

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/provider"
)

//go:embed guardian.md
var guardianPrompt string

// The bounds of a review.
const (
	guardianLimit  = 30 * time.Second
	guardianTokens = 4096  // of the reply, with what a model thinks before it
	guardianCall   = 32000 // bytes of arguments; what is longer is not reviewed
	guardianAsked  = 4000  // bytes of each thing the user asked
	guardianReason = 300   // bytes of the reason that are kept
	guardianReply  = 64000 // bytes of a reply that are listened to
)

// Judgement is what a Guardian says of a call.
type Judgement string

// The judgements. An empty one is no verdict, for whatever reason: a person is asked.
const (
	NoJudgement Judgement = ""
	JudgedAllow Judgement = "allow"
	JudgedDeny  Judgement = "deny"
)

// Case is a call as a Guardian sees it.
type Case struct {
	Call message.ToolCall
	Dir  string   // where the agent works
	Why  string   // why the call is reviewed
	Said []string // what the user typed last, oldest first
}

// Review is the answer to a Case. Reason says why in one line of the model's words,
// or why there is none.
type Review struct {
	Judgement Judgement
	Reason    string
	Model     string // provider/model that was asked
	Usage     message.Usage
	Cost      *event.Money // nil: unknown, or nobody was asked
}

// Guardian is a model that reviews calls in the user's place. It sees one call at a
// time and no conversation, has no tools and a prompt of its own. Only a reply that
// is a verdict and nothing else counts. Provider is required. It is safe for
// concurrent use.
type Guardian struct {
	Provider provider.Provider
	Model    string          // provider/model
	Price    *provider.Price // nil: unknown
	Limit    time.Duration   // of one review; 0 is 30 s
	// Redact takes secrets out of what the model is shown; nil leaves it as it is.
	Redact func(string) string
}

// Review asks the model once. It does not fail: where no verdict could be had, the
// Review has no judgement.
func (g *Guardian) Review(ctx context.Context, c Case) Review {
	r := Review{Model: g.Model}
	if n := len(c.Call.Arguments); n > guardianCall {
		r.Reason = fmt.Sprintf("its %d bytes of arguments are too long for a review", n)
		return r
	}
	limit := cmp.Or(g.Limit, guardianLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	text, usage, err := g.ask(ctx, g.messages(c))
	if usage != nil {
		r.Usage = *usage
		if g.Price != nil {
			r.Cost = &event.Money{Currency: g.Price.Currency, Amount: g.Price.Cost(*usage)}
		}
	}
	if err == nil {
		r.Judgement, r.Reason, err = verdictOf(text)
	}
	if err != nil {
		r.Reason = oneLine(err.Error())
	}
	r.Reason = g.redact(r.Reason)
	return r
}

// messages are the whole request. What the call says is data: a JSON string of one
// line, whatever is in it.
func (g *Guardian) messages(c Case) []message.Message {
	said := []string{}
	for _, text := range c.Said {
		said = append(said, g.redact(clip(text, guardianAsked)))
	}
	var material strings.Builder
	plain := json.NewEncoder(&material)
	plain.SetEscapeHTML(false)
	_ = plain.Encode(struct { // strings always can be
		Asked     []string `json:"asked"`
		Tool      string   `json:"tool"`
		Arguments string   `json:"arguments"`
		Directory string   `json:"directory"`
		Why       string   `json:"why"`
	}{said, c.Call.Name, g.redact(c.Call.Arguments), c.Dir, c.Why})
	return []message.Message{
		{ID: "system", Role: message.System, Content: guardianPrompt},
		{ID: "call", Role: message.User, Content: strings.TrimSpace(material.String())},
	}
}

// ask waits for one reply. A call, a refusal or a reply that was cut is an error.
func (g *Guardian) ask(ctx context.Context, ms []message.Message) (text string, usage *message.Usage, err error) {
	got, err := provider.Complete(ctx, g.Provider, provider.Request{Messages: ms, MaxTokens: guardianTokens}, guardianReply)
	if err != nil {
		return "", nil, err
	}
	return got.Text, got.Usage, finished(got.Finish)
}

func finished(how provider.Finish) error {
	if how == provider.FinishStop {
		return nil
	}
	return fmt.Errorf("the reply ended as %q instead of with a verdict", string(how))
}

// verdictLine is the one form that is a verdict.
var verdictLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^verdict: (allow|deny) - ([^\pC\pZ][^\pC\x{2028}\x{2029}]*)$`)
})

// verdictOf reads a reply: one line, which is a verdict, and nothing else. A line
// among others may be quoted from the call.
func verdictOf(reply string) (Judgement, string, error) {
	m := verdictLine().FindStringSubmatch(strings.TrimSpace(reply))
	if m == nil {
		return NoJudgement, "", fmt.Errorf("the reply is no verdict: %q", clip(oneLine(reply), guardianReason))
	}
	return Judgement(m[1]), clip(oneLine(m[2]), guardianReason), nil
}

func (g *Guardian) redact(text string) string {
	if g.Redact == nil {
		return text
	}
	return g.Redact(text)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// clip is the beginning of text, n bytes at most.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
