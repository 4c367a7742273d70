package acp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol/protocoltest"
	"reasonix/integrations/internal/acpwire"
)

// docs/acp.md names every member of the status and every method of ours.
func TestThePageNamesWhatIsServed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "acp.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, table, _ := strings.Cut(page, "### `"+acpwire.StatusMethod+"`")
	table, _, _ = strings.Cut(table, "\n###")
	members := map[string]bool{}
	for _, row := range strings.Split(table, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, name := range strings.Split(cells[1], ",") {
				members[strings.TrimSpace(name)] = true
			}
		}
	}
	for i := range reflect.TypeFor[acpwire.Status]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[acpwire.Status]().Field(i).Tag.Get("json"), ",")
		if !members["`"+name+"`"] {
			t.Errorf("the table of the status has no row of %s", name)
		}
	}
	for _, method := range []string{
		acpwire.SteerMethod, acpwire.StatusMethod, acpwire.StatusUpdateMethod, acpwire.CompactMethod, acpwire.RewindMethod, acpwire.ForkMethod,
	} {
		if !strings.Contains(page, "`"+method+"`") && !strings.Contains(page, "`"+strings.TrimPrefix(method, "_reasonix.io/session/")+"`") {
			t.Errorf("no word of %s", method)
		}
	}
}

// The conversation of docs/acp.md is one that takes place: what it writes is written, and
// what it reads comes, in that order, with more members.
func TestThePagesConversationTakesPlace(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "acp.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "## A conversation")
	_, block, _ = strings.Cut(block, "```\n")
	block, _, _ = strings.Cut(block, "```")
	s := serve(t, &protocoltest.Fake{Questions: func(string) []event.Question {
		return []event.Question{{ID: "q", Kind: event.AskPermission, Title: "Write VERSION", Options: []event.Option{
			{ID: "allow_once", Label: "Allow once", Kind: event.AllowOnce}, {ID: "reject_once", Label: "Deny", Kind: event.RejectOnce},
		}}}
	}})
	s.fake.Reply("VERSION is 1.1.2.3.4")
	real := strings.NewReplacer("/home/you/hello", t.TempDir())
	for line := range strings.Lines(block) {
		mark, line, _ := strings.Cut(strings.TrimSpace(real.Replace(line)), " ")
		var want object
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if mark == ">" {
			if method, ok := want["method"].(string); ok {
				id, _ := json.Marshal(want["id"])
				s.sends(string(id), method)
			}
			s.write(want)
			continue
		}
		s.next("the page's line comes: "+line, func(m rpc) bool {
			var got object
			decode(t, json.RawMessage(m.raw), &got)
			if result, ok := got["result"].(object); ok && want["id"] == 2.0 && got["id"] == 2.0 {
				page := want["result"].(object)["sessionId"].(string)
				here := result["sessionId"].(string)
				real = strings.NewReplacer("/home/you/hello", "", page, here)
				want["result"].(object)["sessionId"] = here
			}
			return holds(got, want)
		})
	}
}

// holds reports whether got is want, with further members or elements perhaps.
func holds(got, want any) bool {
	switch want := want.(type) {
	case object:
		got, ok := got.(object)
		for name, value := range want {
			ok = ok && holds(got[name], value)
		}
		return ok
	case []any:
		got, ok := got.([]any)
		ok = ok && len(got) >= len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = holds(got[i], want[i])
		}
		return ok
	}
	return reflect.DeepEqual(got, want)
}
