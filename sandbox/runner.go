package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are what New chooses a way of confinement by.
type Options struct {
	// Ways to choose from, in order; nil is those of the system: bwrap, then
	// landlock on Linux, seatbelt on macOS, off on Windows.
	Ways []string
	// Needs are guarantees without which a way is passed over. WayOff is never
	// passed over: it is chosen where Ways name it, or on Windows.
	Needs []Guarantee
	// Path is a search path as in the variable PATH; bwrap is looked for in it.
	Path string
	// Home is a directory of ours, which changes by itself: of a protected path around
	// it, it is no part. Files that were put back are copied into "put-back" below it, for
	// a person may have changed them and not a command: the last 200 stay, each named by
	// its time and path. Empty is none, and copies nothing.
	Home string
}

// New returns a Runner that confines commands by the first way that works and
// holds what is needed. It chooses at the first call that depends on it; nothing
// is started before. The binary must call Helper first thing in main.
func New(o Options) Runner { return &confined{off: newOff(), options: o} }

// Own runs write, which changes protected paths because a person let it, while
// commands of r may be running: what it leaves is what they are brought back to, not
// what was there when they started. What they had changed is put back before. write
// does not use r.
func Own(r Runner, paths []string, write func() error) error {
	if o, ok := r.(interface {
		Own(paths []string, write func() error) error
	}); ok {
		return o.Own(paths, write)
	}
	return write()
}

// Check puts back what running commands of r have changed of what they are not to, and
// names the paths, sorted. That is done whenever a command starts or ends; who has
// some that live long, such as servers, calls it in between. It costs a look at each
// path. The command that changed them is not known, unless it is the only one.
func Check(r Runner) []string {
	if c, ok := r.(interface{ Check() []string }); ok {
		return c.Check()
	}
	return nil
}

// Warm starts what r needs for commands that are held as cmd is, so that the first
// does not wait for it. It takes some milliseconds. What fails is for Run to tell.
func Warm(r Runner, cmd Cmd) {
	if w, ok := r.(interface{ Warm(cmd Cmd) error }); ok {
		_ = w.Warm(cmd)
	}
}

// confined runs commands held by a way, or a single one without.
type confined struct {
	*off
	keeper  keeper
	ledger  ledger
	home    sync.Once // tells it to the keeper
	options Options
	mu      sync.Mutex
	way     *way // chosen; nil until one has worked
	failed  *UnavailableError
	at      time.Time // of failed
}

// Way is "" when no way of confinement can be had.
func (r *confined) Way() string {
	w := r.chosen()
	if w == nil {
		return ""
	}
	return w.name
}

// Holds is empty when no way of confinement can be had.
func (r *confined) Holds() []Guarantee {
	w := r.chosen()
	if w == nil {
		return nil
	}
	return w.holds()
}

func (r *confined) Run(ctx context.Context, cmd Cmd) (Exit, error) {
	exit, err := r.run(ctx, cmd)
	exit.Dropped = r.ledger.left()
	return exit, err
}

func (r *confined) run(ctx context.Context, cmd Cmd) (Exit, error) {
	if cmd.Unconfined {
		everywhere := func([]string) (writable, changeable []string) { return []string{"/"}, nil }
		all := Cmd{Released: []string{"/"}}
		return r.kept(all, everywhere, func() (Exit, error) { return r.off.Run(ctx, cmd) })
	}
	var hung []Attempt
	w, proven := r.candidate()
	if w != nil {
		exit, err := r.confine(ctx, w, cmd)
		if !errors.As(err, new(unstarted)) {
			r.settle(w)
			return exit, err
		}
		if proven {
			return exit, err
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			hung = append(hung, Attempt{Way: w.name, Why: fmt.Sprint("it does not answer: ", err)})
		}
	}
	// What failed may be the way or this confinement.
	w, err := r.choose(hung...)
	if err != nil {
		return Exit{}, err
	}
	return r.confine(ctx, w, cmd)
}

// An unstarted is the error of a command that was not tried: nothing could run it.
type unstarted struct{ error }

func (e unstarted) Unwrap() error { return e.error }

// candidate returns the way that is chosen, or else the first that may be when to
// start a command tells as much as to probe first, and sooner.
func (r *confined) candidate() (w *way, proven bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.way != nil {
		return r.way, true
	}
	for _, w := range waysOf(r.options) {
		if len(w.lacks(r.options.Needs)) > 0 && w.name != WayOff {
			continue
		}
		if w.eager {
			return w, false
		}
		break
	}
	return nil, false
}

func (r *confined) settle(w *way) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.way == nil {
		r.way = w
	}
}

func (r *confined) works(w *way) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.way != nil && r.way.name == w.name
}

// failureTime is how long a failure is remembered for those who only ask: a probe
// may start processes, and a person may mend the cause meanwhile.
const failureTime = 5 * time.Second

// chosen is the way of this Runner, for who asks; nil when there is none.
func (r *confined) chosen() *way {
	r.mu.Lock()
	recent := r.way == nil && r.failed != nil && time.Since(r.at) < failureTime
	r.mu.Unlock()
	if recent {
		return nil
	}
	w, err := r.choose()
	if err != nil {
		return nil
	}
	return w
}

// choose returns the way of this Runner. Ways that have just been tried are not
// tried again.
func (r *confined) choose(failed ...Attempt) (*way, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.way != nil {
		return r.way, nil
	}
	var tried []Attempt
	for _, w := range waysOf(r.options) {
		if i := slices.IndexFunc(failed, func(a Attempt) bool { return a.Way == w.name }); i >= 0 {
			tried = append(tried, failed[i])
			continue
		}
		a := attempt(w, r.options.Needs)
		if a.Works() {
			r.way = w
			return w, nil
		}
		tried = append(tried, a)
	}
	r.failed, r.at = &UnavailableError{Tried: tried}, time.Now()
	return nil, r.failed
}

// An Attempt is one way of confinement that was tried.
type Attempt struct {
	Way   string
	Holds []Guarantee // what it holds; valid when it works
	Why   string      // why it cannot be used; empty when it can
	Fix   string      // what a person can do about that; may be empty
}

// Works tells whether the way can be used.
func (a Attempt) Works() bool { return a.Why == "" }

// Probe tries all ways that New would choose from and tells how each fared. It
// starts a process for some.
func Probe(o Options) []Attempt {
	var all []Attempt
	for _, w := range waysOf(o) {
		all = append(all, attempt(w, o.Needs))
	}
	return all
}

func attempt(w *way, needs []Guarantee) Attempt {
	a := Attempt{Way: w.name}
	if err := w.probe(); err != nil {
		a.Why = err.Error()
		if d := (*defect)(nil); errors.As(err, &d) {
			a.Fix = d.fix
		}
		return a
	}
	a.Holds = w.holds()
	if missing := w.lacks(needs); len(missing) > 0 && w.name != WayOff {
		a.Why = fmt.Sprintf("it works, but cannot hold what the configuration needs: %s", words(missing))
	}
	return a
}

func words(list []Guarantee) string {
	texts := make([]string, len(list))
	for i, g := range list {
		texts[i] = string(g)
	}
	return strings.Join(texts, ", ")
}

// UnavailableError is returned by Run when no way of confinement can be had. The
// command did not run.
type UnavailableError struct{ Tried []Attempt }

// Error names each way that was tried, why it failed and what to do.
func (e *UnavailableError) Error() string {
	var b strings.Builder
	b.WriteString("no sandbox for commands on this machine")
	for _, a := range e.Tried {
		fmt.Fprintf(&b, "\n  %s: %s", a.Way, a.Why)
		if a.Fix != "" {
			fmt.Fprintf(&b, "\n    %s", a.Fix)
		}
	}
	b.WriteString("\n  `[sandbox] bash = \"off\"` runs commands unconfined; file tools stay confined")
	return b.String()
}

// unknownWay is a way that this system does not have.
func unknownWay(name string) *way {
	return &way{
		name:  name,
		probe: func() error { return errors.New("this system does not have it") },
		holds: func() []Guarantee { return nil },
	}
}

// offWay is a way only by name: nothing is held.
func offWay() *way {
	return &way{
		name:  WayOff,
		probe: func() error { return nil },
		holds: func() []Guarantee { return nil },
		eager: true,
	}
}
