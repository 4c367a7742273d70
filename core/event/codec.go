package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"
)

// Class says whether an event is kept and whether a late reader gets it.
type Class int

// Durable events are numbered and stored; transient ones pass by; the current
// sticky one is sent again after CaughtUp.
const (
	Durable Class = iota
	Transient
	Sticky
)

// A Kind describes one payload type: its name for ever, its class, and a value
// of it for whoever documents or tests the table.
type Kind struct {
	Type   string
	Class  Class
	Zero   Payload
	decode func(json.RawMessage) (Payload, error)
}

func kind[T Payload](name string, class Class) Kind {
	var zero T
	return Kind{Type: name, Class: class, Zero: zero, decode: func(data json.RawMessage) (Payload, error) {
		var v T
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
		return v, nil
	}}
}

// Kinds lists every payload type in documentation order.
func Kinds() []Kind {
	return []Kind{
		kind[Opened]("session.opened", Durable),
		kind[Configured]("session.configured", Durable),
		kind[PrefixSet]("session.prefix_set", Durable),
		kind[Repaired]("session.repaired", Durable),
		kind[Offered]("session.offered", Sticky),
		kind[ServerChanged]("server.changed", Sticky),
		kind[CaughtUp]("session.caught_up", Transient),
		kind[Notice]("session.notice", Durable),
		kind[Ended]("session.ended", Durable),
		kind[PromptQueued]("prompt.queued", Durable),
		kind[TurnStarted]("turn.started", Durable),
		kind[UserSaid]("user.said", Durable),
		kind[TurnEnded]("turn.ended", Durable),
		kind[Phase]("turn.phase", Sticky),
		kind[TextDelta]("model.text", Transient),
		kind[ReasoningDelta]("model.reasoning", Transient),
		kind[CallDelta]("model.call", Transient),
		kind[Retrying]("model.retrying", Transient),
		kind[Replied]("model.replied", Durable),
		kind[ContextUsed]("context.used", Sticky),
		kind[Folded]("context.folded", Durable),
		kind[ToolStarted]("tool.started", Durable),
		kind[ToolOutput]("tool.output", Transient),
		kind[ToolProgress]("tool.progress", Transient),
		kind[ToolFinished]("tool.finished", Durable),
		kind[FilesChanged]("files.changed", Durable),
		kind[Rewinding]("session.rewinding", Durable),
		kind[Rewound]("session.rewound", Durable),
		kind[Planned]("plan.changed", Durable),
		kind[JobStarted]("job.started", Durable),
		kind[JobEnded]("job.ended", Durable),
		kind[ChildStarted]("child.started", Durable),
		kind[ChildEnded]("child.ended", Durable),
		kind[Asked]("question.asked", Durable),
		kind[Answered]("question.answered", Durable),
		kind[Granted]("rule.granted", Durable),
		kind[HookRan]("hook.ran", Durable),
	}
}

type table struct {
	byName map[string]Kind
	byType map[reflect.Type]Kind
}

var kinds = sync.OnceValue(func() table {
	t := table{map[string]Kind{}, map[reflect.Type]Kind{}}
	for _, k := range Kinds() {
		t.byName[k.Type] = k
		t.byType[reflect.TypeOf(k.Zero)] = k
	}
	return t
})

// KindOf describes p. An Unknown is durable under its own name.
func KindOf(p Payload) Kind {
	if u, ok := p.(Unknown); ok {
		return Kind{Type: u.Type, Class: Durable, Zero: u}
	}
	return kinds().byType[reflect.TypeOf(p)]
}

// Append writes e as one JSON object without a final newline. The order of the
// members is fixed: seq, time, turn, type, data.
func Append(dst []byte, e Envelope) ([]byte, error) {
	k := KindOf(e.Payload)
	if k.Type == "" {
		return dst, fmt.Errorf("encode event: no type for %T", e.Payload)
	}
	dst = append(dst, '{')
	if e.Seq != 0 {
		dst = append(dst, `"seq":`...)
		dst = strconv.AppendUint(dst, uint64(e.Seq), 10)
		dst = append(dst, ',')
	}
	if !e.Time.IsZero() {
		if !representable(e.Time) {
			return dst, fmt.Errorf("encode %s: its year has no four digits", k.Type)
		}
		dst = append(dst, `"time":"`...)
		dst = e.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
		dst = append(dst, `",`...)
	}
	if e.Turn != 0 {
		dst = append(dst, `"turn":`...)
		dst = strconv.AppendInt(dst, int64(e.Turn), 10)
		dst = append(dst, ',')
	}
	dst = append(dst, `"type":`...)
	if u, ok := e.Payload.(Unknown); ok {
		return appendUnknown(dst, u)
	}
	dst = append(dst, '"')
	dst = append(dst, k.Type...)
	dst = append(dst, `","data":`...)
	dst, err := appendJSON(dst, e.Payload)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", k.Type, err)
	}
	return append(dst, '}'), nil
}

// representable reports whether t can be written as RFC 3339.
func representable(t time.Time) bool {
	year := t.UTC().Year()
	return 0 <= year && year <= 9999
}

// appendUnknown passes on what was read byte for byte, as long as it is one line.
func appendUnknown(dst []byte, u Unknown) ([]byte, error) {
	dst, err := appendJSON(dst, u.Type)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `,"data":`...)
	switch {
	case len(u.Data) == 0:
		dst = append(dst, "{}"...)
	case !json.Valid(u.Data):
		return dst, fmt.Errorf("encode %s: its data is not JSON", u.Type)
	case bytes.ContainsAny(u.Data, "\n\r"):
		if dst, err = appendJSON(dst, u.Data); err != nil {
			return dst, fmt.Errorf("encode %s: %w", u.Type, err)
		}
	default:
		dst = append(dst, u.Data...)
	}
	return append(dst, '}'), nil
}

// appendJSON encodes v without HTML escaping: a journal is read by people.
func appendJSON(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// MarshalJSON writes the envelope as Append does.
func (e Envelope) MarshalJSON() ([]byte, error) { return Append(nil, e) }

// UnmarshalJSON reads the envelope as Decode does.
func (e *Envelope) UnmarshalJSON(data []byte) error {
	got, err := Decode(data)
	if err != nil {
		return err
	}
	*e = got
	return nil
}
