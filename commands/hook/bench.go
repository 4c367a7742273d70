package hook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/commands/wire"
	"reasonix/core/hook"
	"reasonix/sandbox"
)

// hooks are those that run here, or of them those of one name.
func (s *scene) hooks(name string) []hook.Hook {
	return slices.DeleteFunc(wire.Hooks(s.cfg), func(h hook.Hook) bool { return name != "" && h.Name != name })
}

// bench is what runs hooks without a session. Those of the project are held as a
// session holds them. done ends what serves it.
func (s *scene) bench(hooks []hook.Hook) (e *hook.Exec, done func() error, err error) {
	w := wire.World{Home: s.app.Home, Version: s.app.Version, Environ: s.app.Environ, Now: s.app.Now}
	policy, err := w.Policy(s.cfg, s.dir)
	if err != nil {
		return nil, nil, err
	}
	temp, err := os.MkdirTemp("", "reasonix-hook-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	environ := s.cfg.Scrub(s.app.Environ)
	places := policy.Places
	e = &hook.Exec{
		Hooks: hooks, User: sandbox.NewOff(), Sandbox: sandbox.NewOff(), Environ: environ, Workspace: s.dir, Now: s.app.Now,
		Hold: sandbox.Cmd{
			Env:       append(without(environ, "TMPDIR", "TMP", "TEMP"), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp),
			Writable:  slices.Concat([]string{s.dir, temp}, places.Write, sandbox.Caches(s.app.Environ)),
			Protected: slices.Clone(places.Protected), Hidden: places.Hidden, Bare: places.Bare, Network: s.cfg.Sandbox.Network,
		},
	}
	for _, name := range places.Names {
		e.Hold.Protected = append(e.Hold.Protected, filepath.Join(s.dir, filepath.FromSlash(name)))
	}
	e.Hold.Protected = slices.DeleteFunc(e.Hold.Protected, func(path string) bool { return !below(e.Hold.Writable, path) })
	if s.cfg.Sandbox.Bash == "enforce" {
		e.Sandbox = sandbox.New(w.Confinement(s.cfg))
	}
	return e, func() error { return errors.Join(e.User.Close(), e.Sandbox.Close(), os.RemoveAll(temp)) }, nil
}

// below reports whether path is one of dirs or in one.
func below(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// without is environ less some variables.
func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(names, name)
	})
}
