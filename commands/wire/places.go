package wire

import (
	"path/filepath"
	"slices"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/workspace"
)

// places are the paths that mean something without a rule. A session's own saved
// outputs are readable although sessions are hidden; without a session there are
// none.
func (w World) places(cfg *config.Config, dir string, addDirs []string, session event.SessionID) workspace.Places {
	in := workspace.PlacesInput{
		Home: w.Home, UserHome: userHome(w.Environ), Dir: dir,
		Write: slices.Concat(addDirs, cfg.Sandbox.AllowWrite), ForbidRead: cfg.Sandbox.ForbidRead,
		Path: filepath.SplitList(variable(w.Environ, "PATH")),
	}
	if session != "" {
		in.Temp = home(w.Home).temp(session)
		in.Bare = []string{filepath.Join(home(w.Home).sessions(dir), string(session)+".files")}
	}
	return workspace.PlacesOf(in)
}

// judgedBy are the places as a policy knows them.
func judgedBy(p workspace.Places) permission.Places {
	return permission.Places{
		Write: p.Write, Hidden: p.Hidden, Bare: p.Bare, Protected: p.Protected, Names: p.Names, Secrets: p.Secrets,
	}
}
