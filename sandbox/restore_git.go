//go:build linux || darwin

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Git's own files are special in two ways. A repository that a command makes (git
// init, git clone) comes with a configuration and sample hooks, and must go on
// working. And files beside the configuration stand in for it.

const (
	gitDir    = ".git"
	gitConfig = "config"
	gitHooks  = "hooks"
)

// withGitFiles returns a protected path and the files that could replace it: git
// takes configuration and hooks from elsewhere when commondir says so.
func withGitFiles(path string) []string {
	if filepath.Base(path) != gitConfig || filepath.Base(filepath.Dir(path)) != gitDir {
		return []string{path}
	}
	dir := filepath.Dir(path)
	return []string{path, filepath.Join(dir, "commondir"), filepath.Join(dir, "config.worktree")}
}

// nothing removes what has appeared at name, unless it is harmless.
func (p *putting) nothing(dir *os.Root, name, path string) error {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if filepath.Base(filepath.Dir(path)) == gitDir {
		switch {
		case name == gitConfig && info.Mode().IsRegular():
			return p.config(dir, name, path)
		case name == gitHooks && info.IsDir():
			return p.samplesOnly(dir, name, path, info)
		}
	}
	p.report(path)
	return p.remove(dir, name, path)
}

// config leaves a new repository's configuration while it is harmless, and makes it
// again what it was then.
func (p *putting) config(dir *os.Root, name, path string) error {
	if n := harmlessFile(dir, name); n != nil {
		p.of.harmless = n
		return nil
	}
	if p.of.harmless != nil {
		return p.file(p.of.harmless, dir, name, path)
	}
	p.report(path)
	return p.remove(dir, name, path)
}

// samplesOnly leaves the hooks that git does not run.
func (p *putting) samplesOnly(dir *os.Root, name, path string, info fs.FileInfo) error {
	if err := allowOwner(dir, name, info); err != nil {
		return err
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	names, err := namesOf(sub)
	if err != nil {
		return err
	}
	for _, hook := range names {
		info, err := sub.Lstat(hook)
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(hook, ".sample") {
			continue
		}
		p.report(filepath.Join(path, hook))
		if err := p.remove(sub, hook, filepath.Join(path, hook)); err != nil {
			return err
		}
	}
	return nil
}

// maxConfig bounds a configuration that is looked into, in bytes.
const maxConfig = 1 << 20

// harmlessFile takes a configuration that is harmless; nil is one that is not.
func harmlessFile(dir *os.Root, name string) *node {
	t := taking{left: maxConfig, entries: 1, begun: time.Now()}
	n, err := t.take(dir, name, name, nil)
	if err != nil || n.kind != file || !harmlessConfig(string(n.content)) {
		return nil
	}
	return n
}

// harmlessKeys are what git writes into a new repository's configuration, none of
// which names a program or another file. A section's own name is left out.
var harmlessKeys = map[string]bool{
	"core.repositoryformatversion": true, "core.filemode": true, "core.bare": true, "core.logallrefupdates": true,
	"core.ignorecase": true, "core.precomposeunicode": true, "core.symlinks": true,
	"remote.url": true, "remote.fetch": true, "branch.remote": true, "branch.merge": true,
	"user.name": true, "user.email": true, "init.defaultbranch": true,
	"extensions.objectformat": true, "extensions.refstorage": true,
}

// configLine takes a line of the plain forms apart: a section, or a key with its
// value. What else git reads, such as a value over several lines, is not harmless.
var configLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[([A-Za-z0-9.-]+)(?: "((?:[^"\\\x00]|\\["\\])*)")?\]|([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?)?\s*$`)
})

// harmlessConfig tells whether a configuration says nothing that makes git run a
// program or look elsewhere.
func harmlessConfig(text string) bool {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";") {
			continue
		}
		part := configLine().FindStringSubmatch(line)
		if part == nil || strings.HasSuffix(line, `\`) {
			return false
		}
		switch {
		case part[1] != "":
			section = strings.ToLower(part[1])
		case part[3] != "":
			// A remote with "::" in its address is served by a program of that name.
			if !harmlessKeys[section+"."+strings.ToLower(part[3])] || strings.Contains(part[4], "::") {
				return false
			}
		}
	}
	return true
}
