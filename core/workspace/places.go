package workspace

import (
	"path/filepath"
	"slices"
)

// PlacesInput is what a session's places are computed from. All paths are
// absolute; an empty one is left out.
type PlacesInput struct {
	Home       string   // <home>
	UserHome   string   // of the person
	Dir        string   // the workspace
	Temp       string   // the session's temporary directory
	Write      []string // further writable directories: allow_write, --add-dir
	ForbidRead []string
	Bare       []string // readable although hidden
	Path       []string // where programs are looked for; what is not absolute is left out
}

// Places are the paths that mean something without any rule, each with all below
// it. Policy judges by them, FS refuses by them and the sandbox holds them:
//
//	                                  read    write (file tools)   bash
//	the workspace, Write              yes     yes                  writes
//	Hidden                            no      no                   sees nothing
//	  <home>/.env, grants.json, projects, checkpoints, logs, forbid_read
//	Bare, below Hidden                yes     no                   sees nothing
//	Protected, Names below a root     yes     after a review       reads
//	  .git/hooks, .git/config, .reasonix, reasonix.toml, .mcp.json, .envrc,
//	  .claude/settings.json, .claude/skills, .agents/skills, ..., start files;
//	  of <home> config.toml, settings.json, memory, archive, ...;
//	  all of <home> where it lies in a writable directory
//	Secrets                           asked   as elsewhere         reads
//	the rest of <home>, all else      yes     no                   reads
//
// Names match below the innermost writable root of a path, so that a temporary
// directory below a protected one stays writable. Every path stands in its list as
// given and, where that differs, with its links resolved.
type Places struct {
	Write     []string // writable directories besides the workspace
	Hidden    []string // neither read nor written
	Bare      []string // readable although below Hidden
	Protected []string // a write is a fresh review
	// Names are slash-separated relative paths that are protected wherever they
	// stand below a writable root.
	Names   []string
	Secrets []string // a read is a fresh review, unless an allow rule names it
	// Shut no answer makes writable: <home>, secrets, and where programs are looked for.
	Shut []string
}

// PlacesOf computes a session's places. It looks at the disk for links and for
// where the repository of a linked worktree is.
func PlacesOf(in PlacesInput) Places {
	p := Places{
		Write:  bothNames(nonEmpty(append(slices.Clone(in.Write), in.Temp))),
		Bare:   bothNames(nonEmpty(in.Bare)),
		Names:  slices.Clone(protectedNames),
		Hidden: bothNames(nonEmpty(append(slices.Clone(in.ForbidRead), under(in.Home, homeHidden)...))),
	}
	protected := slices.Concat(under(in.Home, homeProtected), under(in.UserHome, startFiles))
	for _, root := range bothNames(nonEmpty(slices.Concat([]string{in.Dir}, p.Write))) {
		protected = append(protected, gitPlacesAround(root).protected...)
		if in.Home != "" && holds(root, in.Home) {
			protected = append(protected, in.Home)
		}
	}
	p.Protected = bothNames(protected)
	dir := bothNames(nonEmpty([]string{in.Dir}))
	for _, secret := range bothNames(under(in.UserHome, secretFiles)) {
		// Who opens a workspace in such a place means it.
		if !slices.ContainsFunc(dir, func(d string) bool { return contains(secret, d) }) {
			p.Secrets = append(p.Secrets, secret)
		}
	}
	path := slices.DeleteFunc(slices.Clone(in.Path), func(p string) bool { return !filepath.IsAbs(p) })
	p.Shut = bothNames(slices.Concat(nonEmpty([]string{in.Home}), p.Secrets, path))
	return p
}

// Roots are the places as FS takes them, for the workspace dir.
func (p Places) Roots(dir string) Roots {
	return Roots{Dir: dir, Write: p.Write, Hide: p.Hidden, Bare: p.Bare, Protect: p.Protected, Names: p.Names, Shut: p.Shut}
}

// under joins slash-separated names to dir; none to an empty one.
func under(dir string, names []string) []string {
	if dir == "" {
		return nil
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return paths
}

func nonEmpty(paths []string) []string {
	return slices.DeleteFunc(paths, func(p string) bool { return p == "" })
}
