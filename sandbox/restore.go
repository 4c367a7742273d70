//go:build linux || darwin

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A keeper sees to it that protected files are after a command what they were
// before it, where nothing keeps the command from changing them: it compares and
// puts back. One serves all commands of a Runner, since they overlap: a command
// that starts while another runs must not take what that one did for the original.
// The zero value is ready; it is safe for concurrent use.
//
// What it costs is that the writer of a change is not known. A change that others
// make while a command runs, a person in an editor, is put back too; one of our own
// goes through own. And when we
// are killed between a change and the end of its command, the change stays: what
// is there at the next command's start is the original then. Repositories inside
// the workspace are kept only where a path of them is named.
type keeper struct {
	mu      sync.Mutex
	entries map[string]*entry
	real    map[string]string // paths outside Writable, without links
}

// A restorer is what one command's end brings back.
type restorer struct {
	keeper   *keeper
	writable []string
	entries  []*entry
}

// maxHops bounds how many links a protected path may lead over.
const maxHops = 40

// keep notes what protected paths inside writable are at present, there or not,
// before a command that may write there. A path is as its user names it: links on
// its way are kept too, and what they lead to. After an error the command must not
// run: something cannot be kept. Otherwise restore is called once after it.
//
// A command that may write a path must be kept as well, without that path: what it
// leaves is the original for the commands that run beside it.
func (k *keeper) keep(writable, protected []string) (*restorer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := &restorer{keeper: k, writable: writable}
	var g glance
	defer g.end()
	for _, path := range protected {
		for _, named := range withGitFiles(path) {
			if err := r.hold(named, &g); err != nil {
				r.release()
				return nil, err
			}
		}
	}
	return r, nil
}

// hold adds the entry of path, and those that its links lead to.
func (r *restorer) hold(path string, g *glance) error {
	for range maxHops {
		e := r.keeper.entry(r.writable, path)
		if e == nil || slices.Contains(r.entries, e) {
			return nil
		}
		if e.holders == 0 {
			if err := e.settle(g); err != nil {
				return fmt.Errorf("keep %s: %w", e.path, err)
			}
		}
		e.holders++
		r.entries = append(r.entries, e)
		if path = e.leadsTo; path == "" {
			return nil
		}
	}
	return fmt.Errorf("keep %s: too many links", path)
}

// entry returns the entry of path; nil when it is in no writable directory.
func (k *keeper) entry(writable []string, path string) *entry {
	base := outermost(writable, path)
	if base == "" {
		real, known := k.real[path]
		if !known {
			real, _ = resolve(path)
			if k.real == nil {
				k.real = map[string]string{}
			}
			k.real[path] = real
		}
		if base, path = outermost(writable, real), real; base == "" {
			return nil
		}
	}
	e := k.entries[path]
	if e == nil || e.holders == 0 && e.base != base {
		e = newEntry(base, path)
		if k.entries == nil {
			k.entries = map[string]*entry{}
		}
		k.entries[path] = e
	}
	return e
}

// outermost returns the shortest of dirs that path lies in; "" when it is in none.
func outermost(dirs []string, path string) (base string) {
	for _, dir := range dirs {
		if dir != path && within(dir, path) && (base == "" || len(dir) < len(base)) {
			base = dir
		}
	}
	return base
}

// release lets the entries go.
func (r *restorer) release() {
	for _, e := range r.entries {
		e.holders--
	}
	r.entries = nil
}

// restore puts back what was changed, and names it: files below a protected
// directory one by one. An error says what could not be put back; commands that
// need it kept are refused until it can.
func (r *restorer) restore() (changed []string, err error) {
	r.keeper.mu.Lock()
	defer r.keeper.mu.Unlock()
	names := map[string]bool{}
	for range maxPasses { // one may move away what another has put in place
		before := len(names)
		if err = r.pass(names); err != nil || len(names) == before {
			break
		}
	}
	err = errors.Join(err, r.adopt())
	r.release()
	return slices.Sorted(maps.Keys(names)), err
}

// own runs write, after which paths are the original of what is kept.
func (k *keeper) own(paths []string, write func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var mine []*entry
	for _, path := range paths {
		real, _ := resolve(path)
		for _, e := range k.entries {
			if e.holders > 0 && (within(real, e.path) || within(e.path, real)) {
				mine = append(mine, e)
			}
		}
	}
	var g glance
	defer g.end()
	for _, e := range mine {
		if e.unchanged(&g) {
			continue
		}
		if err := e.putBack(func(string) {}); err != nil {
			return fmt.Errorf("put back %s before it is written: %w", e.path, err)
		}
	}
	err := write()
	for _, e := range mine {
		if failed := e.learn(); failed != nil {
			err = errors.Join(err, fmt.Errorf("keep %s: %w", e.path, failed))
		}
	}
	return err
}

// pass puts every entry back and adds what it was to names.
func (r *restorer) pass(names map[string]bool) (err error) {
	var g glance
	defer g.end()
	for _, e := range r.entries {
		if e.unchanged(&g) {
			continue
		}
		g.end() // what leads to the next one may become another
		e.owed = false
		if failed := e.putBack(func(path string) { names[path] = true }); failed != nil {
			e.owed = true
			err = errors.Join(err, fmt.Errorf("put back %s: %w", e.path, failed))
		}
	}
	return err
}

// adopt makes what others keep and this command was free to change the original.
func (r *restorer) adopt() (err error) {
	var g glance
	defer g.end()
	for _, e := range r.keeper.entries {
		if e.holders == 0 || slices.Contains(r.entries, e) || outermost(r.writable, e.path) == "" || e.unchanged(&g) {
			continue
		}
		if failed := e.learn(); failed != nil {
			err = errors.Join(err, fmt.Errorf("keep %s: %w", e.path, failed))
		}
	}
	return err
}
