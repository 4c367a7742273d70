package compaction

import (
	"fmt"
	"slices"
	"strings"

	"reasonix/core/message"
)

// Fold is work that one digest can stand for. Its zero value has nothing to fold.
type Fold struct {
	Tokens    int    // of what it would replace
	MaxDigest int    // tokens a digest should not exceed
	Archive   string // where the originals go, in words
	entries   []entry
	edits     []Edit // without the digest, which the last one gets
	stubs     int    // tokens of what stands in for long user turns
	folded    int    // messages
	errors    []string
	estimate  func(*message.Message) int
}

// entry is one message of a transcript.
type entry struct {
	*message.Message
	context bool // it stays in the conversation
	failed  bool
}

// Limits of a digest in tokens, and what is too little to fold.
const (
	leastDigest = 200
	mostDigest  = 3000
	digestShare = 0.05 // of the window, at most
	leastFold   = 2 * leastDigest
)

// PlanFold finds the work before the recent tail: what assistant and tools said,
// the host's notes, and user turns longer than PinTokens, whose beginning stays.
// It is empty when there is too little, or too little to gain.
func PlanFold(in Input, s Settings) Fold {
	s = s.withDefaults()
	f := Fold{Archive: in.Archive, estimate: in.Estimate}
	if s.Window <= 0 {
		return f
	}
	start, end := in.body(s)
	for i := start; i < end; i++ {
		f.add(in, s, &in.History[i], i > start && f.open(in.History[i-1].ID))
	}
	f.MaxDigest = max(leastDigest, min(f.Tokens/5, mostDigest, s.share(digestShare)))
	gain := f.Tokens - f.stubs - f.MaxDigest
	if f.Tokens < leastFold || gain <= 0 || !in.Force && gain < s.share(s.MinGain) {
		return Fold{}
	}
	return f
}

// Empty reports whether there is nothing to fold.
func (f *Fold) Empty() bool { return len(f.edits) == 0 }

// Messages is how many messages the digest stands for.
func (f *Fold) Messages() int { return f.folded }

// add takes one message of the body; adjacent says that the one before it is
// folded.
func (f *Fold) add(in Input, s Settings, m *message.Message, adjacent bool) {
	tokens := in.Estimate(m)
	switch k := kindOf(m); {
	case k == system, k == digest, is(m, stubbed), is(m, dropped), k == turn && tokens <= s.PinTokens:
		if k == turn {
			f.entries = append(f.entries, entry{Message: m, context: true})
		}
		return
	case k == turn:
		stub := stubOf(m, tokens, "folded into the digest below")
		f.stubs += in.Estimate(&stub)
		f.edits = append(f.edits, Edit{First: m.ID, Last: m.ID, With: []message.Message{stub}})
	case adjacent:
		f.edits[len(f.edits)-1].Last = m.ID
	default:
		f.edits = append(f.edits, Edit{First: m.ID, Last: m.ID})
	}
	failed := in.failed(m)
	if failed {
		f.errors = append(f.errors, errorLine(m))
	}
	f.entries = append(f.entries, entry{Message: m, failed: failed})
	f.Tokens += tokens
	f.folded++
}

// open reports whether the last edit removes everything up to id.
func (f *Fold) open(id message.ID) bool {
	n := len(f.edits)
	return n > 0 && f.edits[n-1].Last == id && f.edits[n-1].With == nil
}

// stubOf names a user turn that is too long to stay, and where it went.
func stubOf(m *message.Message, tokens int, went string) message.Message {
	stub := *m
	stub.ID = becomes(m, stubbed)
	stub.Attachments = nil
	var b strings.Builder
	b.WriteString(clip(m.Content, stubHead, stubTail))
	fmt.Fprintf(&b, "\n[this message was about %d tokens long and is %s", tokens, went)
	for _, a := range m.Attachments {
		fmt.Fprintf(&b, "; attached: %s", a.Name)
	}
	b.WriteString("]")
	stub.Content = b.String()
	return stub
}

const (
	stubHead = 600
	stubTail = 200
)

// errorLine is an error in one line.
func errorLine(m *message.Message) string {
	text := strings.TrimSpace(m.Content)
	if !strings.HasPrefix(text, "error: ") && !strings.HasPrefix(text, "denied: ") {
		text = text[strings.LastIndexByte(text, '\n')+1:] // how the command ended
	}
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > lineLength {
		text = text[:lineEnd(text, lineLength)] + "..."
	}
	if m.Name == "" {
		return text
	}
	return m.Name + ": " + text
}

const lineLength = 200

// lastErrors are the newest errors, each once.
func (f *Fold) lastErrors() []string {
	var lines []string
	for _, line := range slices.Backward(f.errors) {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		if len(lines) == maxErrors {
			break
		}
	}
	slices.Reverse(lines)
	return lines
}

const maxErrors = 8

// WithOriginals makes the transcript speak from an earlier state of the same
// conversation, e.g. from before its tool results were pruned.
func (f *Fold) WithOriginals(earlier []message.Message) {
	by := make(map[message.ID]*message.Message, len(earlier))
	for i := range earlier {
		by[original(earlier[i].ID)] = &earlier[i]
	}
	for i, e := range f.entries {
		if m, ok := by[original(e.ID)]; ok {
			f.entries[i].Message = m
		}
	}
}

// Edits is the fold with its digest in place. id names the digest's message.
func (f *Fold) Edits(summary string, id message.ID) Plan {
	d := f.digest(summary, id)
	edits := slices.Clone(f.edits)
	last := &edits[len(edits)-1]
	last.With = append(slices.Clone(last.With), d)
	return Plan{Stage: StageSummary, Edits: edits, Frees: f.Tokens - f.stubs - f.estimate(&d)}
}
