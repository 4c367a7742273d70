// Package tooltest is the conformance suite every tool runs: what it says of
// itself (name, description, schema), how it takes bad arguments and a cancelled
// context, that an unbound one does nothing, that a read-only one leaves the disk
// alone and that a preview tells what the call then changes. It also builds the surroundings a tool is bound to in tests. Tests
// of the packages below core/tool call it; it knows none of them.
package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/tool"
)

// maxDescription bounds, in bytes, what a tool says of itself: every session
// pays for it.
const maxDescription = 1000

// patience bounds, on a busy machine, a call that should return at once.
const patience = 10 * time.Second

// Run checks tl, which may be a Binder or ready to run.
func Run(t *testing.T, tl tool.Tool, opts ...Option) {
	s := suite{tool: tl}
	for _, o := range opts {
		o(&s)
	}
	t.Run("name", s.name)
	t.Run("description", s.description)
	t.Run("schema", s.schema)
	t.Run("unbound", s.unbound)
	t.Run("bad arguments", s.badArguments)
	t.Run("subject", s.subject)
	if s.args != "" {
		t.Run("example", s.example)
		t.Run("preview", s.preview)
		t.Run("cancelled", s.cancelled)
	}
}

type suite struct {
	tool  tool.Tool
	args  string
	setup func(t testing.TB, dir string)
	env   []EnvOption
}

// Option describes a tool to Run.
type Option func(*suite)

// Args is a call that succeeds after Setup. Without it the checks that need one
// are left out.
func Args(json string) Option { return func(s *suite) { s.args = json } }

// Setup fills the workspace before each check.
func Setup(f func(t testing.TB, dir string)) Option { return func(s *suite) { s.setup = f } }

// In changes the surroundings the tool is bound to.
func In(opts ...EnvOption) Option { return func(s *suite) { s.env = opts } }

// bind returns the tool in a fresh workspace.
func (s suite) bind(t *testing.T) (tool.Tool, string) {
	t.Helper()
	dir := t.TempDir()
	if s.setup != nil {
		s.setup(t, dir)
	}
	return Bind(t, s.tool, Env(t, dir, s.env...)), dir
}

func (s suite) name(t *testing.T) {
	if name := s.tool.Name(); !regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`).MatchString(name) {
		t.Errorf("name %q is not legal for every endpoint", name)
	}
}

func (s suite) description(t *testing.T) {
	d := s.tool.Description()
	if d == "" || len(d) > maxDescription || !utf8.ValidString(d) || strings.TrimSpace(d) != d {
		t.Errorf("description of %d bytes, want 1 to %d bytes of text without outer space: %q", len(d), maxDescription, d)
	}
}

func (s suite) schema(t *testing.T) {
	schema := s.tool.Schema()
	canonical, err := tool.Canonical(schema)
	if err != nil {
		t.Fatal(err)
	}
	if string(canonical) != string(schema) {
		t.Errorf("schema is not canonical\ngot  %s\nwant %s", schema, canonical)
	}
	if again := s.tool.Schema(); string(again) != string(schema) {
		t.Errorf("schema is not stable: %s, then %s", schema, again)
	}
	obj := s.parsed(t)
	if obj.Type != "object" || obj.Properties == nil {
		t.Errorf("schema is not an object with properties: %s", schema)
	}
	for name, p := range obj.Properties {
		if len(p.Type) == 0 { // a name may say all there is to say
			t.Errorf("property %s lacks a type", name)
		}
	}
	for _, name := range obj.Required {
		if _, ok := obj.Properties[name]; !ok {
			t.Errorf("required property %s is not described", name)
		}
	}
}

type objectSchema struct {
	Type       string              `json:"type"`
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type json.RawMessage `json:"type"`
}

func (s suite) parsed(t *testing.T) objectSchema {
	t.Helper()
	var obj objectSchema
	if err := json.Unmarshal(s.tool.Schema(), &obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

func (s suite) unbound(t *testing.T) {
	if _, ok := s.tool.(tool.Binder); !ok {
		return
	}
	for _, args := range []string{s.args, `{}`, `[`} {
		if _, err := s.tool.Execute(t.Context(), json.RawMessage(args)); !errors.Is(err, tool.ErrUnbound) {
			t.Errorf("unbound %s(%s): got error %v, want %v", s.tool.Name(), args, err, tool.ErrUnbound)
		}
	}
}

func (s suite) badArguments(t *testing.T) {
	bound, dir := s.bind(t)
	before := Tree(t, dir)
	for _, args := range s.bad(t) {
		out, err := bound.Execute(t.Context(), json.RawMessage(args))
		var arg *tool.ArgError
		if !errors.As(err, &arg) {
			t.Errorf("%s: got %q, %v; want an ArgError", args, out, err)
		}
	}
	if after := Tree(t, dir); after != before {
		t.Errorf("a refused call changed the workspace\nbefore\n%s\nafter\n%s", before, after)
	}
}

// bad lists arguments the schema forbids.
func (s suite) bad(t *testing.T) []string {
	obj := s.parsed(t)
	list := []string{`[]`, `{`, `"x"`, `null`, `7`}
	for _, name := range obj.Required {
		args := s.good(t)
		delete(args, name)
		list = append(list, encode(t, args))
	}
	for name, p := range obj.Properties {
		args := s.good(t)
		if args[name] = wrongFor(string(p.Type)); args[name] != nil {
			list = append(list, encode(t, args))
		}
	}
	return list
}

func (s suite) good(t *testing.T) map[string]any {
	t.Helper()
	args := map[string]any{}
	if s.args == "" {
		return args
	}
	if err := json.Unmarshal([]byte(s.args), &args); err != nil {
		t.Fatalf("example arguments: %v", err)
	}
	return args
}

func wrongFor(typ string) any {
	switch typ {
	case `"string"`, `"array"`:
		return map[string]any{"not": "this"}
	case `"integer"`, `"number"`, `"boolean"`, `"object"`:
		return "neither"
	}
	return nil
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (s suite) subject(t *testing.T) {
	bound, _ := s.bind(t)
	for _, tl := range []tool.Tool{s.tool, bound} {
		subj, ok := tl.(tool.Subjecter)
		if !ok {
			continue
		}
		for _, args := range append(s.bad(t), s.args, ``, "\xff", `{"path":"\u0000"}`, `{"path":"../../x"}`) {
			checkSubject(t, args, subj.Subject(json.RawMessage(args)))
		}
	}
}

func checkSubject(t *testing.T, args string, s tool.Subject) {
	t.Helper()
	if !slices.Contains([]string{"read", "edit", "search", "execute", "fetch", "think", "other"}, s.Kind) || s.Title == "" {
		t.Errorf("subject of %s: %+v has no title or an unknown kind", args, s)
	}
	for _, p := range s.Paths {
		if !filepath.IsAbs(p) {
			t.Errorf("subject of %s: path %q is not absolute", args, p)
		}
	}
}

// preview compares what a call says it would change with what it then changes.
func (s suite) preview(t *testing.T) {
	bound, dir := s.bind(t)
	subj, ok := bound.(tool.Subjecter)
	if !ok {
		return
	}
	preview := subj.Subject(json.RawMessage(s.args)).Preview
	if preview == nil {
		return
	}
	before := Tree(t, dir)
	told := preview(t.Context())
	if after := Tree(t, dir); after != before {
		t.Errorf("a preview changed the workspace\nbefore\n%s\nafter\n%s", before, after)
	}
	call := &tool.Call{ID: "c"}
	if _, err := bound.Execute(tool.WithCall(t.Context(), call), json.RawMessage(s.args)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(call.Diffs, told); d != "" || len(told) == 0 {
		t.Errorf("the preview differs from the change: -changed +told\n%s", d)
	}
}

// example runs the given call; a read-only tool also at once with itself.
func (s suite) example(t *testing.T) {
	bound, dir := s.bind(t)
	before := Tree(t, dir)
	times := 1
	if bound.ReadOnly() {
		times = 4
	}
	var wg sync.WaitGroup
	for range times {
		wg.Go(func() {
			ctx := tool.WithCall(t.Context(), &tool.Call{ID: "c"})
			out, err := bound.Execute(ctx, json.RawMessage(s.args))
			if err != nil || !utf8.ValidString(out) {
				t.Errorf("%s: got %q, %v", s.args, out, err)
			}
		})
	}
	wg.Wait()
	if after := Tree(t, dir); bound.ReadOnly() && after != before {
		t.Errorf("a read-only tool changed the workspace\nbefore\n%s\nafter\n%s", before, after)
	}
}

func (s suite) cancelled(t *testing.T) {
	bound, dir := s.bind(t)
	before := Tree(t, dir)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped by the test")
	cancel(cause)
	done := make(chan error, 1)
	go func() {
		_, err := bound.Execute(ctx, json.RawMessage(s.args))
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a cancelled call reported success")
		}
	case <-time.After(patience):
		t.Fatal("a cancelled call did not return")
	}
	if after := Tree(t, dir); after != before {
		t.Errorf("a call cancelled before it began changed the workspace\nbefore\n%s\nafter\n%s", before, after)
	}
}
