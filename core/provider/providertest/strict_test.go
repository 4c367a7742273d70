package providertest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// asked is an assistant message with calls, each id=name=arguments.
func asked(calls ...string) string {
	out := make([]string, len(calls))
	for i, c := range calls {
		f := strings.SplitN(c, "=", 3)
		out[i] = fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, f[0], f[1], quote(f[2]))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(out, ",") + `]}`
}

func answered(id string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"ok"}`, id)
}

func tool(name, parameters string) string {
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":%s}}`, name, parameters)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

const user = `{"role":"user","content":"hi"}`

// TestStrict says what the server refuses as vendors do, and what it must not.
func TestStrict(t *testing.T) {
	messages := func(m ...string) string {
		return `{"model":"m","stream":true,"messages":[` + strings.Join(m, ",") + `]}`
	}
	tools := func(t ...string) string {
		return `{"model":"m","stream":true,"messages":[` + user + `],"tools":[` + strings.Join(t, ",") + `]}`
	}
	const object = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	tests := []struct {
		name, body, refusal string // no refusal: accepted
	}{
		{"a plain question", messages(user), ""},
		{"system first", messages(`{"role":"system","content":"be good"}`, user), ""},
		{"a call and its result", messages(user, asked("a=ls={}"), answered("a")), ""},
		{"results in any order, then steering", messages(user, asked("a=ls={}", "b=ls={}"), answered("b"), answered("a"), user), ""},
		{"an id again in a later turn (SSE-08)", messages(user, asked("a=ls={}"), answered("a"), asked("a=ls={}"), answered("a")), ""},
		{"an empty result", messages(user, asked("a=ls={}"), `{"role":"tool","tool_call_id":"a","content":""}`), ""},
		{"parts", messages(`{"role":"user","content":[{"type":"text","text":"hi"}]}`), ""},
		{"empty text beside calls", messages(user, strings.Replace(asked("a=ls={}"), "null", `""`, 1), answered("a")), ""},
		{"a tool", tools(tool("ls", object)), ""},
		{"a tool with parts of schemas", tools(tool("ls", `{"type":"object","properties":{"a":true,"b":{"type":"array","items":{"type":"string"}}}}`)), ""},
		{"a tool without parameters", tools(`{"type":"function","function":{"name":"ls"}}`), ""},

		{"no JSON", `{"model":`, "not valid JSON"},
		{"no object", `[]`, "not a JSON object"},
		{"two objects", messages(user) + `{}`, "something follows"},
		{"a field twice", `{"model":"m","model":"m"}`, "'model' is there twice"},
		{"bytes that are no UTF-8", messages("{\"role\":\"user\",\"content\":\"\xff\"}"), "not valid UTF-8"},
		{"no model", `{"messages":[` + user + `]}`, "must provide a model"},
		{"stream options without a stream", `{"model":"m","messages":[` + user + `],"stream_options":{}}`, "'stream_options'"},
		{"no messages", `{"model":"m"}`, "non-empty array"},
		{"empty messages", messages(), "non-empty array"},
		{"a message that is no object", messages("1"), "first message"},
		{"a later message that is no object", messages(user, "1"), "not a JSON object"},
		{"a field of a message twice", messages(`{"role":"user","content":"a","content":"b"}`), "'content' is there twice"},
		{"assistant first", messages(`{"role":"assistant","content":"hi"}`), "first message"},
		{"tool first", messages(answered("a")), "first message"},
		{"an unknown role", messages(user, `{"role":"robot","content":"hi"}`), "'robot' is not one of"},
		{"no content", messages(`{"role":"user"}`), "'content' is missing"},
		{"null content", messages(`{"role":"user","content":null}`), "'content' is missing"},
		{"an assistant without anything", messages(user, `{"role":"assistant","content":null}`, user), "'content' is missing"},
		{"an empty assistant", messages(user, `{"role":"assistant","content":""}`, user), "must not be empty"},
		{"a number as content", messages(`{"role":"user","content":1}`), "must be a string"},
		{"no parts", messages(`{"role":"user","content":[]}`), "must be a string"},
		{"an untyped part", messages(`{"role":"user","content":[{"text":"hi"}]}`), "content[0].type"},
		{"a call without result at the end", messages(user, asked("a=ls={}")), "these have none: a"},
		{"a call without result before the next", messages(user, asked("a=ls={}", "b=ls={}"), answered("a"), user), "these have none: b"},
		{"a result behind the next message", messages(user, asked("a=ls={}"), user, answered("a")), "these have none: a"},
		{"a result without call", messages(user, answered("a")), "no call 'a'"},
		{"a result twice", messages(user, asked("a=ls={}"), answered("a"), answered("a")), "answered twice"},
		{"a repeated id (SSE-08)", messages(user, asked("a=ls={}", "a=ls={}"), answered("a")), "duplicate value for 'tool_call_id': a"},
		{"an empty id", messages(user, asked("=ls={}"), answered("")), "'id' is missing"},
		{"no calls in the list", messages(user, `{"role":"assistant","content":"x","tool_calls":[]}`), "too short"},
		{"calls of a user", messages(`{"role":"user","content":"x","tool_calls":[]}`), "not allowed"},
		{"a call without type", messages(user, `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}}]}`, answered("a")), "'type' must be"},
		{"arguments cut (SSE-07)", messages(user, asked(`a=ls={"a":`), answered("a")), "text of a JSON object"},
		{"empty arguments (SSE-05)", messages(user, asked("a=ls="), answered("a")), "text of a JSON object"},
		{"null arguments", messages(user, asked("a=ls=null"), answered("a")), "text of a JSON object"},
		{"a list as arguments", messages(user, asked("a=ls=[]"), answered("a")), "text of a JSON object"},
		{"arguments that are an object (SSE-06)", messages(user, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":{}}}]}`, answered("a")), "text of a JSON object"},
		{"a dotted call name", messages(user, asked("a=fs.ls={}"), answered("a")), "function name 'fs.ls'"},
		{"a name too long", tools(tool(strings.Repeat("n", 65), object)), "does not match"},
		{"a name with a dot", tools(tool("fs.ls", object)), "does not match"},
		{"a name with a newline", tools(tool("ls\n", object)), "does not match"},
		{"a name twice", tools(tool("ls", object), tool("ls", object)), "there twice"},
		{"no tools in the list", tools(), "too short"},
		{"a tool without type", tools(`{"function":{"name":"ls"}}`), "'type' must be"},
		{"required that is true", tools(tool("ls", `{"type":"object","required":true}`)), "not an array of strings"},
		{"required that is null", tools(tool("ls", `{"type":"object","required":null}`)), "not an array of strings"},
		{"required with numbers", tools(tool("ls", `{"type":"object","required":[1]}`)), "not an array of strings"},
		{"required deep below", tools(tool("ls", `{"type":"object","properties":{"a":{"items":{"required":"x"}}}}`)), "parameters.properties.a.items"},
		{"properties that are a list", tools(tool("ls", `{"type":"object","properties":[]}`)), "is not an object"},
		{"a schema without type", tools(tool("ls", `{}`)), `type: "object"`},
		{"a schema of a string", tools(tool("ls", `{"type":"string"}`)), `type: "object"`},
		{"a schema that is null", tools(tool("ls", `null`)), "is not an object"},
	}
	s := providertest.New(t)
	s.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("fine") })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(s.Rejections())
			code, got := post(t, chat(s), tt.body)
			refused := s.Rejections()[before:]
			if tt.refusal == "" {
				if code != 200 || len(refused) != 0 {
					t.Errorf("got %d %s, want it accepted", code, got)
				}
				return
			}
			var fault struct {
				Error struct{ Message, Type string }
			}
			if err := json.Unmarshal([]byte(got), &fault); err != nil || code != 400 || fault.Error.Type != "invalid_request_error" {
				t.Fatalf("got %d %s, want a 400 in a vendor's JSON", code, got)
			}
			if !strings.Contains(fault.Error.Message, tt.refusal) || len(refused) != 1 || !strings.Contains(refused[0], tt.refusal) {
				t.Errorf("got %q and %q, want %q in both", fault.Error.Message, refused, tt.refusal)
			}
		})
	}
}

func TestRefusedRequestTakesNoReply(t *testing.T) {
	s := providertest.New(t, providertest.Text("the one reply"))
	if code, _ := post(t, chat(s), `{}`); code != 400 {
		t.Errorf("got %d", code)
	}
	if _, got := post(t, chat(s), hello); !strings.Contains(got, "the") {
		t.Errorf("got %s", got)
	}
	r := s.Requests()
	if len(r) != 2 || r[0].Accepted || r[0].Rejection == "" || !r[1].Accepted || r[1].Rejection != "" {
		t.Errorf("got %+v", r)
	}
	if len(s.Rejections()) != 1 {
		t.Errorf("got %q", s.Rejections())
	}
}

func TestLenientTakesAnything(t *testing.T) {
	s := providertest.New(t, providertest.Raw("fine"))
	s.SetLenient()
	if code, got := post(t, chat(s), `not even JSON`); code != 200 || got != "fine" {
		t.Errorf("got %d %s", code, got)
	}
}

// TestSSE16ReasoningMustComeBack is the toggle of the strict server.
func TestSSE16ReasoningMustComeBack(t *testing.T) {
	call := providertest.Call{ID: "a", Name: "ls", Arguments: "{}"}
	with := func(fields string) string {
		m := strings.Replace(asked("a=ls={}"), `"content":null`, `"content":null`+fields, 1)
		return `{"model":"m","stream":true,"messages":[` + user + "," + m + "," + answered("a") + `]}`
	}
	tests := []struct {
		name, field string
		sent        []providertest.Reply // what the server said before
		history     string
		ok          bool
	}{
		{"verbatim", "reasoning_content", []providertest.Reply{providertest.Calls(call).Reasoning("reasoning_content", "hm")}, `,"reasoning_content":"hm"`, true},
		{"missing", "reasoning_content", []providertest.Reply{providertest.Calls(call).Reasoning("reasoning_content", "hm")}, ``, false},
		{"changed", "reasoning_content", []providertest.Reply{providertest.Calls(call).Reasoning("reasoning_content", "hm")}, `,"reasoning_content":"hm "`, false},
		{"under another name", "reasoning", []providertest.Reply{providertest.Calls(call).Reasoning("reasoning", "hm")}, `,"reasoning_content":"hm"`, false},
		{"as details", "reasoning_details", []providertest.Reply{providertest.Calls(call).Reasoning("reasoning_details", "hm")}, `,"reasoning_details":[{"text":"h"},{"text":"m"}]`, true},
		{"none was sent", "reasoning_content", []providertest.Reply{providertest.Calls(call)}, ``, true},
		{"calls of unknown origin", "reasoning_content", nil, ``, false},
		{"calls of unknown origin with some", "reasoning_content", nil, `,"reasoning_content":"hm"`, true},
		{"an id used twice, the later", "reasoning_content", []providertest.Reply{
			providertest.Calls(call).Reasoning("reasoning_content", "one"),
			providertest.Calls(call).Reasoning("reasoning_content", "two"),
		}, `,"reasoning_content":"two"`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := providertest.New(t, tt.sent...)
			s.SetReasoningRequired(tt.field)
			for range tt.sent {
				post(t, chat(s), hello)
			}
			s.Add(providertest.Text("fine"))
			code, got := post(t, chat(s), with(tt.history))
			if refused := s.Rejections(); (code == 200) != tt.ok || (len(refused) == 0) != tt.ok {
				t.Errorf("got %d %s, want ok %v", code, got, tt.ok)
			}
		})
	}
}
