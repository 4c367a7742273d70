package permission

import (
	"path"
	"slices"
)

// dirs are the directories a shell may be in. A cd that may fail leaves two; a cd
// to a place made at run time leaves none that is known, but those that the
// assignments of the script make likely.
type dirs struct {
	names   []string // absolute, the likeliest first; never changed in place
	unknown bool
	dead    bool // no command gets here
}

// maxDirs is how many directories are told apart; more are unknown.
const maxDirs = 4

// first is the likeliest directory, "" when it is not known.
func (d dirs) first() string {
	if d.unknown || len(d.names) == 0 {
		return ""
	}
	return d.names[0]
}

// or returns the directories of d and of e.
func (d dirs) or(e dirs) dirs {
	switch {
	case d.dead:
		return e
	case e.dead:
		return d
	}
	all := d.names
	for _, name := range e.names {
		if !slices.Contains(all, name) {
			all = append(slices.Clip(all), name)
		}
	}
	if len(all) > maxDirs {
		return dirs{names: all[:maxDirs:maxDirs], unknown: true}
	}
	return dirs{names: all, unknown: d.unknown || e.unknown}
}

// enter returns where a cd to name leads.
func (d dirs) enter(name string) dirs {
	if isAbs(name) {
		return dirs{names: []string{path.Clean(name)}}
	}
	to := dirs{unknown: d.unknown}
	for _, dir := range d.names {
		to = to.or(dirs{names: []string{path.Join(dir, name)}, unknown: d.unknown})
	}
	return to
}

// outcome is where a command leaves the shell: after success and after failure.
type outcome struct{ ok, fail dirs }

// stays is the outcome of what changes no directory.
func stays(d dirs) outcome { return outcome{ok: d, fail: d} }

// gone is the outcome of what ends the shell.
func gone() outcome { return outcome{ok: dirs{dead: true}, fail: dirs{dead: true}} }

func (o outcome) either() dirs { return o.ok.or(o.fail) }

// or is the outcome of one of two commands.
func (o outcome) or(e outcome) outcome {
	return outcome{ok: o.ok.or(e.ok), fail: o.fail.or(e.fail)}
}
