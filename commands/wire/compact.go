package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"reasonix/core/agent"
	"reasonix/core/compaction"
	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/message"
)

// compactor makes conversations fit the window of m.
func (l loops) compactor(m model) *agent.Compactor {
	a, s := l.cfg.Agent, l.services
	return &agent.Compactor{
		Settings: compaction.Settings{
			Window: m.ContextWindow, Soft: min(a.CompactSoftRatio, a.ToolResultSnipRatio), Snip: a.ToolResultSnipRatio,
			Prune: a.CompactRatio, Force: a.CompactForceRatio, TailTurns: a.CompactTailTurns, TailShare: a.CompactTailRatio,
			PinTokens: a.CompactPinTokens, MinGain: a.CompactMinGain,
		},
		Archive: &archive{dir: l.home.archive(), session: s.Session, written: s.Archives, now: l.now},
		Failed:  s.Failed, Noticed: s.Filling,
	}
}

// archive keeps what compaction takes out of one session's conversation, a file
// each time. A file is never written twice.
type archive struct {
	dir     string
	session event.SessionID
	written int // by this session, earlier processes included
	now     func() time.Time
}

// Next skips the names of files that a process left which was stopped before it
// recorded them.
func (a *archive) Next() string {
	for n := a.written + 1; ; n++ {
		name := compaction.ArchiveName(a.now(), string(a.session), n)
		if _, err := os.Lstat(filepath.Join(a.dir, name)); errors.Is(err, fs.ErrNotExist) {
			a.written = n - 1
			return name
		}
	}
}

// Write keeps ms in a new file that survives a power loss.
func (a *archive) Write(name string, ms []message.Message) (err error) {
	if err := durable.MkdirAll(a.dir); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	path := filepath.Join(a.dir, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	err = errors.Join(compaction.WriteArchive(f, ms), f.Sync(), f.Close())
	if err == nil {
		err = durable.SyncDir(a.dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("archive %s: %w", name, err), os.Remove(path))
	}
	a.written++
	return nil
}
