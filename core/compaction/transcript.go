package compaction

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"reasonix/core/message"
)

//go:embed instructions.md
var instructions string

const (
	// MinPiece is the smallest budget a transcript is cut for, in tokens.
	MinPiece  = 500
	maxPieces = 8

	resultCap  = 8000 // bytes of a tool result at first
	leastCap   = 250
	argsCap    = 600 // bytes of a call's arguments
	contextCap = 600 // bytes of a user turn that stays
)

// FirstPiece is the budget in tokens that a transcript is first cut for: what a
// window takes beside the instructions and the answer.
func (s Settings) FirstPiece() int { return max(MinPiece, s.share(0.75)) }

// Requests is what a summarizer is asked: one conversation without tools for each
// piece of the transcript, a piece being at most budget tokens. focus is what the
// user wants kept above all; it may be empty. Calls and results are never parted,
// and the more there is the less of each result is shown.
func (f *Fold) Requests(focus string, budget int) [][]message.Message {
	budget = max(budget, MinPiece)
	limit := resultCap
	pieces := f.pieces(limit, budget)
	for len(pieces) > maxPieces && limit/2 >= leastCap {
		limit /= 2
		pieces = f.pieces(limit, budget)
	}
	words := max(100, f.MaxDigest*2/3/max(1, len(pieces)))
	requests := make([][]message.Message, len(pieces))
	for i, text := range pieces {
		requests[i] = []message.Message{
			{ID: "summary-system", Role: message.System, Content: strings.ReplaceAll(instructions, "{{words}}", strconv.Itoa(words))},
			{ID: "summary-part", Role: message.User, Content: asked(text, focus, i, len(pieces))},
		}
	}
	return requests
}

// Join makes one summary of those of the pieces.
func Join(parts []string) string {
	var said []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n\n")
}

func asked(text, focus string, i, of int) string {
	var b strings.Builder
	if of > 1 {
		fmt.Fprintf(&b, "Part %d of %d of the messages; the others are compressed by themselves.\n\n", i+1, of)
	}
	b.WriteString("<messages>\n" + text + "</messages>\n")
	if focus = strings.TrimSpace(focus); focus != "" {
		b.WriteString("\nThe user wants this kept above all: " + focus + "\n")
	}
	return b.String()
}

// pieces cuts the transcript before messages that are no results.
func (f *Fold) pieces(limit, budget int) []string {
	var (
		pieces []string
		piece  strings.Builder
		filled int
	)
	for begin := 0; begin < len(f.entries); {
		end := begin + 1
		for end < len(f.entries) && f.entries[end].Role == message.ToolRole {
			end++
		}
		text := f.fitting(unit(f.entries[begin:end], limit), budget)
		tokens := f.tokens(text)
		if filled > 0 && filled+tokens > budget {
			pieces = append(pieces, piece.String())
			piece.Reset()
			filled = 0
		}
		piece.WriteString(text)
		filled += tokens
		begin = end
	}
	if filled > 0 {
		pieces = append(pieces, piece.String())
	}
	return pieces
}

func (f *Fold) tokens(text string) int {
	return f.estimate(&message.Message{Role: message.User, Content: text})
}

// fitting leaves the middle of a text out until it fits.
func (f *Fold) fitting(text string, budget int) string {
	for tokens := f.tokens(text); tokens > budget && len(text) > 2*slack; tokens = f.tokens(text) {
		keep := min(len(text)*budget/tokens, len(text)-2*slack)
		keep = max(0, keep-slack)
		text = clip(text, keep*2/3, keep/3)
	}
	return text
}

// unit is a message with the results that follow it.
func unit(entries []entry, limit int) string {
	var b strings.Builder
	for _, e := range entries {
		e.write(&b, limit)
	}
	return b.String()
}

func (e entry) write(b *strings.Builder, limit int) {
	switch {
	case e.Role == message.ToolRole:
		if e.failed {
			limit *= 2
		}
		fmt.Fprintf(b, "[result of %s]\n%s\n", e.Name, clip(e.Content, limit*2/3, limit/3))
	case e.Role == message.Assistant:
		if e.Content != "" {
			fmt.Fprintf(b, "[assistant]\n%s\n", e.Content)
		}
		for _, c := range e.ToolCalls {
			fmt.Fprintf(b, "[call of %s] %s\n", c.Name, clip(c.Arguments, argsCap*2/3, argsCap/3))
		}
	case e.context:
		fmt.Fprintf(b, "[user]\n%s\n", clip(e.Content, contextCap, 0))
	case kindOf(e.Message) == note:
		fmt.Fprintf(b, "%s\n", e.Content)
	default:
		fmt.Fprintf(b, "[user, folded]\n%s\n", e.Content)
	}
}
