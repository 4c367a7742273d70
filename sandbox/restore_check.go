//go:build linux || darwin

package sandbox

import (
	"errors"
	"fmt"
)

// check puts back what the running commands have changed. by is the command that
// starts or ends, or nobody in particular: what others did is told to it, and when
// another alone can have done it, to that one too. What a running command was let
// change is left to it. The errors say what could not be put back.
func (k *keeper) check(by *restorer) (failed map[*entry]error) {
	for range maxPasses { // one may move away what another has put in place
		var found int
		if found, failed = k.pass(by); found == 0 || len(failed) > 0 {
			break
		}
	}
	return failed
}

// pass looks at every entry once and counts the paths that were put back.
func (k *keeper) pass(by *restorer) (found int, failed map[*entry]error) {
	var g glance
	defer g.end()
	for _, e := range k.live {
		if e.unchanged(&g) || k.let(e) {
			continue
		}
		g.end() // what leads to the next one may become another
		e.owed = false
		seen := map[string]bool{}
		err := e.putBack(func(path string) { seen[path] = true })
		for path := range seen {
			if k.blame(e, path, by) {
				found++
			}
		}
		if err != nil {
			e.owed = true
			if failed == nil {
				failed = map[*entry]error{}
			}
			failed[e] = fmt.Errorf("put back %s: %w", e.path, err)
		}
	}
	return found, failed
}

// let tells whether a running command may change e.
func (k *keeper) let(e *entry) bool {
	for r := range k.running {
		if r.free(e.path) {
			return true
		}
	}
	return false
}

// blame notes a change of e with the commands that can have made it. It tells whether
// that is news.
func (k *keeper) blame(e *entry, path string, by *restorer) (news bool) {
	var writers []*restorer
	mine := false
	for r := range k.running {
		if r.reaches(e.path) {
			writers = append(writers, r)
			mine = mine || r == by
		}
	}
	note := func(set map[string]bool) {
		news = news || !set[path]
		set[path] = true
	}
	switch {
	case len(writers) == 1:
		note(writers[0].own)
	case mine:
		note(by.unclear)
	}
	if by != nil && !mine {
		note(by.others)
	}
	return news
}

// own runs write, after which paths are the original of what is kept.
func (k *keeper) own(paths []string, write func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var mine []*entry
	for _, path := range paths {
		real, _ := resolve(path)
		for _, e := range k.live {
			if within(real, e.path) || within(e.path, real) {
				mine = append(mine, e)
			}
		}
	}
	var g glance
	defer g.end()
	for _, e := range mine {
		if e.unchanged(&g) || k.let(e) {
			continue
		}
		if err := e.putBack(func(path string) { k.blame(e, path, nil) }); err != nil {
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
