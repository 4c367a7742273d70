package providertest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// The vendors' error bodies, and what they refuse that others take.

func answer(status int, format string, args ...any) *refusal {
	return &refusal{status: status, body: fmt.Appendf(nil, format, args...), header: http.Header{}}
}

func faultOpenRouter(status int, _, _, text string) *refusal {
	return answer(status, `{"error":{"message":"Provider returned error: %s","code":%d,"metadata":{"provider_name":"Scripted"}},"user_id":"user_1"}`,
		inText(text), status)
}

func faultZhipu(status int, _, _, text string) *refusal {
	code := map[int]string{401: "1002", 429: "1302"}[status]
	if code == "" {
		code = "1210"
	}
	return answer(status, `{"error":{"code":%q,"message":%s}}`, code, mustJSON(text))
}

func faultDashScope(status int, kind, _, text string) *refusal {
	return answer(status, `{"error":{"code":"invalid_parameter_error","param":null,"message":%s,"type":%q},"id":"chatcmpl-1","request_id":"r-1"}`,
		mustJSON(text), kind)
}

func faultMistral(status int, kind, param, text string) *refusal {
	switch {
	case status == http.StatusUnauthorized:
		return answer(status, `{"detail":"Unauthorized"}`)
	case param != "":
		return answer(http.StatusUnprocessableEntity, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body",%q],`+
			`"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}`, param)
	}
	return answer(status, `{"object":"error","message":%s,"type":%q,"param":null,"code":"3051","raw_status_code":%d}`, mustJSON(text), kind, status)
}

func faultXAI(status int, _, param, text string) *refusal {
	code := "Client specified an invalid argument"
	if param != "" {
		text = "Argument not supported on this model: " + camel(param)
	}
	return answer(status, `{"code":%q,"error":%s}`, code, mustJSON(text))
}

// camel is name_like_this asNameLikeThis.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

func faultOllama(status int, _, _, text string) *refusal {
	return answer(status, `{"error":{"message":%s,"type":"api_error","param":null,"code":null}}`, mustJSON(text))
}

func faultLMStudio(status int, _, _, text string) *refusal {
	return answer(status, `{"error":%s}`, mustJSON(text))
}

func faultLlamaCpp(status int, kind, _, text string) *refusal {
	return answer(status, `{"error":{"code":%d,"message":%s,"type":%q}}`, status, mustJSON(text), kind)
}

func faultVLLM(status int, _, _, text string) *refusal {
	return answer(status, `{"object":"error","message":%s,"type":"BadRequestError","param":null,"code":%d}`, mustJSON(text), status)
}

// inText is text as it stands inside a JSON string.
func inText(text string) string {
	s := string(mustJSON(text))
	return s[1 : len(s)-1]
}

// wantsReasoning refuses a message with calls whose reasoning_content is missing.
// It may be empty.
func wantsReasoning(r *Received) *refusal {
	for i, m := range r.Messages {
		if _, has := m.Reasoning["reasoning_content"]; len(m.ToolCalls) > 0 && !has {
			return fault(http.StatusBadRequest, "invalid_request_error", "",
				"thinking is enabled but reasoning_content is missing in assistant tool call message at index "+strconv.Itoa(i))
		}
	}
	return nil
}

// refuses a parameter of the request.
func refuses(param string) func(*Received) *refusal {
	return func(r *Received) *refusal {
		if _, sent := r.Fields[param]; !sent {
			return nil
		}
		return fault(http.StatusBadRequest, "invalid_request_error", param,
			fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model. Use 'max_completion_tokens' instead.", param))
	}
}

// refusesField refuses a member of messages.
func refusesField(field string) func(*Received) *refusal {
	return func(r *Received) *refusal {
		for i, m := range r.Messages {
			if _, has := m.Reasoning[field]; has {
				return fault(http.StatusBadRequest, "invalid_request_error", "",
					fmt.Sprintf("'messages.%d' : for 'role:assistant' the following must be satisfied[('messages.%d' : property '%s' is unsupported)]", i, i, field))
			}
		}
		return nil
	}
}

// checkMistral is strict about parameters, members of messages and ids.
func checkMistral(r *Received) *refusal {
	for _, unknown := range []string{"stream_options", "max_completion_tokens", "thinking"} {
		if _, sent := r.Fields[unknown]; sent {
			return faultMistral(0, "", unknown, "")
		}
	}
	for _, m := range r.Messages {
		for field := range m.Reasoning {
			return faultMistral(0, "", field, "")
		}
		ids := []string{m.ToolCallID}
		if m.Role != "tool" {
			ids = nil
		}
		for _, c := range m.ToolCalls {
			ids = append(ids, c.ID)
		}
		for _, id := range ids {
			if !isNine(id) {
				return faultMistral(http.StatusBadRequest, "invalid_function_call", "",
					"Tool call id was "+id+" but must be a-z, A-Z, 0-9, with a length of 9.")
			}
		}
	}
	return nil
}

func isNine(id string) bool {
	const allowed = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return len(id) == 9 && strings.Trim(id, allowed) == ""
}
