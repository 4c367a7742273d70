// Package event says what happened in a session: one sealed payload type per
// kind of fact, the envelope that numbers it, and the codec that writes it. It
// decides nothing and stores nothing. The engine emits events, the store keeps
// the durable ones, and every front end draws from them alone.
//
// Names and fields are a contract (docs/events.md): fields are only added, and a
// changed meaning is a new type.
package event

import (
	"encoding/json"
	"math"
	"time"
)

type (
	// SessionID names a session: UTC time to the second and six random hex
	// digits, sortable and legal on every file system.
	SessionID string
	// PromptID names a prompt or steer; the caller chooses it.
	PromptID string
	// RequestID names a question to the user.
	RequestID string
	// JobID names a background job within its session.
	JobID string
	// Seq numbers durable events 1, 2, 3... without gaps; 0 is transient.
	Seq uint64
)

// Tail as the "after" of Session.Events skips the replay.
const Tail Seq = math.MaxUint64

// Payload is one kind of fact. The set is closed: this package's types only.
//
//sumtype:decl
type Payload interface{ payload() }

// Envelope wraps one payload. Seq is 0 for a transient event; Turn is 0 outside
// a turn. Seq orders events, Time only shows.
type Envelope struct {
	Seq     Seq
	Time    time.Time
	Turn    int
	Payload Payload
}

// Unknown keeps what a newer version wrote, so that it can be passed on.
type Unknown struct {
	Type string
	Data json.RawMessage
}

func (Unknown) payload() {}
