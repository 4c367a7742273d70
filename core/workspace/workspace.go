// Package workspace is the only way from a tool to the disk: which directories
// may be written, which paths are hidden or protected, what the model has seen of
// each file (read hashes), and an editor's unsaved buffers. It refuses paths that
// leave its roots, through links too, and it refuses to replace a file that is no
// longer the one that was read. File, search and shell tools call it.
//
// Places is the table of the paths that mean something; Roots is what FS takes of
// it, Confined what a sandbox does. Reading is allowed everywhere but below
// Roots.Hide less Roots.Bare; writing only below Roots.Dir and Roots.Write, and to
// Roots.Protect and Names only for a call that a person let (Releasing).
//
// A path is resolved first (ReadPath, WritePath) and the answer is what every other
// method takes; each of them judges it again. On Linux and macOS nothing is then
// opened with a link on its way, and on no system does a write follow one, so a
// directory swapped for a link after the check leads nowhere; on Windows a read
// below a writable root cannot leave it. What another process moves, whole
// directories say, while a call works is not held against.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// Roots are the directories of a session. All are absolute.
type Roots struct {
	Dir   string   // the workspace; relative paths start here
	Write []string // further writable directories
	Hide  []string // neither readable nor writable, with all below
	Bare  []string // readable although below Hide
	// Protect are written only when a person let a call do so (Releasing), with all
	// below; also outside the writable roots.
	Protect []string
	// Names are slash-separated relative paths that are protected wherever they
	// stand below a writable root.
	Names []string
	// Shut no answer of a person makes writable (AddWritable), with all below.
	Shut []string
	// Before is told of every path just before Replace or Move changes what is there;
	// may be nil. It must not call the FS.
	Before func(abs string)
}

// Overlay is an editor's view of unsaved files. A method that returns
// errors.ErrUnsupported leaves that file to the disk.
type Overlay interface {
	ReadFile(ctx context.Context, path string) ([]byte, error)
	WriteFile(ctx context.Context, path string, data []byte) error
}

// FS is the disk as one session's tools see it. It is safe for concurrent use.
type FS struct {
	*disk
	released pathSet // protected paths this view may write
}

// disk is what all views of a session share.
type disk struct {
	dir     string   // links resolved
	given   string   // Roots.Dir cleaned, as the user wrote it
	hidden  []string // hidden roots, both as given and with links resolved
	hide    pathSet  // of hidden
	bare    pathSet  // exceptions from hide, likewise
	protect pathSet  // likewise
	shut    pathSet  // likewise, with the system's directories
	shown   []string // the paths of bare
	shield  []string // those of protect
	names   []protectedName
	over    Overlay
	before  func(abs string)
	write   atomic.Pointer[[]string] // writable roots, links resolved, dir first

	replacing sync.Mutex    // one check-and-rename at a time
	buffers   atomic.Uint64 // how often an editor's were written

	own func(paths []string, write func() error) error // nil is to write

	mu   sync.Mutex
	seen map[string]Sight
	// fresh are the paths whose sight changed since Fresh was called.
	fresh map[string]bool
	text  *memory
	// nestedIn are the protected names found below the roots nestedOf.
	nestedIn []string
	nestedOf *[]string
}

// Open checks the roots and resolves their links. Dir must be a directory;
// roots of Write and Hide need not exist yet. over may be nil. Nothing is held
// open between calls.
func Open(r Roots, over Overlay) (*FS, error) {
	for _, p := range slices.Concat([]string{r.Dir}, r.Write, r.Hide, r.Bare, r.Protect, r.Shut) {
		if !filepath.IsAbs(p) {
			return nil, fmt.Errorf("open workspace: root %q is not absolute", p)
		}
	}
	f := &FS{disk: &disk{given: filepath.Clean(r.Dir), over: over, before: r.Before, seen: map[string]Sight{}, text: newMemory()}}
	var err error
	if f.dir, err = filepath.EvalSymlinks(r.Dir); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", r.Dir, err)
	}
	info, err := os.Stat(f.dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", r.Dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open workspace %s: %w", r.Dir, errors.New("not a directory"))
	}
	write := []string{f.dir}
	for _, p := range r.Write {
		real, err := resolve(p)
		if err != nil {
			return nil, fmt.Errorf("open workspace: writable root %s: %w", p, err)
		}
		if !slices.Contains(write, real) {
			write = append(write, real)
		}
	}
	f.write.Store(&write)
	f.hidden, f.shown, f.shield = bothNames(r.Hide), bothNames(r.Bare), bothNames(r.Protect)
	f.hide, f.bare, f.protect = newPathSet(f.hidden), newPathSet(f.shown), newPathSet(f.shield)
	f.shut = newPathSet(bothNames(slices.Concat(r.Shut, systemDirs())))
	f.names = newNames(r.Names)
	return f, nil
}

// Releasing is f for one call that a person let write these protected paths, each
// with all below. It shares everything else with f.
func (f *FS) Releasing(paths []string) *FS {
	if len(paths) == 0 {
		return f
	}
	return &FS{disk: f.disk, released: newPathSet(bothNames(paths))}
}

// Owning makes own run every write that a person let a call do, so that whoever
// guards protected paths meanwhile knows it. It is called before the first.
func (f *FS) Owning(own func(paths []string, write func() error) error) { f.own = own }

// asOwn writes, through own when a path of it was released.
func (f *FS) asOwn(write func() error, paths ...string) error {
	if f.own == nil || !slices.ContainsFunc(paths, f.released.contains) {
		return write()
	}
	return f.own(paths, write)
}

// Dir is the workspace, absolute, links resolved.
func (f *FS) Dir() string { return f.dir }

// HiddenRoots lists what must be neither read nor written, as configured and
// with links resolved.
func (f *FS) HiddenRoots() []string { return slices.Clone(f.hidden) }

// Close forgets what was read. It is idempotent.
func (f *FS) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen, f.text = map[string]Sight{}, newMemory()
	return nil
}
