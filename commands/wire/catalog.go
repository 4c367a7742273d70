package wire

import (
	"context"
	"sync"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/slash"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// catalog answers what can be chosen, and what is the case in an open session.
type catalog struct {
	w    World
	open *openSessions
}

// Models lists the models of the user's own configuration.
func (c catalog) Models(context.Context) ([]protocol.Model, error) {
	cfg, err := c.w.load("")
	if err != nil {
		return nil, err
	}
	var models []protocol.Model
	for _, m := range cfg.Models() {
		models = append(models, protocol.Model{Ref: m.Ref, Name: m.Name, Efforts: m.Efforts, Window: m.ContextWindow, Default: m.Default})
	}
	return models, nil
}

// Complete implements protocol.Catalog.
func (c catalog) Complete(ctx context.Context, id event.SessionID, text string, cursor int) ([]protocol.Completion, error) {
	s, err := c.open.get(id)
	if err != nil {
		return nil, err
	}
	return s.references.complete(ctx, s.commands(), text, cursor)
}

// Facts implements protocol.Catalog.
func (c catalog) Facts(_ context.Context, id event.SessionID) (protocol.Facts, error) {
	s, err := c.open.get(id)
	if err != nil {
		return protocol.Facts{}, err
	}
	f := protocol.Facts{
		Journal: s.journal,
		Pids:    children(),
		Sandbox: protocol.Sandbox{
			Way: c.open.way(s), Bash: s.cfg.Sandbox.Bash, AllowWrite: s.files.Writable()[1:], Network: s.cfg.Sandbox.Network,
			Workspace: s.workspace, ConfigFile: s.cfg.UserFile,
		},
	}
	for _, p := range s.cfg.Ungranted {
		f.Off = append(f.Off, p.Label())
	}
	return f, nil
}

// Attachment implements protocol.Catalog.
func (c catalog) Attachment(_ context.Context, id event.SessionID, hash string) ([]byte, error) {
	s, err := c.open.get(id)
	if err != nil {
		return nil, err
	}
	return s.attached(hash)
}

// openSession is what an open session is asked for besides its events.
type openSession struct {
	id         event.SessionID
	journal    string // path of its file
	cfg        *config.Config
	workspace  string
	files      *workspace.FS
	run        sandbox.Runner
	references references
	commands   func() *slash.Set
	attached   func(hash string) ([]byte, error)
}

// openSessions are those that this process has open. Safe for concurrent use.
type openSessions struct {
	mu   sync.Mutex
	byID map[event.SessionID]*openSession
	ways map[wanted]string
}

// wanted is what the choice of a way of confinement depends on in one process.
type wanted struct {
	bash    string
	network bool
}

// way is the way that confines the commands of s. Trying one takes a process, which is
// many times what opening a session takes: one that was found is not tried again.
func (l *openSessions) way(s *openSession) string {
	want := wanted{s.cfg.Sandbox.Bash, s.cfg.Sandbox.Network}
	l.mu.Lock()
	way := l.ways[want]
	l.mu.Unlock()
	if way != "" {
		return way
	}
	if way = s.run.Way(); way != "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ways == nil {
			l.ways = map[wanted]string{}
		}
		l.ways[want] = way
	}
	return way
}

// add keeps s until the returned function is called.
func (l *openSessions) add(s *openSession) (remove func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[event.SessionID]*openSession{}
	}
	l.byID[s.id] = s
	return func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.byID[s.id] == s {
			delete(l.byID, s.id)
		}
		return nil
	}
}

func (l *openSessions) get(id event.SessionID) (*openSession, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.byID[id]; s != nil {
		return s, nil
	}
	return nil, protocol.ErrUnknown
}
