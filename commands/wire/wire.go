// Package wire is the composition root: it turns configuration into an engine
// and hands front ends the contract. It is the only importer of core/engine and
// the one place where a session's organs are put together; it decides nothing
// that a package below could decide. Every command that opens a session calls
// New.
package wire

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session"
)

// World is the process as sessions see it. Nothing else is ambient.
type World struct {
	Home    string // <home>, absolute
	Version string
	Environ []string
	Now     func() time.Time
	// Flags is the topmost layer of the configuration, by dotted key.
	Flags map[string]any
	// Trust grants every part of a workspace's files for this run, and stores
	// nothing.
	Trust bool
	// Modelless opens sessions also where no model can be used: for what asks none, such
	// as a rewind and the commands that NeedsNoModel names. A prompt fails there.
	Modelless bool
	// Warn is told what is odd about the configuration; may be nil.
	Warn func(text string)
	// HTTP replaces the providers' own clients; nil outside tests.
	HTTP *http.Client
}

// ConfigError is an error the user mends in the configuration or with a key.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

// ExitCode is the code of configuration errors (docs/architecture.md section 6).
func (e *ConfigError) ExitCode() int { return 3 }

// UsageError is an error the user mends on the command line.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// ExitCode is the code of usage errors.
func (e *UsageError) ExitCode() int { return 2 }

// New makes a host. Configuration is read when a session is opened, for its
// workspace.
func New(w World) (protocol.Host, error) {
	if w.Home == "" {
		return protocol.Host{}, &ConfigError{errors.New("no home directory is known: set REASONIX_HOME to a directory of your own")}
	}
	open := &openSessions{}
	all := w.shelves()
	e := engine.New(engine.Parts{
		Store:      func(workspace string) (session.Store, error) { return all.of(workspace), nil },
		Build:      builder{w, open}.build,
		Now:        w.Now,
		NewID:      newID,
		NewSession: func() event.SessionID { return newSession(w.Now()) },
		Writer:     all.writer,
	})
	sessions := library{e, all}
	return protocol.Host{Opener: sessions, Library: sessions, Catalog: catalog{w, open}}, nil
}

// load reads the configuration of one workspace.
func (w World) load(workspace string) (*config.Config, error) {
	cfg, err := config.Load(w.input(workspace))
	if err != nil {
		return nil, &ConfigError{err}
	}
	return cfg, nil
}

// newID names messages and questions: 48 random bits.
func newID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func newSession(now time.Time) event.SessionID {
	id, err := session.NewID(now, rand.Reader)
	if err != nil {
		panic("wire: the system's random source failed: " + err.Error())
	}
	return id
}
