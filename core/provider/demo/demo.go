// Package demo is a stand-in for a model: a small program, in this process, that
// answers as an agent's model does. It repairs the failing checks of a reasonix
// demo project by search: it runs the checks, reads their output to find the
// function and the file, reads that file, and tries small changes one at a time,
// taking back those that do not help. In any other directory it says what it is
// and does nothing.
//
// It is deterministic and keeps nothing: every reply is a function of the
// conversation, so that a session resumed in another process goes on where it
// was. It knows no file, function or fault of the project beforehand, opens no
// file and runs no command itself: it asks for tool calls like any model. It
// reports a usage of zero, because no tokens were spent.
//
// It registers the kind "demo". Whoever shows its replies should say that no real
// model is involved; it says so itself too.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"reasonix/core/message"
	"reasonix/core/provider"
)

func init() { provider.Register("demo", open) }

func open(cfg provider.Config) (provider.Provider, error) { return model{cfg.Name}, nil }

// model is the Provider. It has no state.
type model struct{ name string }

func (m model) Name() string { return m.name }

// Encode writes each message as one line of JSON.
func (m model) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	for _, msg := range batch {
		if err := enc.Encode(msg); err != nil {
			return dst, fmt.Errorf("provider %s: encode message %s: %w", m.name, msg.ID, err)
		}
	}
	return buf.Bytes(), nil
}

// Stream thinks of the reply to req.Messages and sends it. It never fails for
// another reason than the end of ctx.
func (m model) Stream(ctx context.Context, req provider.Request) (<-chan provider.Chunk, error) {
	out := make(chan provider.Chunk, 1)
	go func() {
		defer close(out)
		for _, c := range chunks(reply(req), len(req.Messages)) {
			if !send(ctx, out, c) {
				force(out, provider.Chunk{Type: provider.ChunkError, Err: context.Cause(ctx)})
				return
			}
		}
	}()
	return out, nil
}

// reply is what the model says and the calls it makes with it.
func reply(req provider.Request) step {
	if missing := missingTools(req.Tools); len(missing) > 0 {
		return step{text: fmt.Sprintf(sayNoTools, strings.Join(missing, ", "))}
	}
	return replay(req.Messages).next()
}

// missingTools lists what the model cannot work without.
func missingTools(tools []message.ToolSchema) []string {
	var missing []string
	for _, name := range []string{toolList, toolRead, toolEdit, toolRun} {
		if !hasTool(tools, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

func hasTool(tools []message.ToolSchema, name string) bool {
	for _, t := range tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// chunks is s as a stream. said is the length of the conversation, which makes
// the id of a call unlike that of any earlier one.
func chunks(s step, said int) []provider.Chunk {
	var all []provider.Chunk
	for _, piece := range pieces(s.text) {
		all = append(all, provider.Chunk{Type: provider.ChunkText, Text: piece})
	}
	if s.tool != "" {
		call := &message.ToolCall{ID: fmt.Sprintf("demo_%d", said), Name: s.tool, Arguments: s.arguments}
		all = append(all, provider.Chunk{Type: provider.ChunkCall, Call: call})
	}
	return append(all, provider.Chunk{Type: provider.ChunkDone, Finish: provider.FinishStop, Usage: &message.Usage{}})
}

// pieceSize is about how much text one chunk carries, in bytes.
const pieceSize = 24

// pieces cuts text behind blanks, so that joined they are the text again.
func pieces(text string) []string {
	var all []string
	for len(text) > pieceSize {
		end := pieceSize
		if blank := strings.IndexAny(text[pieceSize:], " \n"); blank >= 0 {
			end += blank + 1
		} else {
			end = len(text)
		}
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		all = append(all, text[:end])
		text = text[end:]
	}
	if text != "" {
		all = append(all, text)
	}
	return all
}

// send hands c to the reader, and reports false when ctx ended instead.
func send(ctx context.Context, out chan<- provider.Chunk, c provider.Chunk) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case out <- c:
		return true
	case <-ctx.Done():
		return false
	}
}

// force sends the last chunk of a cancelled stream. When nobody reads it takes
// the place of the one that nobody has read.
func force(out chan provider.Chunk, c provider.Chunk) {
	for {
		select {
		case out <- c:
			return
		default:
		}
		select {
		case <-out:
		default:
		}
	}
}
