package openai_test

import (
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
	pt "reasonix/core/provider/providertest"
)

var (
	readA = message.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"a.txt"}`}
	readB = message.ToolCall{ID: "b", Name: "read_file", Arguments: `{"path":"b.txt"}`}
)

// callCase is one way to write tool calls and what they must be read as.
type callCase struct {
	name, events string
	want         []message.ToolCall
}

func runCalls(t *testing.T, cases []callCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				same(t, ask(t, s, chunksOf(c.events+ended)), called(c.want...))
			})
		})
	}
}

func TestSSE01TwoCallsWithoutIndex(t *testing.T) {
	first := callDelta(`"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}`)
	runCalls(t, []callCase{
		{
			"one a chunk", first +
				callDelta(`"id":"b","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{
			"arguments of the second follow without id", first +
				callDelta(`"id":"b","type":"function","function":{"name":"read_file","arguments":""}`) +
				callDelta(`"function":{"arguments":"{\"path\":"}`) +
				callDelta(`"function":{"arguments":"\"b.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{
			"index -1", strings.ReplaceAll(first, `"id":"a"`, `"index":-1,"id":"a"`) +
				callDelta(`"index":-1,"id":"b","function":{"name":"read_file","arguments":"{\"path\":"}`) +
				callDelta(`"index":-1,"function":{"arguments":"\"b.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{
			"index always 0", strings.ReplaceAll(first, `"id":"a"`, `"index":0,"id":"a"`) +
				callDelta(`"index":0,"id":"b","function":{"name":"read_file","arguments":"{\"path\":\"b.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{
			"index always 0, arguments follow", strings.ReplaceAll(first, `"id":"a"`, `"index":0,"id":"a"`) +
				callDelta(`"index":0,"id":"b","function":{"name":"read_file","arguments":""}`) +
				callDelta(`"index":0,"function":{"arguments":"{\"path\":\"b.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{"index null", strings.ReplaceAll(first, `"id":"a"`, `"index":null,"id":"a"`), []message.ToolCall{readA}},
		{
			"both in one chunk", pt.Delta(`"tool_calls":[` +
				`{"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}},` +
				`{"id":"b","function":{"name":"read_file","arguments":"{\"path\":\"b.txt\"}"}}]`),
			[]message.ToolCall{readA, readB},
		},
		{
			"interleaved by index", pt.Delta(`"tool_calls":[`+
				`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}},`+
				`{"index":1,"id":"b","function":{"name":"read_file","arguments":"{\"path\":"}}]`) +
				callDelta(`"index":1,"function":{"arguments":"\"b.txt\"}"}`) +
				callDelta(`"index":0,"function":{"arguments":"\"a.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{
			"interleaved by id",
			callDelta(`"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}`) +
				callDelta(`"id":"b","function":{"name":"read_file","arguments":"{\"path\":"}`) +
				callDelta(`"id":"a","function":{"arguments":"\"a.txt\"}"}`) +
				callDelta(`"id":"b","function":{"arguments":"\"b.txt\"}"}`),
			[]message.ToolCall{readA, readB},
		},
		{
			"the old function_call", pt.Delta(`"function_call":{"name":"read_file","arguments":"{\"path\":"}`) +
				pt.Delta(`"function_call":{"arguments":"\"a.txt\"}"}`),
			[]message.ToolCall{{ID: "call_1_0", Name: "read_file", Arguments: `{"path":"a.txt"}`}},
		},
	})
}

// pieces continues a call begun with name and id by chunks with these fields.
func pieces(fields, functionFields string) string {
	return callDelta(`"index":0,"id":"a","type":"function","function":{"name":"read_file","arguments":""}`) +
		callDelta(`"index":0`+fields+`,"function":{"arguments":"{\"path\":"`+functionFields+`}`) +
		callDelta(`"index":0`+fields+`,"function":{"arguments":"\"a."`+functionFields+`}`) +
		callDelta(`"index":0`+fields+`,"function":{"arguments":"txt\"}"`+functionFields+`}`)
}

func TestSSE02LaterDeltasCarryAnEmptyName(t *testing.T) {
	runCalls(t, []callCase{
		{"empty name", pieces("", `,"name":""`), []message.ToolCall{readA}},
		{"empty id too", pieces(`,"id":"","type":""`, `,"name":""`), []message.ToolCall{readA}},
		{"name and id repeated", pieces(`,"id":"a"`, `,"name":"read_file"`), []message.ToolCall{readA}},
		{"a new id every time", pieces(`,"id":"x"`, ""), []message.ToolCall{readA}},
	})
}

func TestSSE03ContinuationWithNulls(t *testing.T) {
	runCalls(t, []callCase{
		{"all null", pieces(`,"id":null,"type":null`, `,"name":null`), []message.ToolCall{readA}},
		{"no index either", strings.ReplaceAll(pieces(`,"id":null,"type":null`, `,"name":null`), `"index":0,`, ""), []message.ToolCall{readA}},
	})
}

func TestSSE05ZeroArgumentCall(t *testing.T) {
	want := []message.ToolCall{{ID: "a", Name: "ls", Arguments: "{}"}}
	for _, arguments := range []string{`,"arguments":""`, `,"arguments":"  \n"`, ``, `,"arguments":"null"`, `,"arguments":null`, `,"arguments":{}`, `,"arguments":"{}"`} {
		eachWay(t, func(t *testing.T, s *pt.Server) {
			same(t, ask(t, s, chunksOf(callDelta(`"index":0,"id":"a","function":{"name":"ls"`+arguments+`}`)+ended)), called(want...))
		})
	}
	// Replayed, they are the text of an object.
	s := pt.New(t, pt.Text("fine"))
	history := append([]message.Message{}, hello...)
	history = append(history,
		message.Message{Role: message.Assistant, ToolCalls: []message.ToolCall{
			{ID: "a", Name: "ls"}, {ID: "b", Name: "ls", Arguments: " "}, {ID: "c", Name: "ls", Arguments: "null"},
		}},
		message.Message{Role: message.ToolRole, ToolCallID: "a"},
		message.Message{Role: message.ToolRole, ToolCallID: "b"},
		message.Message{Role: message.ToolRole, ToolCallID: "c"})
	if got := stream(t, open(t, s), provider.Request{Messages: history}); got.Err != nil {
		t.Error(got.Err)
	}
	for _, c := range s.Requests()[0].Messages[1].ToolCalls {
		if c.Arguments != "{}" {
			t.Errorf("replayed as %q", c.Arguments)
		}
	}
}

func TestSSE06ArgumentsAsAnObject(t *testing.T) {
	runCalls(t, []callCase{
		{"object", callDelta(`"index":0,"id":"a","function":{"name":"read_file","arguments":{"path":"a.txt"}}`), []message.ToolCall{readA}},
		{"object without function", callDelta(`"id":"a","name":"read_file","arguments":{"path":"a.txt"}`), []message.ToolCall{readA}},
		{
			"list", callDelta(`"id":"a","function":{"name":"read_file","arguments":["a.txt"]}`),
			[]message.ToolCall{{ID: "a", Name: "read_file", Arguments: `["a.txt"]`}},
		},
	})
}

func TestSSE07BadArgumentsDoNotPoisonHistory(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		bad := "{\"old\":\"a\nb\""
		got := ask(t, s, chunksOf(callDelta(`"index":0,"id":"a","function":{"name":"edit_file","arguments":"{\"old\":\"a\nb\""}`)+ended))
		same(t, got, called(message.ToolCall{ID: "a", Name: "edit_file", Arguments: bad}))
		history := append([]message.Message{}, hello...)
		history = append(history,
			message.Message{Role: message.Assistant, ToolCalls: got.Calls},
			message.Message{Role: message.ToolRole, ToolCallID: "a", Content: "arguments of edit_file are no JSON: line end in a string at 10"})
		s.Add(pt.Calls(pt.Call{ID: "b", Name: "edit_file", Arguments: `{"old":"a"}`}))
		again := stream(t, open(t, s), provider.Request{Messages: history})
		if again.Err != nil || len(again.Calls) != 1 {
			t.Errorf("got %+v", again)
		}
		if args := s.Requests()[1].Messages[1].ToolCalls[0].Arguments; args != "{}" {
			t.Errorf("replayed as %q", args)
		}
	})
}

func TestSSE08DuplicateCallIDs(t *testing.T) {
	args := func(path string) string { return `"arguments":"{\"path\":\"` + path + `\"}"` }
	want := []message.ToolCall{
		{ID: "call_0", Name: "read_file", Arguments: `{"path":"a.txt"}`},
		{ID: "call_1_1", Name: "read_file", Arguments: `{"path":"b.txt"}`},
	}
	runCalls(t, []callCase{
		{"two indices", callDelta(`"index":0,"id":"call_0","function":{"name":"read_file",`+args("a.txt")+`}`) +
			callDelta(`"index":1,"id":"call_0","function":{"name":"read_file",`+args("b.txt")+`}`), want},
		{"no index", callDelta(`"id":"call_0","function":{"name":"read_file",`+args("a.txt")+`}`) +
			callDelta(`"id":"call_0","function":{"name":"read_file",`+args("b.txt")+`}`), want},
		{
			"no ids at all", callDelta(`"index":0,"function":{"name":"read_file",`+args("a.txt")+`}`) +
				callDelta(`"index":1,"function":{"name":"read_file",`+args("b.txt")+`}`),
			[]message.ToolCall{
				{ID: "call_1_0", Name: "read_file", Arguments: `{"path":"a.txt"}`},
				{ID: "call_1_1", Name: "read_file", Arguments: `{"path":"b.txt"}`},
			},
		},
		{
			"the made-up id is taken", callDelta(`"index":0,"id":"call_1_1","function":{"name":"read_file",`+args("a.txt")+`}`) +
				callDelta(`"index":1,"function":{"name":"read_file",`+args("b.txt")+`}`),
			[]message.ToolCall{
				{ID: "call_1_1", Name: "read_file", Arguments: `{"path":"a.txt"}`},
				{ID: "call_1_2", Name: "read_file", Arguments: `{"path":"b.txt"}`},
			},
		},
	})
}

func TestSSE08MadeUpIDsDifferFromTurnToTurn(t *testing.T) {
	s := pt.New(t)
	p := open(t, s)
	seen := map[string]bool{}
	history := append([]message.Message{}, hello...)
	for range 3 {
		s.Add(chunksOf(callDelta(`"function":{"name":"ls","arguments":"{}"}`) + ended))
		got := stream(t, p, provider.Request{Messages: history})
		id := got.Calls[0].ID
		if seen[id] {
			t.Errorf("id %s came twice", id)
		}
		seen[id] = true
		history = append(history, message.Message{Role: message.Assistant, ToolCalls: got.Calls},
			message.Message{Role: message.ToolRole, ToolCallID: id})
	}
}

func TestSSE09FinishStopWithCalls(t *testing.T) {
	call := callDelta(`"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}`)
	for _, finish := range []string{"stop", "function_call", "", "tool_calls", "end_turn"} {
		eachWay(t, func(t *testing.T, s *pt.Server) {
			same(t, ask(t, s, chunksOf(call+pt.Finish(finish)+pt.Done)), called(readA))
		})
	}
}

func TestSSE25WholeArgumentsRepeated(t *testing.T) {
	whole := `"arguments":"{\"path\":\"a.txt\"}"`
	begin := callDelta(`"index":0,"id":"a","function":{"name":"read_file",` + whole + `}`)
	runCalls(t, []callCase{
		{"arguments", begin + callDelta(`"index":0,"function":{`+whole+`}`), []message.ToolCall{readA}},
		{"arguments and name", begin + callDelta(`"index":0,"id":"a","function":{"name":"read_file",`+whole+`}`), []message.ToolCall{readA}},
		{"everything, without index", strings.ReplaceAll(begin+begin, `"index":0,`, ""), []message.ToolCall{readA}},
		{"three times", begin + begin + begin, []message.ToolCall{readA}},
		{"in pieces", begin + callDelta(`"index":0,"function":{"arguments":"{\"path\":"}`) +
			callDelta(`"index":0,"function":{"arguments":"\"a.txt\"}"}`), []message.ToolCall{readA}},
		{"an empty object first", callDelta(`"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}`) +
			callDelta(`"index":0,"function":{`+whole+`}`), []message.ToolCall{readA}},
		{
			"something else is an error for the agent", begin + callDelta(`"index":0,"function":{"arguments":"{\"path\":\"b.txt\"}"}`),
			[]message.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"path":"a.txt"}{"path":"b.txt"}`}},
		},
	})
}

func TestEmptyEntriesAreNoCalls(t *testing.T) {
	eachWay(t, func(t *testing.T, s *pt.Server) {
		got := ask(t, s, chunksOf(pt.Delta(`"content":"hi","tool_calls":[{}]`)+pt.Delta(`"tool_calls":null`)+
			pt.Delta(`"tool_calls":[]`)+pt.Delta(`"tool_calls":[{"index":0}]`)+pt.Finish("stop")+pt.Done))
		same(t, got, answer{Text: "hi", Finish: provider.FinishStop})
	})
}

func TestProgressIsToldOncePerRead(t *testing.T) {
	s := pt.New(t, chunksOf(pieces("", "")+ended))
	chunks, err := open(t, s).Stream(t.Context(), provider.Request{Messages: hello})
	if err != nil {
		t.Fatal(err)
	}
	var last provider.CallProgress
	for c := range chunks {
		if c.Type == provider.ChunkProgress {
			if c.Progress.Bytes < last.Bytes {
				t.Errorf("went back from %d to %d bytes", last.Bytes, c.Progress.Bytes)
			}
			last = *c.Progress
		}
	}
	if want := (provider.CallProgress{Index: 0, Name: "read_file", Bytes: len(readA.Arguments)}); last != want {
		t.Errorf("got %+v, want %+v", last, want)
	}
}
