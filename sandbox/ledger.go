package sandbox

import (
	"path/filepath"
	"slices"
	"sync"
)

// A ledger keeps for one Runner where the places of its commands really are. A
// command can put a link in the place of a directory that lies in another one it may
// write, so what is there later says nothing: a place stays where it was when it was
// first found, and one that is reached over a link that a command could have made is
// not opened at all, whether that was made in this session or an earlier one. All
// ways and all lists go through it. The zero value is ready; it is safe for
// concurrent use.
type ledger struct {
	mu sync.Mutex
	// real are the paths, clean, that have been found, and where.
	real map[string]string
	// reach is what commands have been able to write so far, without links.
	reach []string
	// dropped are the writable places that were left out for a link, each once, and
	// news those of them that nobody has been told of.
	dropped map[string]bool
	news    []string
}

// confinement brings what cmd asks for into canonical form. What is not there
// is left out unless missing is set: nothing can be mounted over it. What is not there
// to be protected is always left out: a command may make a repository, and a keeper
// sees to the rest.
func (l *ledger) confinement(cmd Cmd, missing bool) confinement {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := opening{ledger: l, look: resolver{}, missing: missing}
	o.reaching(cmd.Writable)
	for _, list := range []struct {
		class class
		paths []string
	}{{bare, cmd.Bare}, {writable, cmd.Writable}, {protected, cmd.Protected}, {hidden, cmd.Hidden}} {
		for _, path := range list.paths {
			o.add(list.class, filepath.Clean(path))
		}
	}
	c := confinement{Network: cmd.Network}
	for _, p := range reduce(o.all) {
		list := c.list(p.class)
		*list = append(*list, p.path)
		c.identity = append(c.identity, identity(o.look[p.path].info))
	}
	return c
}

// left returns the writable places that were left out since it was asked last.
func (l *ledger) left() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	news := l.news
	l.news = nil
	return news
}

// confinementOf is the confinement of a command that is the first.
func confinementOf(cmd Cmd, missing bool) confinement {
	return new(ledger).confinement(cmd, missing)
}

// An opening is one confinement in the making.
type opening struct {
	*ledger
	look    resolver
	missing bool
	reach   []string // what commands can write, this one too
	all     []place
}

// reaching notes what the command can write.
func (o *opening) reaching(paths []string) {
	o.reach = slices.Clone(o.ledger.reach)
	for _, path := range paths {
		path = filepath.Clean(path)
		real, known := o.real[path]
		if !known {
			real = o.look.at(path).path
		}
		if filepath.IsAbs(real) && !slices.Contains(o.reach, real) {
			o.reach = append(o.reach, real)
		}
	}
}

// add notes the place of class k at path.
func (o *opening) add(k class, path string) {
	at := o.look.at(path)
	real, known := o.real[path]
	switch {
	case !filepath.IsAbs(at.path):
		return
	case k == protected:
		o.put(k, at)
		return
	case k == hidden:
		o.hide(at, real, known)
	case known && o.look.at(real).path != real, !known && o.crosses(at):
		o.drop(k, path)
		return
	case known:
		o.put(k, o.look.at(real))
	default:
		o.put(k, at)
	}
	if !known && at.info != nil {
		o.keep(k, path, at.path)
	}
}

// hide notes a hidden place: where it was found first, and where its path leads now.
// A link of a command is to hide nothing that it works in.
func (o *opening) hide(at found, real string, known bool) {
	moved := known && real != at.path
	if moved {
		if kept := o.look.at(real); kept.path == real {
			o.put(hidden, kept)
		}
	}
	if o.crosses(at) && (moved || slices.ContainsFunc(o.reach, func(dir string) bool { return within(at.path, dir) })) {
		return
	}
	o.put(hidden, at)
}

// crosses tells whether a command could have made a link on the way.
func (o *opening) crosses(at found) bool {
	return slices.ContainsFunc(at.links, func(in string) bool {
		return slices.ContainsFunc(o.reach, func(dir string) bool { return within(dir, in) })
	})
}

func (o *opening) put(k class, at found) {
	if at.info != nil || o.missing && k != protected {
		o.all = append(o.all, place{at.path, k})
	}
}

// keep notes for later commands where a path leads.
func (o *opening) keep(k class, path, real string) {
	if o.real == nil {
		o.real = map[string]string{}
	}
	o.real[path] = real
	if k == writable && !slices.Contains(o.ledger.reach, real) {
		o.ledger.reach = append(o.ledger.reach, real)
	}
}

func (o *opening) drop(k class, path string) {
	if k != writable || o.dropped[path] {
		return
	}
	if o.dropped == nil {
		o.dropped = map[string]bool{}
	}
	o.dropped[path] = true
	o.news = append(o.news, path)
}
