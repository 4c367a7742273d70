package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// format is the version of the file's layout that this build writes.
const format = 1

// diagnose says why a line did not check.
func diagnose(line []byte) session.Damage {
	switch {
	case !json.Valid(line):
		return session.Damage{Kind: session.DamageBroken, Reason: "not a whole record"}
	case sealed.HasSeal(line):
		return session.Damage{Kind: session.DamageEdited, Reason: "edited: the checksum does not match", Edited: true}
	default:
		return session.Damage{Kind: session.DamageEdited, Reason: "edited: it has no checksum", Edited: true}
	}
}

// header is line 1.
type header struct {
	Format    int             `json:"format"`
	ID        event.SessionID `json:"id"`
	Workspace string          `json:"workspace,omitzero"`
	Created   time.Time       `json:"created,omitzero"`
	Parent    event.SessionID `json:"parent,omitzero"`
	Writer    string          `json:"writer,omitzero"`
	Client    string          `json:"client,omitzero"`
}

func (h header) line() ([]byte, error) {
	h.Created = h.Created.UTC()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	return sealed.Line(bytes.TrimSuffix(buf.Bytes(), []byte("\n")), 0), nil
}

// parseHeader reads line 1. What is wrong with it is an error that names it as the
// header; record is set when the line is a record instead.
func parseHeader(line []byte) (h header, record []byte, damage *session.Damage) {
	object, ok := sealed.Open(bytes.TrimPrefix(line, []byte("\ufeff")))
	if !ok {
		d := diagnose(line)
		d.Line, d.Kind, d.Reason = 1, session.DamageHeader, "header: "+d.Reason
		return h, nil, &d
	}
	if sealed.Seq(object) > 0 {
		return h, object, &session.Damage{Line: 1, Kind: session.DamageHeader, Reason: "header: missing"}
	}
	if err := json.Unmarshal(object, &h); err != nil {
		return h, nil, &session.Damage{Line: 1, Kind: session.DamageHeader, Reason: fmt.Sprintf("header: %v", err)}
	}
	return h, nil, nil
}
