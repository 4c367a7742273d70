// Package walk visits the files below a directory in parallel, leaving out what
// git would leave out.
//
// It knows .gitignore files (nested, negated, above the directory up to the top
// of the repository), .git/info/exclude, core.excludesFile and, once a rule hides
// something, the names in .git/index: a tracked file is visited although a rule
// matches it. It never follows a link below the starting directory, so each file
// is met once and no cycle exists, and it reads no more directories at a time
// than it has workers. Files come in nearly the order of their paths; Limit says
// that nothing after a path is wanted any more. It opens no file but those that
// hold rules. Search tools call it.
package walk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Options say what to walk. Dir must be absolute, clean and no link.
type Options struct {
	Dir     string                // the directory to walk
	Top     string                // outside a repository: where .gitignore files begin to count; Dir or above it, "" is Dir
	Only    string                // a directory relative to Dir, with slashes: nothing outside it is visited; "" for no such limit
	Hidden  bool                  // visit names that begin with a dot; .git never is
	Ignored bool                  // visit what ignore rules leave out
	All     bool                  // visit links and directories too, a directory before what is in it; never Dir itself
	Home    string                // the user's home directory, for git's own configuration; "" for none
	XDG     string                // $XDG_CONFIG_HOME; "" is Home/.config
	Forbid  func(abs string) bool // files and directories never opened; may be nil
	Workers int                   // 0: one for each processor, at least two
	LeftOut func(abs string)      // told what ignore rules leave out, not what is in it, by several goroutines; may be nil
}

// A File is a regular file that was found, or with Options.All anything else.
type File struct {
	Name string
	dir  *node
}

// Rel is the file's path relative to Options.Dir, with forward slashes.
func (f File) Rel() string { return f.dir.rel + f.Name }

// Abs is the file's absolute path.
func (f File) Abs() string { return joinDir(f.dir.abs, f.Name) }

// A Walker walks once. Its methods are safe for concurrent use.
type Walker struct {
	opt   Options
	limit atomic.Pointer[string]
	git   *gitFiles

	mu     sync.Mutex
	wake   sync.Cond
	stack  []*frame // the top frame holds the smallest paths
	active int      // workers that may still push frames
	bad    Skipped
	kernel bool  // Options.Dir is the kernel's, and so what is below may be
	bug    error // the first panic of a worker
}

// Skipped names what could not be read: the first few paths, relative to
// Options.Dir where below it, and how many there were.
type Skipped struct {
	Count int
	First []string
}

const skippedNamed = 5

// Add counts p and keeps its name if it is one of the first.
func (s *Skipped) Add(p string) {
	if s.Count++; len(s.First) < skippedNamed {
		s.First = append(s.First, p)
	}
}

// node is a directory being walked.
type node struct {
	abs      string // native
	slash    string // abs with forward slashes
	rel      string // relative to Options.Dir, ends with a slash; "" for Dir
	rules    *rules
	repo     *repo
	excluded bool // below an ignored directory: only tracked files count
}

// frame is what is left to do in a directory, in path order.
type frame struct {
	dir  *node
	rest []entry
}

// New returns a walker for opt.
func New(opt Options) *Walker {
	if opt.Workers <= 0 {
		opt.Workers = max(2, runtime.GOMAXPROCS(0))
	}
	if opt.Top == "" {
		opt.Top = opt.Dir
	}
	w := &Walker{opt: opt, git: &gitFiles{home: opt.Home, xdg: opt.XDG, forbid: opt.Forbid}}
	w.wake.L = &w.mu
	return w
}

// Workers is how many goroutines Run uses; visit sees numbers below it.
func (w *Walker) Workers() int { return w.opt.Workers }

// Limit says that no file whose Rel sorts after rel is wanted any more. A later
// call may only lower the limit.
func (w *Walker) Limit(rel string) {
	for {
		old := w.limit.Load()
		if old != nil && *old <= rel {
			return
		}
		if w.limit.CompareAndSwap(old, &rel) {
			return
		}
	}
}

// Beyond reports whether rel sorts after the limit.
func (w *Walker) Beyond(rel string) bool {
	l := w.limit.Load()
	return l != nil && rel > *l
}

// Run visits every file and returns when all workers have ended: with nil, or
// with the cause of ctx's end. visit is called from several goroutines, worker
// telling which; it should return soon after ctx ends, and a panic in it is raised
// again in Run's caller. Dir itself is walked even if a rule ignores it, because
// the caller asked for it. An unreadable directory is not an error; see Skipped.
func (w *Walker) Run(ctx context.Context, visit func(worker int, f File)) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	w.kernel = ofKernel(w.opt.Dir)
	w.stack = append(w.stack[:0], &frame{rest: []entry{{kind: kindDir}}})
	var wg sync.WaitGroup
	for i := range w.opt.Workers {
		wg.Go(func() { w.work(run, stop, i, visit) })
	}
	wg.Wait()
	if w.bug != nil {
		panic(w.bug)
	}
	return context.Cause(ctx)
}

// Skipped tells what Run could not read.
func (w *Walker) Skipped() Skipped {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bad
}

// batch is how many neighbouring files a worker takes at a time.
const batch = 8

func (w *Walker) work(ctx context.Context, stop func(), worker int, visit func(int, File)) {
	buf := &listing{}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ctx.Err() == nil {
		dir, todo := w.take()
		if todo == nil {
			if w.active == 0 {
				break
			}
			w.wake.Wait()
			continue
		}
		w.active++
		w.mu.Unlock()
		next, bug := w.guarded(ctx, worker, dir, todo, visit, buf)
		w.mu.Lock()
		if bug != nil {
			w.bug = cmp.Or(w.bug, bug)
			stop()
		}
		w.active--
		if next != nil {
			w.stack = append(w.stack, next)
		}
		if next != nil || w.active == 0 {
			w.wake.Broadcast()
		}
	}
	w.wake.Broadcast()
}

// take removes the next piece of work from the stack: one directory or a few
// files of one directory.
func (w *Walker) take() (*node, []entry) {
	for len(w.stack) > 0 {
		top := w.stack[len(w.stack)-1]
		if len(top.rest) == 0 || top.dir != nil && w.limit.Load() != nil && w.Beyond(top.dir.rel+top.rest[0].name) {
			w.stack = w.stack[:len(w.stack)-1]
			continue
		}
		n := 1
		if top.rest[0].kind == kindFile {
			for n < min(batch, len(top.rest)) && top.rest[n].kind == kindFile {
				n++
			}
		}
		todo := top.rest[:n]
		top.rest = top.rest[n:]
		return top.dir, todo
	}
	return nil, nil
}

// guarded is do, with a panic as an error: one raised in a worker's own goroutine
// would end the program.
func (w *Walker) guarded(ctx context.Context, worker int, dir *node, todo []entry, visit func(int, File), buf *listing) (next *frame, bug error) {
	defer func() {
		if p := recover(); p != nil {
			bug = fmt.Errorf("walk: %v\n%s", p, debug.Stack())
		}
	}()
	return w.do(ctx, worker, dir, todo, visit, buf), nil
}

// do visits files, or reads a directory and returns its frame.
func (w *Walker) do(ctx context.Context, worker int, dir *node, todo []entry, visit func(int, File), buf *listing) *frame {
	if todo[0].kind == kindDir {
		if w.opt.All && dir != nil {
			visit(worker, File{Name: todo[0].name, dir: dir})
		}
		return w.expand(dir, todo[0], buf)
	}
	for _, e := range todo {
		if ctx.Err() != nil || w.limit.Load() != nil && w.Beyond(dir.rel+e.name) {
			return nil
		}
		visit(worker, File{Name: e.name, dir: dir})
	}
	return nil
}

func (w *Walker) expand(parent *node, e entry, buf *listing) *frame {
	var n *node
	if parent == nil {
		n = w.start()
	} else {
		n = &node{
			abs: joinDir(parent.abs, e.name), slash: path.Join(parent.slash, e.name), rel: parent.rel + e.name + "/",
			rules: parent.rules, repo: parent.repo, excluded: e.excluded,
		}
	}
	entries, err := buf.read(n.abs, w.kernel)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.mu.Lock()
		w.bad.Add(cmp.Or(n.rel, "."))
		w.mu.Unlock()
	}
	entries = w.filter(n, entries)
	if len(entries) == 0 {
		return nil
	}
	sortEntries(entries)
	return &frame{dir: n, rest: entries}
}

func (w *Walker) start() *node {
	n := &node{abs: w.opt.Dir, slash: filepath.ToSlash(w.opt.Dir)}
	if !w.opt.Ignored {
		n.repo, n.rules = w.git.above(w.opt.Dir, w.opt.Top)
	}
	return n
}

// pseudo are directories of the root that only look like files. They are walked
// when the walk starts inside. Where else the same file systems are mounted,
// listing finds out.
var pseudo = []string{"proc", "sys", "dev"}

// filter drops, in place, the entries that are not to be visited.
func (w *Walker) filter(n *node, entries []entry) []entry {
	if !w.opt.Ignored {
		w.git.enter(n, entries)
	}
	kept := entries[:0]
	scratch := append([]byte(n.slash), '/')
	if n.slash == "/" {
		scratch = scratch[:1]
	}
	base := len(scratch)
	for _, e := range entries {
		if e.kind != kindFile && e.kind != kindDir && !(e.kind == kindLink && w.opt.All) || e.name == ".git" || !w.opt.Hidden && e.name[0] == '.' {
			continue
		}
		if w.opt.Only != "" && !w.leads(n, e) {
			continue
		}
		scratch = append(scratch[:base], e.name...)
		left := !w.opt.Ignored && n.leaveOut(&e, scratch, base)
		if left && w.opt.LeftOut == nil || !w.allowed(n, e) {
			continue
		}
		if left {
			w.opt.LeftOut(joinDir(n.abs, e.name))
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// leads reports whether e, an entry of n, is below Options.Only or on the way to
// it. A walk meets no other directories.
func (w *Walker) leads(n *node, e entry) bool {
	if len(n.rel) > len(w.opt.Only) {
		return true
	}
	next, _, _ := strings.Cut(w.opt.Only[len(n.rel):], "/")
	return e.kind == kindDir && e.name == next
}

func (w *Walker) allowed(n *node, e entry) bool {
	if n.slash == "/" && e.kind == kindDir && runtime.GOOS != "windows" && slices.Contains(pseudo, e.name) {
		w.mu.Lock()
		w.bad.Add("/" + e.name)
		w.mu.Unlock()
		return false
	}
	return w.opt.Forbid == nil || !w.opt.Forbid(joinDir(n.abs, e.name))
}

// joinDir is filepath.Join for a clean directory and one name.
func joinDir(dir, name string) string {
	if os.IsPathSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}
