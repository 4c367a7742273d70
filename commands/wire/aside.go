package wire

import (
	"errors"
	"path/filepath"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// aside is what a command that opens no session runs hooks or servers in: what a session
// in the same directory would have.
type aside struct {
	id    event.SessionID
	files *workspace.FS
	temp  string
	runners
	close func() error
}

// aside makes one, whose id begins with name. The caller must call close.
func (w World) aside(cfg *config.Config, dir, name string) (aside, error) {
	a := aside{id: event.SessionID(name + "-" + newID())}
	var err error
	if a.files, err = workspace.Open(w.places(cfg, dir, nil, a.id).Roots(dir), nil); err != nil {
		return aside{}, &UsageError{err}
	}
	a.temp = home(w.Home).temp(a.id)
	directory, err := openTemporary(filepath.Dir(a.temp), string(a.id))
	if err != nil {
		return aside{}, errors.Join(&ConfigError{err}, a.files.Close())
	}
	a.runners = runners{confined: w.runner(cfg), unconfined: sandbox.NewOff()}
	a.files.Owning(func(paths []string, write func() error) error { return sandbox.Own(a.confined, paths, write) })
	a.close = func() error {
		return errors.Join(a.confined.Close(), a.unconfined.Close(), a.files.Close(), directory.Close())
	}
	return a, nil
}
