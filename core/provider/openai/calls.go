package openai

import (
	"bytes"
	"fmt"
	"strings"

	"reasonix/core/message"
)

const (
	maxArguments = 16 << 20 // bytes of one call
	maxCalls     = 1024     // calls of one reply
)

// assembly puts the calls of one reply together from their pieces. Vendors do not
// agree on what names a call: most number them, some give the number 0 or -1 to
// all, some send only ids, some repeat ids and names with every piece, some send
// everything twice. The rules are in target.
type assembly struct {
	calls []*draft
	full  bool // a cap was reached
}

// draft is a call being written.
type draft struct {
	index    int // -1 when it was never numbered
	id, name string
	args     []byte
	object   span // how far args has come towards a JSON object
	dirty    bool // changed since
}

// add takes in one piece.
func (a *assembly) add(p *piece) {
	c := a.target(p)
	if c == nil {
		if len(a.calls) == maxCalls {
			a.full = true
			return
		}
		c = &draft{index: p.index}
		a.calls = append(a.calls, c)
	}
	if c.id == "" && !p.id.empty() {
		c.id = p.id.trimmed()
	}
	if c.name == "" && !p.name.empty() {
		c.name = p.name.trimmed()
	}
	before := len(c.args)
	c.args = append(p.args.appendTo(c.args), p.object...)
	c.object.read(c.args, before)
	c.dirty = true
	a.full = a.full || len(c.args) > maxArguments
}

// target is the call that p continues, or nil when p begins one.
func (a *assembly) target(p *piece) *draft {
	if len(a.calls) == 0 {
		return nil
	}
	c := a.named(p)
	switch {
	case c == nil && p.name.empty() && (p.index < 0 || p.index == 0 && p.id.empty()):
		// Without a name it is no beginning, whatever id it has.
		return a.calls[len(a.calls)-1]
	case c == nil, c.endedBefore(p):
		return nil
	}
	return c
}

// named finds the call that p's number or id names. Without either it is the last
// one.
func (a *assembly) named(p *piece) *draft {
	if p.index >= 0 {
		if c := a.numbered(p.index); c != nil || p.id.empty() || !p.name.empty() {
			return c
		}
	} else if p.id.empty() {
		return a.calls[len(a.calls)-1]
	}
	id := p.id.trimmed()
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].id == id {
			return a.calls[i]
		}
	}
	return nil
}

// numbered is the last call with this number.
func (a *assembly) numbered(index int) *draft {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].index == index {
			return a.calls[i]
		}
	}
	return nil
}

// endedBefore reports whether p, though it goes by c's number or id, begins
// another call. Only a piece with a name can.
func (c *draft) endedBefore(p *piece) bool {
	if p.name.empty() || c.name == "" {
		return false
	}
	sameName := p.name.trimmed() == c.name
	sameID := p.id.empty() || c.id == "" || p.id.trimmed() == c.id
	switch {
	case !sameName:
		return true
	case !sameID:
		// A new id with every piece is no new call as long as the arguments run on.
		return c.object.end > 0 || c.blank() || p.startsObject()
	case c.object.end == 0:
		return false
	}
	// The same call again, whole, is a repetition; with other arguments it is a
	// second call under the same id.
	return p.startsObject() && !c.repeats(p)
}

func (c *draft) blank() bool { return len(bytes.TrimSpace(c.args)) == 0 }

func (p *piece) startsObject() bool {
	return len(p.object) > 0 || bytes.HasPrefix(bytes.TrimSpace(p.args.raw), []byte("{"))
}

// repeats reports whether p's arguments may be c's once more, or their beginning.
func (c *draft) repeats(p *piece) bool {
	again := append(p.args.appendTo(nil), p.object...)
	return bytes.HasPrefix(c.args[:c.object.end], again) || string(c.args[:c.object.end]) == "{}"
}

// finished is the calls of a reply that came to its end. salt tells one reply's
// made-up ids from another's.
func (a *assembly) finished(salt int) []message.ToolCall {
	var out []message.ToolCall
	taken := map[string]bool{}
	for _, c := range a.calls {
		taken[c.id] = true
	}
	used := map[string]bool{"": true}
	for _, c := range a.calls {
		if c.phantom() {
			continue
		}
		id := c.id
		for n := len(out); used[id]; n++ {
			if id = fmt.Sprintf("call_%d_%d", salt, n); taken[id] {
				id = ""
			}
		}
		used[id] = true
		out = append(out, message.ToolCall{ID: id, Name: c.name, Arguments: c.arguments()})
	}
	return out
}

// whole reports whether no call was left half written.
func (a *assembly) whole() bool {
	for _, c := range a.calls {
		if c.object.end == 0 && !c.blank() && string(bytes.TrimSpace(c.args)) != "null" {
			return false
		}
	}
	return true
}

// phantom is an entry without a name or anything in it.
func (c *draft) phantom() bool { return c.name == "" && c.blank() }

// arguments is what the model wrote, without repetitions. Nothing, blanks and
// null are an empty object. What is no object stays as it is: the agent answers
// it with an error.
func (c *draft) arguments() string {
	whole, rest := c.args[:c.object.end], bytes.TrimSpace(c.args[c.object.end:])
	switch {
	case c.object.end == 0:
		if s := string(bytes.TrimSpace(c.args)); s == "" || s == "null" {
			return "{}"
		}
		return valid(string(c.args))
	case len(rest) == 0, repetition(whole, rest):
		return valid(string(whole))
	case string(whole) == "{}" && rest[0] == '{':
		// Some gateways open every call with an empty object.
		return valid(string(rest))
	}
	return valid(string(c.args))
}

func repetition(whole, rest []byte) bool {
	once := bytes.TrimSpace(whole)
	for len(rest) > 0 {
		if !bytes.HasPrefix(rest, once) {
			return false
		}
		rest = bytes.TrimSpace(rest[len(once):])
	}
	return true
}

// span follows the brackets of a JSON object while it is written.
type span struct {
	depth   int
	quoted  bool
	escaped bool
	end     int // behind the bracket that closed the first value; 0 before
}

// read looks at args from offset from on.
func (s *span) read(args []byte, from int) {
	for i := from; i < len(args) && s.end == 0; i++ {
		c := args[i]
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted && c == '\\':
			s.escaped = true
		case c == '"':
			s.quoted = !s.quoted
		case s.quoted:
		case c == '{', c == '[':
			s.depth++
		case c == '}', c == ']':
			if s.depth--; s.depth <= 0 {
				s.end = i + 1
			}
		}
	}
}

// trimmed is an id or a name.
func (t text) trimmed() string { return valid(strings.TrimSpace(t.String())) }
