// Package mention finds the references in what a person typed (@main.go,
// @"a name with spaces", @main.go#L10-20, @dir/, @server:uri) and makes of each the
// block of text that the model reads before it. What is on disk, or a server that
// is connected, tells a reference from an address or a name: anything else stays
// text, and what has the shape of a reference is named. It also completes the one
// being typed, a directory at a time.
//
// A reference passes no permission gate, because a person wrote it; for the same
// reason only typed text may be given to Expand, never the output of a tool, a server
// or another program. Files are read through the workspace, which refuses what is
// hidden. All that is added is bounded, and what was cut or could not be read is said:
// a reference never keeps a turn from starting. The composition root calls it for
// every front end.
package mention

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"reasonix/core/workspace"
)

// Limits of what references add to one message, in bytes and numbers.
const (
	MaxFile      = 64 << 10  // of one reference
	MaxAll       = 256 << 10 // of all together
	MaxImage     = 5 << 20   // of one image
	MaxImages    = 10
	MaxRefs      = 50  // references that are followed
	MaxEntries   = 100 // of a directory
	MaxDepth     = 16  // directories below the one that is listed
	maxStarts    = 500 // places in a text that are looked at
	maxLoad      = 16 << 20
	maxCandidate = 16 // ends that are tried for one reference
)

// Resource is something that a server offers to be read.
type Resource struct {
	Server, URI, Name string
	Open              string // URI is the beginning of many addresses, and this shows how they go on; empty: it is one
}

// Resources are those of the servers that are connected. It is used by several
// goroutines at once.
type Resources interface {
	// Servers are the names that may stand before the colon.
	Servers() []string
	// Read returns the text of a resource.
	Read(ctx context.Context, server, uri string) (string, error)
	// Lost says why a server that is known, and not among Servers, cannot be asked.
	Lost(server string) (why string, known bool)
	// List returns what is known of the resources now. It does not wait.
	List() []Resource
	// Continue asks a server how an address that is none of List, and begins so, may go
	// on. It does not wait for long.
	Continue(ctx context.Context, server, uri string) []Resource
}

// Options say where references lead. Files is needed.
type Options struct {
	Files     *workspace.FS
	Resources Resources // nil: there are none
	Home      string    // the user's home directory, for ~/ and git's own ignore rules; empty: none
	XDG       string    // $XDG_CONFIG_HOME; may be empty
	Images    bool      // the model looks at images
}

// Kinds of a Source.
const (
	KindFile     = "file"
	KindDir      = "dir"
	KindImage    = "image"
	KindResource = "resource"
	KindTemplate = "template" // of resources: only in a Completion
)

// Source is one reference that was followed.
type Source struct {
	Kind  string
	Ref   string // as shown: the path from the workspace with its lines, or server:uri
	Bytes int    // of the block, or of the image
}

// Image is a picture that was referred to, for the caller to attach.
type Image struct {
	Name, Path string // of the file; Path is absolute
	MIME       string // image/png, image/jpeg, image/webp, image/gif
	Data       []byte
}

// Expanded is what the references of a text come to.
type Expanded struct {
	Blocks  string // empty without references
	Sources []Source
	Images  []Image
	Notices []string // what could not be done, for a person
}

// Before is typed with the blocks before it: what the model reads.
func (e Expanded) Before(typed string) string {
	if e.Blocks == "" {
		return typed
	}
	return "Referenced context:\n\n" + e.Blocks + "\n\n" + typed
}

// Expand follows the references in typed, each once, in their order. It waits for
// servers and disks and is not for an event loop; the end of ctx leaves out what is
// not done yet.
func Expand(ctx context.Context, o Options, typed string) Expanded {
	x := expansion{o: o, done: map[string]bool{}, room: MaxAll}
	refs := x.find(typed)
	answers := x.ask(ctx, refs)
	for _, r := range refs {
		if err := ctx.Err(); err != nil {
			x.notice("not all references were read: %v", context.Cause(ctx))
			break
		}
		x.follow(ctx, r, answers)
	}
	x.out.Blocks = strings.Join(x.blocks, "\n\n")
	return x.out
}

// ref is a reference that leads somewhere.
type ref struct {
	shown string // as a person reads it

	path string // absolute, links resolved
	dir  bool
	span lines

	server, uri string
}

// name is r in a notice.
func (r ref) name() string { return "@" + workspace.Quote(r.shown) }

// lines are the lines of a file that are meant, from 1, both of them included; all
// unless some.
type lines struct {
	some        bool
	first, last int
}

func (l lines) String() string {
	switch {
	case !l.some:
		return ""
	case l.first == l.last:
		return fmt.Sprintf("#L%d", l.first)
	}
	return fmt.Sprintf("#L%d-%d", l.first, l.last)
}

// expansion is one Expand.
type expansion struct {
	o       Options
	done    map[string]bool // by shown
	room    int             // bytes left
	blocks  []string
	missing []string // what looks like a reference and leads nowhere
	out     Expanded
}

func (x *expansion) notice(format string, args ...any) {
	x.out.Notices = append(x.out.Notices, fmt.Sprintf(format, args...))
}

// find is the references in typed, each once, and no more than MaxRefs.
func (x *expansion) find(typed string) []ref {
	var refs []ref
	for i, t := range tokens(typed) {
		if i == maxStarts {
			x.notice("only the first %d places with an @ were looked at", maxStarts)
			break
		}
		r, ok := x.resolve(t)
		if !ok {
			x.miss(t)
		}
		if !ok || x.done[r.shown] {
			continue
		}
		if len(refs) == MaxRefs {
			x.notice("only the first %d references were followed", MaxRefs)
			break
		}
		x.done[r.shown] = true
		refs = append(refs, r)
	}
	x.tellMissing()
	return refs
}

func (x *expansion) follow(ctx context.Context, r ref, answers map[string]answer) {
	var err error
	switch {
	case r.server != "":
		err = x.resource(r, answers[r.shown])
	case r.dir:
		err = x.directory(ctx, r)
	default:
		err = x.file(ctx, r)
	}
	var refused *workspace.PathError
	switch {
	case errors.As(err, &refused):
		x.notice("%s was not read: %s", r.name(), refused.Reason)
	case err != nil:
		x.notice("%s was not read: %v", r.name(), err)
	}
}

// add keeps a block.
func (x *expansion) add(kind string, r ref, block string) {
	x.blocks = append(x.blocks, block)
	x.out.Sources = append(x.out.Sources, Source{Kind: kind, Ref: r.shown, Bytes: len(block)})
}

// errFull says that there is no room left.
var errFull = fmt.Errorf("the references of one message add %d KB at most", MaxAll>>10)
