package providertest_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/providertest"
)

// TestConformanceCanBeMet runs the suite on plain, the least a provider can be.
func TestConformanceCanBeMet(t *testing.T) {
	providertest.Run(t, func(_ *testing.T, cfg provider.Config) provider.Provider { return plain{cfg} })
}

// plain reads well-formed streams and nothing else.
type plain struct{ cfg provider.Config }

func (p plain) Name() string { return p.cfg.Name }

func (p plain) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	for _, m := range batch {
		out := map[string]any{"role": m.Role, "content": m.Content}
		if m.ToolCallID != "" {
			out["tool_call_id"] = m.ToolCallID
		}
		var calls []any
		for _, c := range m.ToolCalls {
			args, ok := provider.ValidArguments(c.Arguments)
			if !ok {
				args = "{}"
			}
			calls = append(calls, map[string]any{
				"id": c.ID, "type": "function",
				"function": map[string]string{"name": c.Name, "arguments": args},
			})
		}
		if calls != nil {
			out["tool_calls"] = calls
		}
		b, err := json.Marshal(out)
		if err != nil {
			return dst, err
		}
		if len(dst) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, b...)
	}
	return dst, nil
}

func (p plain) Models(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.cfg.BaseURL+"/models", nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.cfg.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids, nil
}

func (p plain) Stream(ctx context.Context, req provider.Request) (<-chan provider.Chunk, error) {
	body, err := p.body(req)
	if err != nil {
		return nil, err
	}
	out := make(chan provider.Chunk, 16)
	go func() {
		defer close(out)
		end := p.read(ctx, body, func(c provider.Chunk) {
			select {
			case out <- c:
			case <-ctx.Done():
			}
		})
		for {
			select {
			case out <- end:
				return
			case <-ctx.Done():
			}
			select { // a cancelled reader may be gone: make room for the end
			case <-out:
			default:
			}
			select {
			case out <- end:
				return
			default:
			}
		}
	}()
	return out, nil
}

func (p plain) body(req provider.Request) ([]byte, error) {
	var wire []byte
	var err error
	if req.Wire != nil {
		wire = req.Wire.Bytes()
	} else if wire, err = p.Encode(nil, req.Messages); err != nil {
		return nil, err
	}
	out := []byte(`{"model":"` + p.cfg.Model + `","stream":true`)
	for i, t := range req.Tools {
		lead := `,`
		if i == 0 {
			lead = `,"tools":[`
		}
		b, err := json.Marshal(map[string]any{"type": "function", "function": t})
		if err != nil {
			return nil, err
		}
		out = append(append(out, lead...), b...)
		if i == len(req.Tools)-1 {
			out = append(out, ']')
		}
	}
	return append(append(append(out, `,"messages":[`...), wire...), `]}`...), nil
}

// read sends the request, emits what comes and returns the last chunk.
func (p plain) read(ctx context.Context, body []byte, emit func(provider.Chunk)) provider.Chunk {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.cfg.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return provider.Chunk{Type: provider.ChunkError, Err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	if p.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.cfg.APIKey)
	}
	resp, err := p.cfg.HTTP.Do(req)
	if err != nil {
		return p.fail(ctx, provider.Failure{Kind: provider.KindConnection, Phase: provider.PhaseConnect, Retryable: true, Err: err})
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return p.fail(ctx, p.refused(resp))
	}
	end, err := events(resp.Body, emit)
	if err != nil {
		return p.fail(ctx, provider.Failure{Kind: provider.KindCut, Phase: provider.PhaseStream, Retryable: true, Err: err})
	}
	return end
}

func (p plain) fail(ctx context.Context, f provider.Failure) provider.Chunk {
	if err := ctx.Err(); err != nil {
		return provider.Chunk{Type: provider.ChunkError, Err: err}
	}
	f.Provider = p.cfg.Name
	return provider.Chunk{Type: provider.ChunkError, Err: &f}
}

func (p plain) refused(resp *http.Response) provider.Failure {
	b, _ := io.ReadAll(resp.Body)
	text := string(b)
	if p.cfg.APIKey != "" {
		text = strings.ReplaceAll(text, p.cfg.APIKey, "[key]")
	}
	f := provider.Failure{
		Kind: provider.KindRequest, Status: resp.StatusCode, Text: text,
		After: provider.RetryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
	switch code := resp.StatusCode; {
	case code == 401 || code == 403:
		f.Kind = provider.KindAuth
	case code == 429:
		f.Kind, f.Retryable = provider.KindRateLimit, true
	case code == 408 || code == 409 || code == 425 || code >= 500:
		f.Kind, f.Retryable = provider.KindOverloaded, true
	}
	return f
}

// event is one data line.
type event struct {
	Choices []struct {
		Delta struct {
			Content   string
			Reasoning string `json:"reasoning_content"`
			ToolCalls []struct {
				Index    int
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
}

// events reads a stream up to [DONE] and returns its last chunk.
func events(body io.Reader, emit func(provider.Chunk)) (provider.Chunk, error) {
	end := provider.Chunk{Type: provider.ChunkDone, Finish: provider.FinishStop}
	var calls []message.ToolCall
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			for _, c := range calls {
				emit(provider.Chunk{Type: provider.ChunkCall, Call: &c})
			}
			return end, nil
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return end, fmt.Errorf("event %q: %w", data, err)
		}
		if e.Usage != nil {
			end.Usage = &message.Usage{
				Input:  e.Usage.Prompt - e.Usage.Details.Cached,
				Output: e.Usage.Completion, CacheRead: e.Usage.Details.Cached,
			}
		}
		for _, c := range e.Choices {
			if c.FinishReason == "length" {
				end.Finish = provider.FinishLength
			}
			if c.Delta.Reasoning != "" {
				emit(provider.Chunk{Type: provider.ChunkReasoning, Text: c.Delta.Reasoning})
			}
			if c.Delta.Content != "" {
				emit(provider.Chunk{Type: provider.ChunkText, Text: c.Delta.Content})
			}
			for _, tc := range c.Delta.ToolCalls {
				if tc.Index == len(calls) {
					calls = append(calls, message.ToolCall{ID: tc.ID, Name: tc.Function.Name})
				}
				calls[tc.Index].Arguments += tc.Function.Arguments
			}
		}
	}
	return end, cmp.Or(lines.Err(), io.ErrUnexpectedEOF)
}
