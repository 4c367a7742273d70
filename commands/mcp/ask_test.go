package mcp_test

import (
	"strings"
	"testing"
)

const aForm = `{"message": "Who are\n\u001b[2Jyou?", "requestedSchema": {"type": "object", "required": ["age", "mail", "size"], "properties": {
	"age": {"type": "integer", "minimum": 1, "maximum": 120, "description": "In years"},
	"mail": {"type": "string", "format": "email"},
	"news": {"type": "boolean", "default": true},
	"note": {"type": "string"},
	"size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
	"tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}}}}`

// A person at a terminal is asked field by field, and again for what does not fit.
func TestCallAsksThePersonThere(t *testing.T) {
	b := newBench(t)
	b.add("p", "able")
	b.tty = true
	b.stdin = strings.Join([]string{"maybe", "y", "x", "1.5", "500", "", "42", "me", "Me <me@example.com>", "me@example.com", "", "", "medium", "large", "a, z", "c, 1", "y", ""}, "\n")
	out, errs := b.run(0, "call", "p", "asks", aForm)
	says(t, out, `"action":"accept"`, `"age":42`, `"mail":"me@example.com"`, `"news":true`, `"size":"l"`, `"tags":["c","a"]`)
	if strings.Contains(out, "note") || strings.Contains(errs, "\x1b") {
		t.Errorf("got %q\n%q", out, errs)
	}
	says(t, errs, "The MCP server p asks:\n  Who are\n", "It wants to know: age, mail, news, note, size, tags.", "age: In years (a whole number; at least 1; at most 120)\n> ",
		"want a whole number", "that does not fit: maximum", "it is needed", `"me" is none: want name@example.com`, "(yes or no; empty for true)", "(empty to leave it out)",
		"  1  s  Small\n  2  l  Large\n", `"medium" is none of them`, `"z" is none of them`, "Send that? [Y/n] ")
	for _, test := range []struct{ typed, want string }{
		{"n\n", `{"action":"decline"}`},
		{"\n", `{"action":"decline"}`},
		{"y\n42\nme@example.com\n\n\ns\n\nn\n", `{"action":"decline"}`},
		{"y\n42\n", `{"action":"cancel"}`}, // the input ended
		{"", `{"action":"cancel"}`},
	} {
		b.stdin = test.typed
		out, _ := b.run(0, "call", "p", "asks", aForm)
		if strings.TrimSpace(out) != test.want {
			t.Errorf("%q: %s, want %s", test.typed, out, test.want)
		}
	}
}

// An address is shown, and whether it was opened is the person's word: nothing opens it.
func TestCallShowsAnAddressAndOpensNothing(t *testing.T) {
	b := newBench(t)
	b.add("p", "able")
	b.tty = true
	const params = `{"mode": "url", "message": "Log in there", "url": "https://example.com/login?x=1", "elicitationId": "e"}`
	for typed, want := range map[string]string{"y\n": "accept", "n\n": "decline", "\n": "decline"} {
		b.stdin = typed
		out, errs := b.run(0, "call", "p", "asks", params)
		says(t, out, want)
		says(t, errs, "Log in there\nIt wants you to open this address in a browser:\n\n  https://example.com/login?x=1\n\nIt is not opened for you.", "[y/N] ")
	}
	out, _ := b.run(0, "call", "p", "asks", `{"mode": "url", "message": "m", "url": "file:///etc/passwd", "elicitationId": "e"}`)
	says(t, out, "error", "no address that a browser should open")
}

// With nobody there a question is declined, and stderr says which.
func TestCallDeclinesWithNobodyThere(t *testing.T) {
	b := newBench(t)
	b.add("p", "able")
	for _, test := range []struct {
		tty  bool
		args []string
	}{
		{false, []string{"call", "p", "asks", aForm}},
		{true, []string{"call", "p", "asks", aForm, "--output-format", "json"}},
		{true, []string{"call", "p", "asks", "-"}},
	} {
		b.tty, b.stdin = test.tty, aForm
		out, errs := b.run(0, test.args...)
		says(t, out, "decline")
		says(t, errs, "note: The MCP server p asks: Who are", "it was declined, because nobody can be asked here")
		if strings.Contains(errs, "\x1b") || strings.Count(errs, "\n") != 1 {
			t.Errorf("stderr: %q", errs)
		}
	}
}
