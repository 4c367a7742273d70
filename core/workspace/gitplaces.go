package workspace

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/durable"
)

// gitPlaces are what a git repository whose working tree is at a root means for
// confinement.
type gitPlaces struct {
	// writable is what a commit needs outside the root, for commands alone.
	writable []string
	// protected leads git to commands: hooks and configuration, the files that say where
	// those are, and what the configuration names of the working tree.
	protected []string
	// logs is where a repository that has a linked worktree keeps its reflogs.
	logs string
}

// The parts of a repository that git takes commands from or is led elsewhere by.
var gitGuarded = []string{"hooks", "config", "config.worktree", "commondir"}

// maxGitFile bounds, in bytes, the small files git leads the way with.
const maxGitFile = 64 << 10

// gitPlacesAround are those of the repository whose working tree root is in, if
// not at its top. All of a repository above is writable then, as one at root would
// be, but for what leads git to commands; it counts when it is the user's, as for
// git itself.
func gitPlacesAround(root string) gitPlaces {
	for dir := root; ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		info, err := os.Lstat(dotGit)
		switch {
		case err == nil && dir != root && info.IsDir():
			if _, err := os.Lstat(filepath.Join(dotGit, "HEAD")); err != nil || !owned(info) {
				return gitPlaces{}
			}
			return gitPlaces{writable: []string{dotGit}, protected: append(guardedIn(dotGit), gitLed(dir, configsIn(dotGit)...)...)}
		case err == nil:
			return gitPlacesOf(dir)
		case dir == filepath.Dir(dir):
			return gitPlaces{}
		}
	}
}

// gitPlacesOf looks at root/.git. What a file there leads to counts only when git's
// own file there leads back: else an unpacked archive could open any directory.
func gitPlacesOf(root string) gitPlaces {
	dotGit := filepath.Join(root, ".git")
	info, err := os.Lstat(dotGit)
	switch {
	case err != nil:
		return gitPlaces{}
	case info.Mode()&fs.ModeSymlink != 0:
		real, err := resolve(dotGit)
		if err != nil {
			return gitPlaces{protected: []string{dotGit}}
		}
		return gitPlaces{protected: append(append(guardedIn(real), dotGit), gitLed(root, configsIn(real)...)...)}
	case info.IsDir():
		return gitPlaces{protected: append(guardedIn(dotGit), gitLed(root, configsIn(dotGit)...)...)}
	case !info.Mode().IsRegular():
		return gitPlaces{}
	}
	p := gitPlaces{protected: []string{dotGit}}
	git, ok := follows(root, dotGit, "gitdir: ")
	if !ok {
		return p
	}
	if common, ok := linkedWorktree(dotGit, git); ok {
		p.protected = append(p.protected, gitLed(root, filepath.Join(common, "config"), filepath.Join(git, "config.worktree"))...)
		return p.withWorktree(git, common)
	}
	if isModule(root, git) {
		p.writable = []string{git}
		p.protected = append(append(p.protected, guardedIn(git)...), gitLed(root, configsIn(git)...)...)
	}
	return p
}

// configsIn are the configurations of the repository at git.
func configsIn(git string) []string { return under(git, []string{"config", "config.worktree"}) }

// withWorktree adds the repository common of a linked worktree, whose own part is
// git. Of common only what a commit writes is writable: not its configuration and
// hooks, not its own index, no other worktree.
func (p gitPlaces) withWorktree(git, common string) gitPlaces {
	p.writable, p.logs = []string{git}, filepath.Join(common, "logs")
	for _, name := range []string{"objects", "refs", "logs", "reftable", "lfs", "rr-cache"} {
		p.writable = append(p.writable, filepath.Join(common, name))
	}
	p.protected = append(p.protected, guardedIn(common)...)
	p.protected = append(p.protected, filepath.Join(git, "gitdir"))
	return p
}

// guardedIn lists what is guarded in the repository at git, and in those of its
// submodules and worktrees.
func guardedIn(git string) []string {
	paths := under(git, gitGuarded)
	worktrees, _ := os.ReadDir(filepath.Join(git, "worktrees"))
	for _, e := range worktrees {
		paths = append(paths, under(filepath.Join(git, "worktrees", e.Name()), []string{"commondir", "config.worktree"})...)
	}
	return append(paths, modulesIn(filepath.Join(git, "modules"), 4)...)
}

// modulesIn lists what is guarded in the submodules' repositories below dir, whose
// names may have slashes.
func modulesIn(dir string, depth int) (paths []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch _, err := os.Lstat(filepath.Join(path, "HEAD")); {
		case !e.IsDir():
		case err == nil:
			paths = append(paths, guardedIn(path)...)
		case depth > 0:
			paths = append(paths, modulesIn(path, depth-1)...)
		}
	}
	return paths
}

// follows reads a file that holds one path, relative to dir, and resolves it.
func follows(dir, file, prefix string) (string, bool) {
	data, err := durable.ReadFile(file, maxGitFile)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || path == "" || strings.ContainsAny(path, "\x00\n") {
		return "", false
	}
	return there(dir, path)
}

// there resolves path, relative to dir, to something that exists.
func there(dir, path string) (string, bool) {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// linkedWorktree returns the repository that git is a worktree's part of, if that
// worktree is the one whose .git is dotGit.
func linkedWorktree(dotGit, git string) (common string, ok bool) {
	back, ok := follows(git, filepath.Join(git, "gitdir"), "")
	if !ok || !same(back, dotGit) {
		return "", false
	}
	common, ok = follows(git, filepath.Join(git, "commondir"), "")
	if !ok || !same(filepath.Join(common, "worktrees"), filepath.Dir(git)) {
		return "", false
	}
	_, err := os.Lstat(filepath.Join(common, "HEAD"))
	return common, err == nil
}

// isModule reports whether git is the repository of a submodule that is checked out
// at root: it lies in .git/modules of a directory above, and its configuration
// names root.
func isModule(root, git string) bool {
	above, _, ok := strings.Cut(git, filepath.Join(separator+".git", "modules")+separator)
	if !ok || above == root || !contains(above, root) {
		return false
	}
	config, err := durable.ReadFile(filepath.Join(git, "config"), maxGitFile)
	if err != nil {
		return false
	}
	lines := bufio.NewScanner(bytes.NewReader(config))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		if strings.EqualFold(strings.TrimSpace(key), "worktree") {
			tree, ok := there(git, strings.TrimSpace(value))
			return ok && same(tree, root)
		}
	}
	return false
}
