package wire

import (
	"errors"
	"fmt"
	"net/http"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/tool/shell"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// bench is what the tools of a session work with, and its servers and hooks beside
// them.
type bench struct {
	tool.Env
	places      workspace.Places
	interpreter string
}

// fit makes a bench of files, which are closed with what else it opens, at once after an
// error. A resumed session has seen and opened what it had.
func (w builder) fit(cfg *config.Config, spec protocol.Spec, places workspace.Places, files *workspace.FS, s engine.Services, ends *endings) (bench, error) {
	temp := home(w.Home).temp(s.Session)
	directory, err := openTemporary(filepath.Dir(temp), filepath.Base(temp))
	if err != nil {
		err = &ConfigError{fmt.Errorf("%w: reasonix keeps its sessions in %s (REASONIX_HOME), which must be a directory that can be written", err, w.Home)}
		return bench{}, errors.Join(err, files.Close())
	}
	restore(files, s.Seen)
	reopen(files, s.AllowWrite, w.Warn)
	run := w.runner(cfg)
	files.Owning(func(paths []string, write func() error) error { return sandbox.Own(run, paths, write) })
	settings := w.settings(cfg, temp, s.Session)
	settings.MemoryDirs = tool.MemoryDirs(MemoryDirs(w.Home, spec.Workspace))
	settings.HistoryDirs = historyDirs(w.Home, spec.Workspace)
	settings.Secrets = cfg.SecretValues()
	env := tool.NewEnv(tool.Env{
		Files: files, Run: run, Terminal: spec.Terminal, Open: s.Open, Ask: s.Ask, Note: s.Emit, Todos: s.Todos, Jobs: s.Jobs, Dir: filepath.FromSlash(s.Dir), HTTP: http.DefaultClient, Now: w.Now,
		Settings: settings,
	})
	ends.add(func() error { return errors.Join(env.Close(), run.Close(), files.Close(), directory.Close()) })
	b := bench{Env: env, places: places}
	if b.interpreter, err = shell.Interpreter(env.Settings); err != nil {
		return bench{}, &ConfigError{err}
	}
	return b, nil
}

// settings are the configured limits of tools. A command's environment holds no
// key of the configuration.
func (w World) settings(cfg *config.Config, temp string, id event.SessionID) tool.Settings {
	return tool.Settings{
		Shell: cfg.Tools.Shell.Prefer, ShellPath: cfg.Tools.Shell.Path,
		BashTimeout: time.Duration(cfg.Tools.BashTimeoutSeconds) * time.Second,
		Environ:     withTemp(cfg.Scrub(w.Environ), temp), Caches: sandbox.Caches(w.Environ), Temp: temp, SessionID: string(id), Network: cfg.Sandbox.Network,
	}
}

// userHome is the user's home directory, for rules that begin with "~/". Without a
// variable it is the one that shells expand "~" to; empty when nobody knows.
func userHome(environ []string) string {
	if home := variable(environ, "HOME"); home != "" {
		return home
	}
	if home := variable(environ, "USERPROFILE"); home != "" {
		return home
	}
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}

// withTemp names the session's temporary directory to programs, in place of the
// system's, which a confined command cannot write.
func withTemp(environ []string, temp string) []string {
	if temp == "" {
		return environ
	}
	var all []string
	for _, e := range environ {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "TMPDIR", "TMP", "TEMP":
		default:
			all = append(all, e)
		}
	}
	return append(all, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
}
