package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/sandbox/sandboxtest"
)

// modeKey names the variable that makes the test binary a server.
const modeKey = "MCP_TEST_MODE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeKey); mode != "" && len(os.Args) > 1 && os.Args[1] == "serve" {
		serve(mode)
		return
	}
	sandboxtest.Main(m)
}

// serve is a server that speaks the protocol by hand, as well as its mode lets it.
// It leaves at the end of its input.
func serve(mode string) {
	s := &fake{mode: mode, out: bufio.NewWriter(os.Stdout)}
	s.begin()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if mode == "stubborn" {
				asked := make(chan os.Signal, 1)
				signal.Notify(asked, syscall.SIGTERM)
				for range asked { // and goes on
				}
			}
			return
		}
		var r request
		if json.Unmarshal([]byte(line), &r) == nil {
			s.handle(r)
		}
	}
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type fake struct {
	mode  string
	out   *bufio.Writer
	added bool
	pages int
	able  bool // the client can be asked
}

func (s *fake) raw(text string) {
	_, _ = s.out.WriteString(text + "\n")
	_ = s.out.Flush()
}

func (s *fake) answer(r request, result string) {
	s.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result))
}

func (s *fake) begin() {
	switch s.mode {
	case "crash-start":
		fmt.Fprintln(os.Stderr, "cannot find the frobnicator")
		os.Exit(3)
	case "noise":
		s.raw("Welcome to the server!\n\n{not json}\n[1,2]\n{\"level\":\"info\"}")
	case "flood":
		line := strings.Repeat("x", 1023) + "\n"
		for range 10 << 10 {
			_, _ = os.Stderr.WriteString(line)
		}
	case "gate":
		within(os.Getenv("MCP_TEST_GATE"))
	}
	if path := os.Getenv("MCP_TEST_STARTS"); path != "" {
		f, _ := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, os.Getpid())
		_ = f.Close()
	}
}

// within polls for a file that the test makes.
func within(path string) {
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (s *fake) handle(r request) {
	switch r.Method {
	case "initialize":
		s.initialize(r)
	case "tools/list":
		switch s.mode {
		case "hang-list":
			return
		case "crash-list":
			os.Exit(9)
		}
		if s.mode == "early" && !s.added {
			s.raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			within(os.Getenv("MCP_TEST_GATE"))
		}
		more := ""
		if s.mode == "endless" { // another page for ever, of what it listed before
			s.pages++
			more = fmt.Sprintf(`,"nextCursor":"%d"`, s.pages)
		}
		s.answer(r, `{"tools":[`+strings.Join(s.tools(), ",")+`]`+more+`}`)
		s.added = s.added || s.mode == "early"
	case "tools/call":
		s.call(r)
	case "notifications/cancelled":
		if path := os.Getenv("MCP_TEST_CANCELLED"); path != "" {
			_ = os.WriteFile(path, r.Params, 0o600)
		}
	case "ping":
		s.answer(r, `{}`)
	default:
		if r.ID != nil {
			s.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no method"}}`, r.ID))
		}
	}
}

func (s *fake) initialize(r request) {
	var p struct {
		Version      string                     `json:"protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	_ = json.Unmarshal(r.Params, &p)
	more := ""
	_, s.able = p.Capabilities["elicitation"]
	switch s.mode {
	case "hang-start", "stubborn":
		return
	case "choke": // on what the older revisions do not know
		for name := range p.Capabilities {
			if name != "roots" && name != "sampling" && name != "elicitation" {
				fmt.Fprintln(os.Stderr, "unknown capability "+name)
				os.Exit(1)
			}
		}
	case "unknown":
		more = `,"teleport":{"levels":[1,2]}`
	}
	s.answer(r, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}%s},"serverInfo":{"name":"fake","version":"1"}}`, p.Version, more))
}

// taskTools are a tool that can be called as a task and one that must be.
const taskTools = `{"name":"may","inputSchema":{},"execution":{"taskSupport":"optional"}},{"name":"must","inputSchema":{},"execution":{"taskSupport":"required"}}`

const plainSchema = `{"type":"object","properties":{"text":{"type":"string"}}}`

func (s *fake) tools() []string {
	one := func(name, about, rest string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q,%s}`, name, about, rest)
	}
	list := []string{one("echo", "Says the text again.", `"inputSchema":`+plainSchema)}
	switch s.mode {
	case "endless":
		for range 999 {
			list = append(list, list[0])
		}
	case "many":
		for i := range 5000 {
			list = append(list, one(fmt.Sprintf("tool_%04d", i), fmt.Sprintf("Does the thing number %d.", i), `"inputSchema":`+plainSchema))
		}
		list = append(list, one("translate_poem", "Translates poetry between languages.", `"inputSchema":`+plainSchema))
	case "bad":
		list = append(list,
			one("huge", "Has a schema of 300 KB.", `"inputSchema":{"type":"object","properties":{"a":{"type":"string","enum":["`+strings.Repeat("x", 300<<10)+`"]}}}`),
			one("none", "Has no schema.", `"annotations":{}`),
			one("typeless", "Has no type.", `"inputSchema":{"properties":{"a":{"type":["string","null"]}}}`),
			one("refs", "Refers.", `"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`),
			one("long_property", "Has a long name in it.", `"inputSchema":{"type":"object","properties":{"`+strings.Repeat("p", 70)+`":{"type":"string"}}}`),
			`{"name":"unreadable","description":7,"inputSchema":{}}`,
			`{"name":"","inputSchema":{}}`)
	case "odd":
		long := strings.Repeat("long_", 16)
		list = append(list, one(long+"_first_end", "A.", `"inputSchema":`+plainSchema), one(long+"_other_end", "B.", `"inputSchema":`+plainSchema),
			one("with.dots and spaces", "C.", `"inputSchema":`+plainSchema), one("搜索", "D.", `"inputSchema":`+plainSchema))
	case "hints":
		list = append(list, one("look", "Looks.", `"inputSchema":{},"annotations":{"readOnlyHint":true}`),
			one("wipe", "Wipes.", `"inputSchema":{},"annotations":{"destructiveHint":true}`))
	case "tame":
		list = []string{one("echo", "Says the text again.", `"annotations":{"readOnlyHint":true},"inputSchema":`+plainSchema)}
	case "wild":
		list = []string{one("echo", "Says the text again.", `"annotations":{"destructiveHint":true},"inputSchema":`+plainSchema)}
	case "able":
		if s.able {
			list = append(list, one("asks", "Asks.", `"inputSchema":`+plainSchema))
		}
	case "task":
		list = append(list, taskTools)
	case "second":
		list = []string{one("echo", "Says the text again, in another way.", `"inputSchema":`+plainSchema)}
	case "clash":
		list = append(list, one("search", "Searches in "+os.Getenv("MCP_TEST_NAME"), `"inputSchema":`+plainSchema))
	}
	if s.added {
		list = append(list[:0], one("beta", "Came later.", `"inputSchema":`+plainSchema))
	}
	return list
}

func (s *fake) call(r request) {
	var p struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
		} `json:"arguments"`
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(r.Params, &p)
	text := func(s string) string {
		data, _ := json.Marshal(s)
		return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, data)
	}
	switch s.mode {
	case "crash-call":
		fmt.Fprintln(os.Stderr, "segmentation fault, sort of")
		os.Exit(7)
	case "hang-call":
		if path := os.Getenv("MCP_TEST_CALLED"); path != "" {
			_ = os.WriteFile(path, nil, 0o600)
		}
		return
	case "noise":
		s.raw("2026-01-01 INFO about to answer")
	case "big":
		s.answer(r, text("HEAD"+strings.Repeat("0123456789abcde\n", bigResult/16)+"TAIL"))
		return
	case "deep":
		s.answer(r, `{"content":[],"structuredContent":{"a":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}}`)
		return
	case "broken":
		s.answer(r, `{"content":[`)
		return
	case "kinds":
		s.answer(r, `{"content":[{"type":"text","text":"kept"},{"type":"hologram","beams":[1,2]},{"type":"audio","data":"AAAA","mimeType":"audio/wav"},`+
			`{"type":"resource_link","uri":"file:///x","name":"x"},{"type":"resource","resource":{"uri":"file:///y","text":"inner"}}]}`)
		return
	case "change":
		s.added = true
		s.raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case "progress":
		go func() { // each step waits for the test, which has moved its time by then
			for i := range 4 {
				within(fmt.Sprintf("%s.%d", os.Getenv("MCP_TEST_GATE"), i))
				s.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":4,"message":"step %d"}}`, p.Meta.Token, i+1, i+1))
			}
			within(os.Getenv("MCP_TEST_GATE") + ".4")
			s.answer(r, text("done"))
		}()
		return
	case "burst": // the steps and the answer at once
		for i := range 5 {
			_, _ = fmt.Fprintf(s.out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":5}}`+"\n", p.Meta.Token, i+1)
		}
	case "environ":
		s.answer(r, text(fmt.Sprintf("%q %s", os.Args[1:], os.Getenv("MCP_TEST_NAME"))))
		return
	}
	s.answer(r, text(p.Name+": "+p.Arguments.Text))
}
