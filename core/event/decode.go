package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Decode reads what Append wrote. An unknown type is kept as Unknown; members
// beside the five are ignored. It keeps no part of line.
func Decode(line []byte) (Envelope, error) {
	if e, ok := decodeOwn(line); ok {
		return e, nil
	}
	return decodeAny(line)
}

// decodeOwn reads a line that looks exactly as Append writes it, in one pass over
// the payload. It says false of everything else, valid or not.
func decodeOwn(line []byte) (e Envelope, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("{"))
	if !ok {
		return e, false
	}
	var seq, turn uint64
	if seq, rest, ok = cutNumber(rest, `"seq":`); !ok {
		return e, false
	}
	if after, has := bytes.CutPrefix(rest, []byte(`"time":"`)); has {
		at, behind, found := bytes.Cut(after, []byte(`",`))
		if !found || e.Time.UnmarshalText(at) != nil || !representable(e.Time) {
			return e, false
		}
		rest = behind
	}
	if turn, rest, ok = cutNumber(rest, `"turn":`); !ok {
		return e, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`"type":"`)); !ok {
		return e, false
	}
	name, data, ok := bytes.Cut(rest, []byte(`","data":`))
	if !ok || !plainName(name) {
		return e, false
	}
	if data, ok = bytes.CutSuffix(data, []byte("}")); !ok {
		return e, false
	}
	e.Seq, e.Turn = Seq(seq), int(turn)
	e.Payload, ok = decodePayload(name, data)
	return e, ok
}

func decodePayload(name, data []byte) (Payload, bool) {
	if k, known := kinds().byName[string(name)]; known {
		p, err := k.decode(data)
		return p, err == nil
	}
	if !json.Valid(data) {
		return nil, false
	}
	return Unknown{Type: string(name), Data: bytes.Clone(bytes.Trim(data, " \t\r\n"))}, true
}

// cutNumber takes key, a positive number and a comma from the front of text; text
// that does not begin with key has number 0.
func cutNumber(text []byte, key string) (n uint64, rest []byte, ok bool) {
	after, has := bytes.CutPrefix(text, []byte(key))
	if !has {
		return 0, text, true
	}
	digits, rest, ok := bytes.Cut(after, []byte(","))
	if !ok || len(digits) == 0 || len(digits) > 18 || digits[0] < '1' {
		return 0, nil, false
	}
	n, err := strconv.ParseUint(string(digits), 10, strconv.IntSize-1)
	return n, rest, err == nil
}

// plainName reports whether a type's name can be taken as it stands in JSON.
func plainName(name []byte) bool {
	for _, c := range name {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return len(name) > 0
}

// decodeAny reads an envelope in any form JSON allows.
func decodeAny(line []byte) (Envelope, error) {
	var w struct {
		Seq  Seq             `json:"seq"`
		Time time.Time       `json:"time"`
		Turn int             `json:"turn"`
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(line, &w); err != nil {
		return Envelope{}, fmt.Errorf("decode event: %w", err)
	}
	if !representable(w.Time) {
		return Envelope{}, errors.New("decode event: the year of its time has no four digits")
	}
	if w.Type == "" {
		return Envelope{}, errors.New("decode event: no type")
	}
	if len(w.Data) == 0 {
		w.Data = json.RawMessage("{}")
	}
	e := Envelope{Seq: w.Seq, Time: w.Time, Turn: w.Turn}
	k, known := kinds().byName[w.Type]
	if !known {
		e.Payload = Unknown{Type: w.Type, Data: w.Data}
		return e, nil
	}
	var err error
	e.Payload, err = k.decode(w.Data)
	return e, err
}
