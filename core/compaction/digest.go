package compaction

import (
	"errors"
	"fmt"
	"strings"

	"reasonix/core/message"
)

const (
	digestOpen  = "<compaction-digest"
	digestClose = "</compaction-digest>"
)

// IsDigest reports whether m stands for work folded earlier.
func IsDigest(m *message.Message) bool {
	return m.Role == message.User && strings.HasPrefix(m.Content, digestOpen) && strings.HasSuffix(m.Content, digestClose)
}

// What makes a summary useless.
var (
	ErrEmptySummary = errors.New("the summary is empty")
	ErrLongSummary  = errors.New("the summary is no shorter than what it would replace")
)

// Check refuses a summary that says nothing or frees nothing.
func (f *Fold) Check(summary string) error {
	if strings.TrimSpace(summary) == "" {
		return ErrEmptySummary
	}
	d := f.digest(summary, "check")
	if f.estimate(&d)+f.stubs >= f.Tokens {
		return ErrLongSummary
	}
	return nil
}

// digest is the message that stands for the folded work. Errors are in it as they
// were, whatever the summary says of them.
func (f *Fold) digest(summary string, id message.ID) message.Message {
	var b strings.Builder
	fmt.Fprintf(&b, "%s messages=\"%d\"", digestOpen, f.folded)
	if f.Archive != "" {
		fmt.Fprintf(&b, " archive=%q", f.Archive)
	}
	b.WriteString(">\nThe work up to here, summarized by the host. What the user said stays above in full.\n\n")
	b.WriteString(unmarked(strings.TrimSpace(summary)))
	if lines := f.lastErrors(); len(lines) > 0 {
		b.WriteString("\n\nErrors and refusals, as they were:")
		for _, line := range lines {
			b.WriteString("\n- " + unmarked(line))
		}
	}
	b.WriteString("\n" + digestClose)
	return message.Message{ID: id, Role: message.User, Content: b.String()}
}

// unmarked takes a digest's own marks out of text.
func unmarked(text string) string {
	return strings.NewReplacer(digestClose, "", digestOpen, "").Replace(text)
}
