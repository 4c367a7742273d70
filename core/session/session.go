// Package session keeps journals: the contract of a store of sessions, one
// append-only log each. It knows no file format; jsonl is the one store, and
// sessiontest is the suite every store passes. The engine writes through it.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"reasonix/core/event"
)

// ErrUnknown is returned for a session that is not in the store.
var ErrUnknown = errors.New("no such session")

// LockedError says that another process is writing the session.
type LockedError struct {
	ID     event.SessionID
	Holder string // who, in words: pid and host
	// File is the lock when the holder signed it on another machine: nothing frees
	// it when that one is gone but deleting it.
	File string
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("session %s is open in another process (%s)", e.ID, e.Holder)
}

// Hint says what can be done instead.
func (e *LockedError) Hint() string {
	hint := "close it there, look at it here without writing, or go on with a copy of it"
	if e.File != "" {
		hint += "; when that process is gone for certain, delete " + e.File
	}
	return hint
}

// FormatError says that a newer version wrote the session: it can be read, not
// continued.
type FormatError struct {
	ID     event.SessionID
	Format int // the session's
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("session %s has format %d of a newer version and is read-only here", e.ID, e.Format)
}

// OpenElsewhere marks the error for callers that know no store.
func (e *LockedError) OpenElsewhere() bool { return true }

// HeldBy says who has the session, likewise.
func (e *LockedError) HeldBy() string { return e.Holder }

// Meta describes a session: its header, and what a list shows.
type Meta struct {
	Format    int             `json:"format"`
	ID        event.SessionID `json:"id"`
	Workspace string          `json:"workspace"`
	Created   time.Time       `json:"created"`
	Parent    event.SessionID `json:"parent,omitzero"`
	Writer    string          `json:"writer,omitzero"`
	Client    string          `json:"client,omitzero"` // who asked for it, in its own words

	Title   string        `json:"title,omitzero"`
	Model   string        `json:"model,omitzero"`
	Outcome event.Outcome `json:"outcome,omitzero"`
	Updated time.Time     `json:"updated,omitzero"`
}

// Query selects sessions. Before pages: only sessions that List puts behind that id.
type Query struct {
	Before event.SessionID
	Limit  int // 0: all
}

// DamageKind says in one word what is wrong with a line.
type DamageKind string

// The kinds of damage. Of all but DamageJoined, DamageFile and DamageRepeated a
// record is lost.
const (
	DamageHeader   DamageKind = "header"   // line 1 is not the header that was written
	DamageBroken   DamageKind = "broken"   // no whole record
	DamageEdited   DamageKind = "edited"   // well-formed, but not what the writer wrote
	DamageMissing  DamageKind = "missing"  // records before the line were removed
	DamageRepeated DamageKind = "repeated" // the record was there already
	DamageUnknown  DamageKind = "unknown"  // it checks and is no event
	DamageTorn     DamageKind = "torn"     // the end of the last record is missing
	DamageJoined   DamageKind = "joined"   // two records whose line break is missing
	DamageFile     DamageKind = "file"     // bytes that a record names are gone or changed
)

// Damage is one record that could not be read, and why.
type Damage struct {
	Line   int   // from 1, the header
	Offset int64 // of the line, in bytes
	Kind   DamageKind
	Reason string
	Edited bool // well-formed, but not what the writer wrote: somebody's edit
}

// Store is the sessions of one workspace.
type Store interface {
	// Create makes the session m.ID, which must be new, and opens it; its header
	// (the first six fields of m, Format chosen by the store) is on disk when it
	// returns.
	Create(ctx context.Context, m Meta) (Log, error)
	// Open locks a session for writing; *LockedError when somebody holds it,
	// *FormatError when a newer version wrote it, ErrUnknown when there is none.
	// A torn tail is dropped (Log.Torn).
	Open(ctx context.Context, id event.SessionID) (Log, error)
	// Read yields durable events after "after" without a lock; it ends at the
	// last whole record. Damaged records are skipped and yielded as *DamageError;
	// any other error is the last thing it yields.
	Read(ctx context.Context, id event.SessionID, after event.Seq) iter.Seq2[event.Envelope, error]
	// List is newest first: last written to first, then by id. What cannot be
	// read at all is left out.
	List(ctx context.Context, q Query) ([]Meta, error)
	// Info is what is known of a session without reading all of it; ErrUnknown when
	// there is none. It takes no lock.
	Info(ctx context.Context, id event.SessionID) (Info, error)
	// Copy makes the session m.ID, which must be new, from the records of id up to
	// number at (0: all there are) with the bytes they name. Its header is m's, as
	// with Create; its parent is id when m names none. It takes no lock of id and
	// leaves the copy closed; no copy is there before it is whole.
	Copy(ctx context.Context, id event.SessionID, at event.Seq, m Meta) error
	// Rename gives a session that nobody writes a title (empty: the first prompt is
	// one again), as a Configured record like the last one. It stays at its place
	// in the list.
	Rename(ctx context.Context, id event.SessionID, title string) error
	// Delete removes a session and all that was saved beside it; *LockedError
	// while somebody writes it, ErrUnknown when there is none.
	Delete(ctx context.Context, id event.SessionID) error
	// Save streams r into a file beside the journal named by its content hash and
	// returns the hash and the file's path; the same bytes twice are one file.
	Save(ctx context.Context, id event.SessionID, r io.Reader) (hash, path string, err error)
	// Load reads what Save kept; fs.ErrNotExist when it kept no such thing.
	Load(ctx context.Context, id event.SessionID, hash string) ([]byte, error)
}

// DamageError is a record Read skipped; reading goes on behind it.
type DamageError struct {
	ID event.SessionID
	Damage
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("session %s: line %d skipped: %s", e.ID, e.Line, e.Reason)
}

// Log is a session open for writing. It is safe for concurrent use.
type Log interface {
	// Append writes the batch with one write; a crash tears only the tail. Seqs
	// must continue Last without gaps. After an error nothing of the batch is in
	// the journal, and the same batch may be tried again.
	Append(batch ...event.Envelope) error
	// Sync makes what was appended survive a power loss.
	Sync() error
	// Last is the highest sequence number in the journal.
	Last() event.Seq
	// Torn is what Open dropped from the end: the record a crash cut short; nil
	// when nothing.
	Torn() *Damage
	// Keep stores what the records up to Last come to, in whatever form the caller can
	// read again. It is best effort: it saves reading them and is no part of the
	// session.
	Keep(state []byte)
	// Kept is what Keep stored last, in this process or an earlier one, and the number
	// of the last record in it; 0 when there is none or the journal is not what it was
	// made of.
	Kept() (state []byte, at event.Seq)
	// Close syncs and releases the lock; idempotent. Append and Sync then return
	// fs.ErrClosed.
	Close() error
}
