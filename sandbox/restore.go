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
// puts back, when any command of a Runner starts or ends and whenever it is asked to
// in between. What a path was when no command ran that may write it is its original,
// for as long as one does; what a command makes of it meanwhile never becomes that,
// apart from one that was let. The zero value is ready; it is safe for concurrent use.
//
// What it costs is that the writer of a change is known only when a single command
// can have been it. A change that others make while a command runs, a person in an
// editor, is put back too, and what it was goes to the attic; one of our own goes
// through own. And when we are killed between a change and the next look, the change
// stays: what is there at the next command's start is the original then.
// Repositories inside the workspace are kept only where a path of them is named.
type keeper struct {
	mu      sync.Mutex
	entries map[string]*entry
	live    []*entry           // of entries, those that a running command could change
	running map[*restorer]bool // the commands
	real    map[string]string  // paths outside Writable, without links
	attic   attic
	home    string // that is ours, without links
}

// A restorer is one command.
type restorer struct {
	keeper   *keeper
	writable []string
	guarded  map[string]bool // what it is not to change, held or kept
	released []string        // what a person let it change
	entries  []*entry        // what of that it can change and is kept
	// What was put back while it ran: what it changed, what it or another did, and,
	// when it started or ended, what others did.
	own, unclear, others map[string]bool
}

// maxHops bounds how many links a protected path may lead over.
const maxHops = 40

// begin puts back what running commands have changed, before another starts.
func (k *keeper) begin() *restorer {
	r := &restorer{keeper: k, own: map[string]bool{}, unclear: map[string]bool{}, others: map[string]bool{}}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check(r) // what cannot be put back refuses the command in keep, if it is held to it
	return r
}

// unkept returns those of protected paths that no running command can change, unless
// a person let it: what is there is no other's work and stays what it is, so that it
// can be held as it is.
func (r *restorer) unkept(protected []string) []string {
	r.keeper.mu.Lock()
	defer r.keeper.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(protected), func(path string) bool {
		for other := range r.keeper.running {
			if _, at := r.keeper.place(other.writable, path); other.changes(at) {
				return true
			}
		}
		return false
	})
}

// keep notes what protected paths inside writable are at present, there or not,
// before the command that may write there; of those only what is in changeable it can
// change. A path is as its user names it: links on its way are kept too, and what
// they lead to. After an error the command must not run: something cannot be kept.
// Otherwise restore is called once after it.
//
// A command that was let write a path must be kept as well, with that path released:
// what it leaves is the original for the commands that run beside it.
func (r *restorer) keep(writable, protected, changeable, released []string) error {
	k := r.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	r.writable, r.guarded = writable, map[string]bool{}
	for _, path := range released {
		real, _ := resolve(path)
		r.released = append(r.released, path, real)
	}
	var g glance
	defer g.end()
	for _, path := range protected {
		for _, named := range withGitFiles(path) {
			_, at := k.place(writable, named)
			r.guarded[at] = true
		}
	}
	for _, path := range changeable {
		for _, named := range withGitFiles(path) {
			if err := r.hold(named, &g); err != nil {
				r.release()
				return err
			}
		}
	}
	if k.running == nil {
		k.running = map[*restorer]bool{}
	}
	k.running[r] = true
	return nil
}

// hold adds the entry of path, and those that its links lead to.
func (r *restorer) hold(path string, g *glance) error {
	for range maxHops {
		e := r.keeper.entry(r.writable, path)
		if e == nil || slices.Contains(r.entries, e) {
			return nil
		}
		if e.path == r.keeper.home {
			return nil // what of it is protected is named
		}
		e.leave(r.keeper.home)
		for _, dir := range r.writable {
			e.leave(dir)
		}
		if e.holders == 0 || e.owed {
			if err := e.settle(g); err != nil {
				return fmt.Errorf("keep %s: %w", e.path, err)
			}
		}
		if e.holders++; e.holders == 1 {
			r.keeper.live = append(r.keeper.live, e)
		}
		r.entries = append(r.entries, e)
		if path = e.leadsTo; path == "" {
			return nil
		}
	}
	return fmt.Errorf("keep %s: too many links", path)
}

// entry returns the entry of path; nil when it is in no writable directory.
func (k *keeper) entry(writable []string, path string) *entry {
	base, path := k.place(writable, path)
	if base == "" {
		return nil
	}
	e := k.entries[path]
	if e == nil || e.holders == 0 && e.base != base {
		e = newEntry(base, path)
		e.attic = &k.attic
		if k.entries == nil {
			k.entries = map[string]*entry{}
		}
		k.entries[path] = e
	}
	return e
}

// place returns the writable directory that path is in, and path as seen from there;
// "" when it is in none.
func (k *keeper) place(writable []string, path string) (base, at string) {
	if base = outermost(writable, path); base != "" {
		return base, path
	}
	real, known := k.real[path]
	if !known {
		real, _ = resolve(path)
		if k.real == nil {
			k.real = map[string]string{}
		}
		k.real[path] = real
	}
	return outermost(writable, real), real
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
	r.keeper.live = slices.DeleteFunc(r.keeper.live, func(e *entry) bool { return e.holders == 0 })
	delete(r.keeper.running, r)
}

// restore puts back what was changed, and notes it: files below a protected
// directory one by one. An error says what of the command's could not be put back;
// commands that need it kept are refused until it can.
func (r *restorer) restore() error {
	k := r.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	failed := k.check(r)
	var err error
	for _, e := range r.entries {
		err = errors.Join(err, failed[e])
	}
	delete(k.running, r)
	err = errors.Join(err, r.adopt())
	r.release()
	return err
}

// tell adds what was put back to how a command ended.
func (r *restorer) tell(exit *Exit) {
	exit.Restored, exit.Unclear, exit.Others = sortedPaths(r.own), sortedPaths(r.unclear), sortedPaths(r.others)
}

func sortedPaths(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// adopt makes what others keep and this command was free to change the original.
func (r *restorer) adopt() (err error) {
	var g glance
	defer g.end()
	for _, e := range r.keeper.live {
		if !r.free(e.path) || e.unchanged(&g) {
			continue
		}
		if failed := e.learn(); failed != nil {
			err = errors.Join(err, fmt.Errorf("keep %s: %w", e.path, failed))
		}
	}
	return err
}

// reaches tells whether the command has the right to write where path is.
func (r *restorer) reaches(path string) bool { return outermost(r.writable, path) != "" }

// free tells whether a person let the command change path.
func (r *restorer) free(path string) bool {
	return r.reaches(path) && slices.ContainsFunc(r.released, func(dir string) bool { return within(dir, path) || within(path, dir) })
}

// changes tells whether the command can change path although nobody let it.
func (r *restorer) changes(path string) bool {
	return r.reaches(path) && !r.free(path) &&
		(!r.guarded[path] || slices.ContainsFunc(r.entries, func(e *entry) bool { return e.path == path }))
}

// open tells the keeper of a directory that is ours, before the first command.
func (k *keeper) open(home string) {
	if home == "" {
		return
	}
	k.home, _ = resolve(home)
	k.attic.open(k.home)
}

// close lets the attic go. Commands that still end keep nothing there.
func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.attic.close()
}

// look puts back what running commands have changed, and names it.
func (k *keeper) look() []string {
	r := k.begin()
	return sortedPaths(r.others)
}
