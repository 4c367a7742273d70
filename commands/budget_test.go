package commands_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
)

// What a session sends before it has done anything is sent, and paid for, in
// every request. These are the most bytes that the first body may have with a
// task of one word and no instruction files.
const (
	balancedBudget = 9_000
	economyBudget  = 5_500
	// toolsBudget bounds the tools among it. The 19 that came first take 6,000; the
	// four for memory and history take 1,440.
	toolsBudget = 7_500
)

func TestTheFirstRequestStaysSmall(t *testing.T) {
	for _, tt := range []struct {
		mode   string
		tools  int
		budget int
	}{
		{"balanced", len(tool.Builtins()) - 1, balancedBudget}, // without run_skill: there are no skills
		{"economy", 4, economyBudget},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			body := firstRequest(t, tt.mode)
			if len(body) > tt.budget {
				t.Errorf("%d bytes, at most %d", len(body), tt.budget)
			}
			var sent struct{ Tools []json.RawMessage }
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Fatal(err)
			}
			if len(sent.Tools) != tt.tools {
				t.Errorf("%d tools, want %d", len(sent.Tools), tt.tools)
			}
			size := 0
			for _, s := range sent.Tools {
				size += len(s) + len(",")
			}
			if size > toolsBudget {
				t.Errorf("the tools are %d bytes, at most %d", size, toolsBudget)
			}
			t.Logf("body %d bytes, tools %d", len(body), size)
		})
	}
}

// firstRequest is the body that a run with a task of one word sends to a model
// that takes images.
func firstRequest(t *testing.T, mode string) []byte {
	v := newVictim(t, providertest.New(t, providertest.Text("hello")))
	v.write(filepath.Join(v.home, "config.toml"), `default_model = "m"
[[providers]]
name = "m"
kind = "openai"
base_url = "`+v.model.BaseURL()+`"
model = "one"
vision = true
api_key_env = ""
`)
	if out, err := v.command("run", "--work-mode", mode, "hello").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	requests := v.model.Requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests, want 1", len(requests))
	}
	return requests[0].Body
}
