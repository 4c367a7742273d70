package jsonl

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"sync"
	"time"

	"reasonix/core/event"
	"reasonix/core/session"
)

// format is the version of the file's layout that this build writes.
const format = 1

const (
	crcKey = `,"crc":"`
	crcLen = len(crcKey + `01234567"}`)
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// seal ends the JSON object dst[start:] with its checksum and a newline.
func seal(dst []byte, start int) []byte {
	dst = dst[:len(dst)-1]
	sum := crc32.Checksum(dst[start:], castagnoli())
	dst = append(dst, crcKey...)
	dst = hex.AppendEncode(dst, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(dst, "\"}\n"...)
}

// unseal checks a line's checksum and returns the object without it. The object
// overlays the line, which is changed; a line that does not check is not.
func unseal(line []byte) ([]byte, bool) {
	if len(line) <= crcLen {
		return nil, false
	}
	body, end := line[:len(line)-crcLen], line[len(line)-crcLen:]
	if string(end[:len(crcKey)]) != crcKey || string(end[crcLen-2:]) != `"}` {
		return nil, false
	}
	var want [4]byte
	if _, err := hex.Decode(want[:], end[len(crcKey):crcLen-2]); err != nil {
		return nil, false
	}
	sum := crc32.Checksum(body, castagnoli())
	if want != [4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)} {
		return nil, false
	}
	line[len(body)] = '}'
	return line[:len(body)+1], true
}

// diagnose says why a line did not check.
func diagnose(line []byte) session.Damage {
	switch {
	case !json.Valid(line):
		return session.Damage{Kind: session.DamageBroken, Reason: "not a whole record"}
	case bytes.Contains(line, []byte(crcKey)):
		return session.Damage{Kind: session.DamageEdited, Reason: "edited: the checksum does not match", Edited: true}
	default:
		return session.Damage{Kind: session.DamageEdited, Reason: "edited: it has no checksum", Edited: true}
	}
}

// peekSeq reads the number a record begins with, 0 when it has none.
func peekSeq(object []byte) event.Seq {
	digits, ok := bytes.CutPrefix(object, []byte(`{"seq":`))
	if !ok {
		return 0
	}
	var seq event.Seq
	for i, c := range digits {
		if c < '0' || c > '9' || i == 19 {
			return seq
		}
		seq = seq*10 + event.Seq(c-'0')
	}
	return seq
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
	return seal(bytes.TrimSuffix(buf.Bytes(), []byte("\n")), 0), nil
}

// parseHeader reads line 1. What is wrong with it is an error that names it as the
// header; record is set when the line is a record instead.
func parseHeader(line []byte) (h header, record []byte, damage *session.Damage) {
	object, ok := unseal(bytes.TrimPrefix(line, []byte("\ufeff")))
	if !ok {
		d := diagnose(line)
		d.Line, d.Kind, d.Reason = 1, session.DamageHeader, "header: "+d.Reason
		return h, nil, &d
	}
	if peekSeq(object) > 0 {
		return h, object, &session.Damage{Line: 1, Kind: session.DamageHeader, Reason: "header: missing"}
	}
	if err := json.Unmarshal(object, &h); err != nil {
		return h, nil, &session.Damage{Line: 1, Kind: session.DamageHeader, Reason: fmt.Sprintf("header: %v", err)}
	}
	return h, nil, nil
}
