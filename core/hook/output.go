package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of what a hook says, in bytes.
const (
	// MaxOutput is how much of each of a hook's outputs is read; the rest is dropped.
	MaxOutput  = 256 << 10
	maxReason  = 4 << 10
	maxContext = 16 << 10
)

// output is the JSON a hook may print. What is about a call may stand beside the
// rest or, as in Claude Code, in hookSpecificOutput.
type output struct {
	Continue      *bool  `json:"continue"`
	StopReason    string `json:"stopReason"`
	SystemMessage string `json:"systemMessage"`
	Decision      words  `json:"decision"`
	Reason        string `json:"reason"`
	specific
	Specific struct {
		specific
		Decision struct {
			Behavior words           `json:"behavior"`
			Message  string          `json:"message"`
			Args     json.RawMessage `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

type specific struct {
	Permission words           `json:"permissionDecision"`
	Why        string          `json:"permissionDecisionReason"`
	Args       json.RawMessage `json:"updatedInput"`
	Context    string          `json:"additionalContext"`
}

// read turns the outputs of a hook that ended by itself into what it says. clean takes
// secrets out of its texts; errOut is clean.
func (h Hook) read(p Point, code int, signal string, out, errOut []byte, clean func(string) string) (Verdict, error) {
	switch {
	case signal != "":
		return Verdict{}, fmt.Errorf("it was ended by a signal: %s%s", signal, after(errOut))
	case code == 2 && p.CanBlock():
		return h.block(p, cmp.Or(text(errOut, maxReason), text([]byte(clean(string(out))), maxReason))), nil
	case code != 0:
		return Verdict{}, fmt.Errorf("it ended with exit code %d%s", code, after(errOut))
	}
	out = bytes.TrimSpace(out)
	if !bytes.HasPrefix(out, []byte("{")) {
		return plain(p, []byte(clean(string(out)))), nil
	}
	if len(out) >= MaxOutput {
		return Verdict{}, fmt.Errorf("it printed JSON of more than %d bytes", MaxOutput)
	}
	var o output
	if err := json.Unmarshal(out, &o); err != nil {
		return Verdict{}, fmt.Errorf("it printed what looks like JSON and is not what a hook says: %w", err)
	}
	for _, t := range []*string{
		&o.StopReason, &o.SystemMessage, &o.Reason, &o.Why, &o.Context, &o.Specific.Why, &o.Specific.Context, &o.Specific.Decision.Message,
	} {
		*t = clean(*t)
	}
	return h.say(p, o)
}

// plain is what text that is no JSON means: at the points where the user speaks to
// the model it is for the model.
func plain(p Point, out []byte) Verdict {
	if p != SessionStart && p != UserPromptSubmit {
		return Verdict{}
	}
	return Verdict{Context: text(out, maxContext)}
}

func (h Hook) block(p Point, reason string) Verdict {
	v := Verdict{Block: true, By: h.Title(), Reason: cmp.Or(reason, "the hook "+h.Title()+" gave no reason")}
	if p == PreToolUse || p == PermissionRequest {
		v.Permission = Deny
	}
	return v
}

// say is the verdict of printed JSON.
func (h Hook) say(p Point, o output) (Verdict, error) {
	word, reason, err := o.word()
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	reason = clip(reason, maxReason)
	switch {
	case word == Deny && p.CanBlock():
		v = h.block(p, reason)
	case p == PreToolUse && word == Ask, (p == PreToolUse || p == PermissionRequest) && word == Allow:
		v = Verdict{Permission: word, Reason: reason, By: h.Title()}
	}
	if p == PreToolUse {
		if v.Args, err = h.arguments(o); err != nil {
			return Verdict{}, err
		}
		if v.Args != nil {
			v.Replaced = h.Title()
		}
	}
	if o.Specific.Decision.Args != nil {
		return Verdict{}, fmt.Errorf("its updatedInput comes too late: a person was to be asked about the call as it is; only %s may change it", PreToolUse)
	}
	v.Context = clip(strings.TrimSpace(cmp.Or(o.Specific.Context, o.Context)), maxContext)
	if o.Continue != nil && !*o.Continue {
		v.Stop, v.StopReason = true, cmp.Or(clip(o.StopReason, maxReason), reason, "the hook "+h.Title()+" stopped the turn")
	}
	if m := clip(strings.TrimSpace(o.SystemMessage), maxReason); m != "" {
		v.Messages = []string{m}
	}
	return v, nil
}

// words are all that a member says: one that is there twice, or in another case,
// does not take the first word back.
type words []string

// UnmarshalJSON adds a word.
func (w *words) UnmarshalJSON(text []byte) error {
	var word string
	if err := json.Unmarshal(text, &word); err != nil {
		return err
	}
	*w = append(*w, word)
	return nil
}

// meaning is what a word says, "" for one that leaves it to others.
func meaning(word string) (p Permission, ok bool) {
	switch word {
	case "", "defer", "none":
		return "", true
	case "deny", "block":
		return Deny, true
	case "allow", "approve":
		return Allow, true
	case "ask":
		return Ask, true
	}
	return "", false
}

// strictness orders what a hook can say.
func strictness(p Permission) int { return slices.Index([]Permission{"", Allow, Ask, Deny}, p) }

// word is what the JSON says of what is going on, and why: of several words the
// strictest. One that means nothing is an error, unless another one is more than an
// allow.
func (o output) word() (Permission, string, error) {
	var strictest Permission
	var why string
	var err error
	for _, said := range []struct {
		words  words
		reason string
	}{
		{o.Specific.Permission, o.Specific.Why},
		{o.Specific.Decision.Behavior, o.Specific.Decision.Message},
		{o.Permission, o.Why},
		{o.Decision, o.Reason},
	} {
		for _, word := range said.words {
			p, ok := meaning(word)
			switch {
			case !ok && err == nil:
				err = fmt.Errorf("it decided %q, which is neither allow, ask, deny, approve nor block", word)
			case strictness(p) > strictness(strictest):
				strictest, why = p, cmp.Or(said.reason, o.Reason)
			}
		}
	}
	if strictness(strictest) > strictness(Allow) {
		return strictest, why, nil
	}
	if err != nil {
		return "", "", err
	}
	return strictest, why, nil
}

// arguments are those to use instead, nil when there are none.
func (h Hook) arguments(o output) (json.RawMessage, error) {
	args := o.Specific.Args
	if args == nil {
		args = o.Args
	}
	if args == nil || string(args) == "null" {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) != nil {
		return nil, fmt.Errorf("its updatedInput is no JSON object")
	}
	return args, nil
}

// after is the end of what a program said, behind a colon.
func after(errOut []byte) string {
	said := strings.TrimSpace(strings.ToValidUTF8(string(errOut), "�"))
	if i := strings.LastIndexByte(said, '\n'); i >= 0 {
		said = said[i+1:]
	}
	if said == "" {
		return ""
	}
	return ": " + clip(said, 400)
}

func text(b []byte, limit int) string {
	return clip(strings.TrimSpace(strings.ToValidUTF8(string(b), "�")), limit)
}

// clip cuts s to limit bytes, and says so.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
