package checkpoint

import (
	"fmt"
	"io/fs"
	"strconv"
)

// State is what is at a path. The zero State is nothing.
type State struct {
	// Mode is the kind and the permissions in octal, as git writes them: 100644 a file,
	// 120000 a link, 040755 a directory; empty: nothing is there.
	Mode string
	// Hash is the SHA-256 of a file's content or of a link's target, in hex; empty for
	// a directory, and for what was not read.
	Hash string
}

// The kinds of a mode.
const (
	kindFile = "100"
	kindLink = "120"
	kindDir  = "040"
)

func (s State) kind() string {
	if len(s.Mode) < 3 {
		return ""
	}
	return s.Mode[:2] + "0" // then come the bits for set-user-ID, set-group-ID and sticky
}

// perm is the permissions with the bits beside them.
func (s State) perm() fs.FileMode {
	if len(s.Mode) != 6 {
		return 0
	}
	bits, err := strconv.ParseUint(s.Mode[2:], 8, 32)
	if err != nil {
		return 0
	}
	mode := fs.FileMode(bits) & fs.ModePerm
	for _, b := range special {
		if bits&b.unix != 0 {
			mode |= b.mode
		}
	}
	return mode
}

var special = [...]struct {
	unix uint64
	mode fs.FileMode
}{{0o4000, fs.ModeSetuid}, {0o2000, fs.ModeSetgid}, {0o1000, fs.ModeSticky}}

// modeOf is State.Mode; false for pipes, sockets and devices, which are left alone.
func modeOf(m fs.FileMode) (string, bool) {
	bits := uint64(m.Perm())
	for _, b := range special {
		if m&b.mode != 0 {
			bits |= b.unix
		}
	}
	switch m.Type() {
	case 0:
		return fmt.Sprintf("10%04o", bits), true
	case fs.ModeSymlink:
		return kindLink + "000", true
	case fs.ModeDir:
		return fmt.Sprintf("04%04o", bits), true
	}
	return "", false
}

// known reports whether a state can be compared and put back.
func (s State) known() bool { return s.Mode == "" || s.kind() == kindDir || s.Hash != "" }

// Change is what a call did to one path.
type Change struct {
	Path          string // absolute
	Before, After State
	Seen          bool // it was found by looking: while the call ran, whoever did it
	// Lost says why Before cannot be put back, or After is not to be removed; empty: it
	// can.
	Lost string
}
