package wire

import (
	"context"
	"path/filepath"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/session/jsonl"
)

// catalog answers what can be chosen, and what is the case in an open session.
type catalog struct{ w World }

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
	b, err := c.w.live.get(id)
	if err != nil {
		return nil, err
	}
	return b.complete(ctx, text, cursor)
}

// Facts implements protocol.Catalog.
func (c catalog) Facts(_ context.Context, id event.SessionID) (protocol.Facts, error) {
	b, err := c.w.live.get(id)
	if err != nil {
		return protocol.Facts{}, err
	}
	f := protocol.Facts{
		Journal: filepath.Join(jsonl.Dir(c.w.Home, b.workspace), string(id)+".jsonl"),
		Pids:    children(),
		Sandbox: protocol.Sandbox{
			Way: c.w.live.way(b), Bash: b.cfg.Sandbox.Bash, AllowWrite: b.env.Files.Writable()[1:], Network: b.cfg.Sandbox.Network,
			Workspace: b.spec.Workspace, ConfigFile: b.cfg.UserFile,
		},
	}
	for _, p := range b.cfg.Ungranted {
		f.Off = append(f.Off, p.Label())
	}
	return f, nil
}

// liveSessions are the sessions that this process has open.
type liveSessions struct {
	mu   sync.Mutex
	byID map[event.SessionID]*assembly
	ways map[wanted]string
}

// wanted is what the choice of a way of confinement depends on in one process.
type wanted struct {
	bash    string
	network bool
}

// way is the way that confines the commands of b. Trying one takes a process, which is
// many times what opening a session takes: one that was found is not tried again.
func (l *liveSessions) way(b *assembly) string {
	want := wanted{b.cfg.Sandbox.Bash, b.cfg.Sandbox.Network}
	l.mu.Lock()
	way := l.ways[want]
	l.mu.Unlock()
	if way != "" {
		return way
	}
	if way = b.env.Run.Way(); way != "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ways == nil {
			l.ways = map[wanted]string{}
		}
		l.ways[want] = way
	}
	return way
}

// add keeps b until the returned function is called.
func (l *liveSessions) add(b *assembly) (remove func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[event.SessionID]*assembly{}
	}
	id := b.services.Session
	l.byID[id] = b
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.byID[id] == b {
			delete(l.byID, id)
		}
	}
}

func (l *liveSessions) get(id event.SessionID) (*assembly, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.byID[id]; b != nil {
		return b, nil
	}
	return nil, protocol.ErrUnknown
}
