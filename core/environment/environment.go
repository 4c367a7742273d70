// Package environment tells the model what machine it works on: the system, the
// shell and the versions of common tools, in a few stable lines. Versions come
// from files beside the executable where there are any, else from the program
// itself, all at once and within one second; the answers are cached by PATH and
// by each executable's path, size and time, so that a warm start runs no program
// and two sessions send the same bytes. It runs nothing that lies in the
// workspace or that a project named, and no version manager under the name of a
// program (rustup, pyenv, asdf, mise): that one is listed without a version. The
// composition root calls it once per session; package prompt takes the text.
package environment

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say what to look at. The zero value of each is usable.
type Options struct {
	// Home is the user's directory; the cache is <Home>/cache/environment.json.
	// Empty means no cache.
	Home string
	// Environ is the environment to search, as os.Environ gives it. Programs get
	// PATH and a few harmless variables of it, never the rest.
	Environ []string
	// Shell is the interpreter of the shell tool, as a path or a name.
	Shell string
	// Tools are the user's own executables by name; they go before PATH.
	Tools map[string]string
	// ProjectTools are those a project names; they are listed, never run.
	ProjectTools map[string]string
	// Workspace is the directory whose programs are never run.
	Workspace string
	// Limit bounds all probes together; 0 is one second.
	Limit time.Duration
}

// Tool is one program that was found.
type Tool struct {
	Name    string
	Version string // empty when it is not known
	Path    string // only for a configured tool, with forward slashes
}

// Report is what Probe found, in a fixed order.
type Report struct {
	OS, Arch string
	Release  string // "Debian GNU/Linux 12", "macOS 15.1"; may be empty
	Shell    string
	Tools    []Tool
	Ran      int // programs that were run to find out
}

// Probe looks at the machine. It fails at nothing: what cannot be found out is
// left out, and stays so until PATH or the program changes. A cache that cannot
// be written only costs the next start its time.
func Probe(ctx context.Context, o Options) Report {
	if o.Limit == 0 {
		o.Limit = time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	p := prober{o: o, cache: readCache(o.Home)}
	found := p.find()
	p.versions(ctx, found)
	p.cache.write(o.Home)
	r := Report{OS: runtime.GOOS, Release: release(), Arch: runtime.GOARCH, Shell: shellName(o.Shell), Ran: p.ran}
	for _, f := range found {
		if !f.stub {
			r.Tools = append(r.Tools, f.tool)
		}
	}
	return r
}

// Text is the report for the model: equal reports give equal bytes.
func (r Report) Text() string {
	var b strings.Builder
	b.WriteString("OS: " + r.OS + "/" + r.Arch)
	if r.Release != "" {
		b.WriteString(", " + r.Release)
	}
	b.WriteByte('\n')
	if r.Shell != "" {
		b.WriteString("Shell: " + r.Shell + "\n")
	}
	if len(r.Tools) > 0 {
		words := make([]string, len(r.Tools))
		for i, t := range r.Tools {
			words[i] = t.text()
		}
		b.WriteString("Tools: " + strings.Join(words, ", ") + "\n")
	}
	return b.String()
}

func (t Tool) text() string {
	s := t.Name
	if t.Version != "" {
		s += " " + t.Version
	}
	if t.Path != "" {
		s += " (" + t.Path + ")"
	}
	return s
}

// shellName is the interpreter's name without directory and suffix.
func shellName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(name, ".exe")
}

// found is a tool on its way to the report.
type found struct {
	tool Tool
	path string // the executable
	run  bool   // it may be run
	stub bool   // it is there in name only
}

type prober struct {
	o     Options
	cache *cache
	mu    sync.Mutex
	ran   int
}

// find returns the tools that exist, sorted by name.
func (p *prober) find() []*found {
	paths := p.searched()
	var list []*found
	for name, path := range paths {
		list = append(list, &found{tool: Tool{Name: name}, path: path, run: p.mayRun(path)})
	}
	for name, path := range p.o.Tools {
		list = replace(list, &found{tool: Tool{Name: name, Path: filepath.ToSlash(path)}, path: path, run: p.mayRun(path)})
	}
	for name, path := range p.o.ProjectTools {
		if _, own := p.o.Tools[name]; !own {
			list = replace(list, &found{tool: Tool{Name: name, Path: filepath.ToSlash(path)}, path: path})
		}
	}
	slices.SortFunc(list, func(a, b *found) int { return strings.Compare(a.tool.Name, b.tool.Name) })
	return list
}

func replace(list []*found, f *found) []*found {
	list = slices.DeleteFunc(list, func(old *found) bool { return old.tool.Name == f.tool.Name })
	return append(list, f)
}

// mayRun refuses what a repository could have brought along, also through a link.
func (p *prober) mayRun(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	if p.o.Workspace == "" {
		return true
	}
	for _, dir := range []string{p.o.Workspace, resolved(p.o.Workspace)} {
		for _, file := range []string{path, resolved(path)} {
			if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
				return false
			}
		}
	}
	return true
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// versions fills in every version, from the cache or all at once.
func (p *prober) versions(ctx context.Context, list []*found) {
	var wg sync.WaitGroup
	for _, f := range list {
		if !f.run {
			continue
		}
		id, ok := identify(f.path)
		if !ok {
			f.stub = f.tool.Path == ""
			continue
		}
		if known, ok := p.cache.get(f.path, id); ok {
			f.tool.Version, f.stub = known.Version, known.Stub
			continue
		}
		wg.Go(func() {
			f.tool.Version, f.stub = p.ask(ctx, f.tool.Name, f.path)
			if errors.Is(ctx.Err(), context.Canceled) {
				return // the caller gave up, the program did not
			}
			p.cache.put(f.path, entry{Identity: id, Version: f.tool.Version, Stub: f.stub})
		})
	}
	wg.Wait()
}
