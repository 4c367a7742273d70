package providertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/provider/providertest"
)

// sendAll posts bodies and returns them as the server received them.
func sendAll(t *testing.T, bodies ...string) *providertest.Server {
	t.Helper()
	s := providertest.New(t)
	s.SetLenient()
	s.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("fine") })
	for _, b := range bodies {
		post(t, chat(s), b)
	}
	return s
}

func TestPrefixIsComparedByBytes(t *testing.T) {
	body := func(tools, messages string) string {
		return fmt.Sprintf(`{"model":"m","messages":%s,"tools":%s}`, messages, tools)
	}
	const one = `[{"role":"user","content":"a"}]`
	tests := []struct {
		name   string
		bodies []string
		want   *providertest.Break // Before and After aside
	}{
		{"no requests", nil, nil},
		{"one request", []string{body("[1]", one)}, nil},
		{"the same again", []string{body("[1]", one), body("[1]", one)}, nil},
		{"longer", []string{body("[1]", one), body("[1]", `[{"role":"user","content":"a"},{"b":1}]`)}, nil},
		{"other fields may differ", []string{body("[1]", one), `{"temperature":1,"tools":[1],"messages":` + one + `}`}, nil},
		{"without tools", []string{`{"messages":[1]}`, `{"messages":[1,2]}`}, nil},
		{
			"shorter",
			[]string{body("[1]", `[1,2]`), body("[1]", `[1]`)},
			&providertest.Break{Request: 1, Field: "messages", Offset: 2},
		},
		{
			"one byte of an earlier message",
			[]string{body("[1]", one), body("[1]", one), body("[1]", `[{"role":"user","content":"b"},2]`)},
			&providertest.Break{Request: 2, Field: "messages", Offset: 27},
		},
		{
			"a space is a difference",
			[]string{body("[1]", `[{"a":1}]`), body("[1]", `[{"a": 1}]`)},
			&providertest.Break{Request: 1, Field: "messages", Offset: 6},
		},
		{
			"an escape is a difference",
			[]string{body("[1]", `["é"]`), body("[1]", `["\u00e9"]`)},
			&providertest.Break{Request: 1, Field: "messages", Offset: 2},
		},
		{
			"a tool more",
			[]string{body("[1]", one), body("[1,2]", one)},
			&providertest.Break{Request: 1, Field: "tools", Offset: 2},
		},
		{
			"tools gone",
			[]string{body("[1]", one), `{"messages":` + one + `}`},
			&providertest.Break{Request: 1, Field: "tools", Offset: 0},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := providertest.FirstBreak(sendAll(t, tt.bodies...).Requests())
			if got != nil {
				if got.Before == got.After {
					t.Errorf("the context does not show the difference: %s", got)
				}
				got.Before, got.After = "", ""
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("break (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckPrefixFailsTheTest(t *testing.T) {
	long := strings.Repeat("x", 300)
	s := sendAll(t, `{"messages":["`+long+`a"]}`, `{"messages":["`+long+`b","c"]}`)
	watched := &watched{TB: t}
	b := s.CheckPrefix(watched)
	if b == nil || b.Offset != 302 || len(watched.errors) != 1 {
		t.Fatalf("got %v and errors %q", b, watched.errors)
	}
	for _, part := range []string{"request 1: messages differ", "at byte 302", `xxx" » "a\""`, `xxx" » "b\",\"c\""`} {
		if !strings.Contains(watched.errors[0], part) {
			t.Errorf("%q does not say %q", watched.errors[0], part)
		}
	}
}

// watched is a test that notes what would have failed it.
type watched struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (w *watched) Errorf(format string, args ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}

func (w *watched) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }

func (w *watched) Logf(string, ...any) {}

func (w *watched) end() {
	for _, f := range w.cleanups {
		f()
	}
}
