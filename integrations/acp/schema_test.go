//go:build interop && unix

package acp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// checkAll in the environment has every message of the suite held to the schema.
const checkAll = "ACP_TEST_CHECK_ALL"

// Everything we send in the whole suite, which runs once more for that, fits the
// protocol's own schema, as the package @agentclientprotocol/sdk 2.4.0 has it, and has
// no field it does not know.
func TestInteropMessagesFitTheSchema(t *testing.T) {
	suite := exec.Command(os.Args[0], "-test.skip", "^TestInterop", "-test.timeout", "5m")
	suite.Env = append(os.Environ(), checkAll+"=1", "ACP_RACE_ROUNDS=50", "ACP_ENGINE_RACE_ROUNDS=5")
	out, err := suite.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, said, _ := strings.Cut(string(out), checkedWords)
	n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(said, "\n", 2)[0]))
	if err != nil || n < 5000 {
		t.Errorf("only %d messages were checked, %v\n%s", n, err, out)
	}
	t.Logf("%d messages", n)
}

// checkedWords come before the number of messages that were checked.
const checkedWords = "messages checked: "

// checking is set when every message of the suite is held to the schema.
var checking = holdToSchema()

func holdToSchema() bool {
	if os.Getenv(checkAll) == "" {
		return false
	}
	var checked atomic.Int64
	whole := sync.OnceValues(loadSchema)
	checkMessage = func(t testing.TB, method string, m rpc) {
		s, err := whole()
		if err == nil {
			err = s.check(method, m)
		}
		if err != nil {
			t.Errorf("%v: %s", err, m.raw)
		}
		checked.Add(1)
	}
	atTheEnd = func() { fmt.Printf("%s%d\n", checkedWords, checked.Load()) }
	return true
}

func TestInteropSchemaFindsFaults(t *testing.T) {
	s, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c"}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"run"}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","rawinput":{}}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"/a"}]}}}`,
		`{"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":null}}`,
		`{"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"n","kind":""}]}}`,
		`{"method":"session/other","params":{}}`,
	} {
		var m rpc
		if err := json.Unmarshal([]byte(bad), &m); err == nil && s.check(m.Method, m) == nil {
			t.Errorf("fits: %s", bad)
		}
	}
}

// schema is the part of JSON Schema that the protocol's schema uses.
type schema struct{ defs object }

func loadSchema() (s schema, err error) {
	acpx, err := exec.LookPath("acpx")
	if err != nil {
		return s, err
	}
	path := filepath.Join(filepath.Dir(acpx), "..", "@agentclientprotocol", "sdk", "schema", "v1", "schema.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	var whole struct {
		Defs object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return schema{whole.Defs}, nil
}

// check holds m to the definition of its kind; method is that of its request
// when m is a response.
func (s schema) check(method string, m rpc) error {
	name, part := map[string]string{
		"session/update": "SessionNotification", "session/request_permission": "RequestPermissionRequest",
		"fs/read_text_file": "ReadTextFileRequest", "fs/write_text_file": "WriteTextFileRequest",
		"terminal/create": "CreateTerminalRequest", "terminal/output": "TerminalOutputRequest", "terminal/release": "ReleaseTerminalRequest",
		"terminal/wait_for_exit": "WaitForTerminalExitRequest", "terminal/kill": "KillTerminalRequest",
		"elicitation/create": "CreateElicitationRequest", "$/cancel_request": "CancelRequestNotification",
	}[method], m.Params
	if m.Method == "" {
		name, part = map[string]string{
			"initialize": "InitializeResponse", "authenticate": "AuthenticateResponse", "session/new": "NewSessionResponse",
			"session/load": "LoadSessionResponse", "session/resume": "ResumeSessionResponse", "session/list": "ListSessionsResponse",
			"session/close": "CloseSessionResponse", "session/delete": "DeleteSessionResponse",
			"session/set_mode": "SetSessionModeResponse", "session/set_config_option": "SetSessionConfigOptionResponse",
			"session/prompt": "PromptResponse",
		}[method], m.Result
	}
	if strings.HasPrefix(method, "_") || method == "session/set_model" { // ours, or of before the version was stable
		name = "ExtResponse"
	}
	if m.Error != nil {
		var whole struct{ Error json.RawMessage }
		if err := json.Unmarshal([]byte(m.raw), &whole); err != nil {
			return err
		}
		name, part = "Error", whole.Error
	}
	def, ok := s.defs[name].(object)
	if !ok {
		return fmt.Errorf("no definition for %s", method)
	}
	var v any
	if err := json.Unmarshal(part, &v); err != nil {
		return err
	}
	if o, ok := v.(object); ok && strings.HasSuffix(name, "SessionResponse") {
		delete(o, "models") // of before the version was stable, for clients that read nothing else
	}
	return s.whole(def, v, name)
}

// whole is fits, and no property of v is unknown to the schema.
func (s schema) whole(sch object, v any, at string) error {
	if o, ok := v.(object); ok {
		known := object{}
		open := s.properties(sch, known)
		for key := range o {
			if _, ok := known[key]; !ok && !open && len(known) > 0 {
				return fmt.Errorf("%s has no property %s", at, key)
			}
		}
	}
	return s.fits(sch, v, at)
}

// properties collects the names every branch of sch knows, and reports whether it
// takes others too.
func (s schema) properties(sch, known object) (open bool) {
	if ref, ok := sch["$ref"].(string); ok {
		return s.properties(s.deref(ref), known)
	}
	own, _ := sch["properties"].(object)
	maps.Copy(known, own)
	open = sch["additionalProperties"] == true
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := sch[word].([]any)
		for _, b := range branches {
			open = s.properties(b.(object), known) || open
		}
	}
	return open
}

func (s schema) deref(ref string) object { return s.defs[filepath.Base(ref)].(object) }

// fits checks v against sch. Numbers' formats and text patterns are not looked at.
func (s schema) fits(sch object, v any, at string) error {
	if ref, ok := sch["$ref"].(string); ok {
		if err := s.fits(s.deref(ref), v, at); err != nil {
			return err
		}
	}
	if want, ok := sch["type"]; ok && !ofType(want, v) {
		return fmt.Errorf("%s is no %v", at, want)
	}
	if want, ok := sch["const"]; ok && !reflect.DeepEqual(want, v) {
		return fmt.Errorf("%s is not %v", at, want)
	}
	if all, ok := sch["enum"].([]any); ok && !anyEqual(all, v) {
		return fmt.Errorf("%s is none of %v", at, all)
	}
	if err := s.members(sch, v, at); err != nil {
		return err
	}
	return s.branches(sch, v, at)
}

func (s schema) members(sch object, v any, at string) error {
	if o, ok := v.(object); ok {
		required, _ := sch["required"].([]any)
		for _, key := range required {
			if _, ok := o[key.(string)]; !ok {
				return fmt.Errorf("%s.%s is missing", at, key)
			}
		}
		properties, _ := sch["properties"].(object)
		for key, sub := range properties {
			if member, ok := o[key]; ok {
				if err := s.whole(sub.(object), member, at+"."+key); err != nil {
					return err
				}
			}
		}
	}
	if list, ok := v.([]any); ok && sch["items"] != nil {
		for i, item := range list {
			if err := s.whole(sch["items"].(object), item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s schema) branches(sch object, v any, at string) error {
	all, _ := sch["allOf"].([]any)
	for _, b := range all {
		if err := s.fits(b.(object), v, at); err != nil {
			return err
		}
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		some, ok := sch[word].([]any)
		if !ok {
			continue
		}
		fit, why := 0, error(nil)
		for _, b := range some {
			if err := s.fits(b.(object), v, at); err != nil {
				why = err
				continue
			}
			fit++
		}
		if fit == 0 || word == "oneOf" && fit > 1 {
			return fmt.Errorf("%s fits %d branches of %s (the last: %w)", at, fit, word, why)
		}
	}
	return nil
}

func ofType(want, v any) bool {
	if several, ok := want.([]any); ok {
		for _, one := range several {
			if ofType(one, v) {
				return true
			}
		}
		return false
	}
	switch v := v.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case float64:
		return want == "number" || want == "integer" && v == float64(int64(v))
	case []any:
		return want == "array"
	case object:
		return want == "object"
	}
	return false
}

func anyEqual(all []any, v any) bool {
	for _, one := range all {
		if reflect.DeepEqual(one, v) {
			return true
		}
	}
	return false
}
