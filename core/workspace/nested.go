package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/durable"
)

// Nested reports whether git, when it looks at the files of the repository whose
// working tree is top, may go into another one whose configuration nobody vouches for.
// It goes into every submodule that is checked out, and a setting there may start a
// program; one counts as vouched for where its repository is below .git/modules, which
// is protected. Where it cannot tell, because an index is unlike what it knows, it says
// yes.
func Nested(top string) bool { return nested(top, maxModules) }

// maxModules bounds how deep submodules in submodules are looked at.
const maxModules = 4

// maxIndex bounds, in bytes, the index that is looked through.
const maxIndex = 64 << 20

func nested(top string, depth int) bool {
	git, ok := gitDirOf(top)
	if !ok || depth == 0 {
		return true
	}
	common := git
	if _, err := os.Lstat(filepath.Join(git, "commondir")); err == nil {
		if common, ok = follows(git, filepath.Join(git, "commondir"), ""); !ok {
			return true
		}
	}
	config, err := durable.ReadFile(filepath.Join(common, "config"), maxGitFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || bytes.Contains(bytes.ToLower(config), []byte("objectformat")) {
		return true // its index has other names of objects
	}
	index, err := durable.ReadFile(filepath.Join(git, "index"), maxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		return true
	}
	links, ok := gitlinks(index)
	if !ok {
		return true
	}
	for _, link := range links {
		at := filepath.Join(top, filepath.FromSlash(link))
		if _, err := os.Lstat(filepath.Join(at, ".git")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		module, ok := gitDirOf(at)
		if !ok || !contains(filepath.Join(common, "modules"), module) || nested(at, depth-1) {
			return true
		}
	}
	return false
}

// gitDirOf returns the repository of a working tree, with links resolved.
func gitDirOf(top string) (string, bool) {
	dotGit := filepath.Join(top, ".git")
	info, err := os.Stat(dotGit)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		real, err := filepath.EvalSymlinks(dotGit)
		return real, err == nil
	}
	return follows(top, dotGit, "gitdir: ")
}

// The parts of an index that are read here: a header, entries with a fixed part and a
// name each, extensions, and a checksum.
const (
	indexHeader   = 12
	indexFixed    = 62
	indexChecksum = 20
	indexModeAt   = 24
	indexFlagsAt  = 60
	indexExtended = 0x4000 // of the flags: two more bytes of them follow
	modeType      = 0o170000
	modeGitlink   = 0o160000
	modeTree      = 0o040000
)

// gitlinks lists the paths of an index that are repositories of their own. ok is false
// where it cannot be read, or does not hold all there is.
func gitlinks(index []byte) (links []string, ok bool) {
	if len(index) < indexHeader+indexChecksum || string(index[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	rest, name := index[indexHeader:len(index)-indexChecksum], []byte(nil)
	for range count {
		if len(rest) < indexFixed+2 {
			return nil, false
		}
		n := indexFixed
		if version > 2 && binary.BigEndian.Uint16(rest[indexFlagsAt:])&indexExtended != 0 {
			n += 2
		}
		mode := binary.BigEndian.Uint32(rest[indexModeAt:]) & modeType
		var size int
		if name, size, ok = indexName(rest[n:], name, version); !ok {
			return nil, false
		}
		if n += size; version < 4 {
			n = (n + 7) &^ 7 // the name and at least one zero
		}
		switch mode {
		case modeGitlink:
			links = append(links, string(name))
		case modeTree:
			return nil, false // all below it is left out
		}
		if n > len(rest) {
			return nil, false
		}
		rest = rest[n:]
	}
	return links, extensions(rest)
}

// indexName reads the name of an entry with the zero behind it, and returns how many
// bytes it takes. Version 4 leaves out what it shares with the one before.
func indexName(rest, before []byte, version uint32) (name []byte, size int, ok bool) {
	if version < 4 {
		end := bytes.IndexByte(rest, 0)
		return rest[:max(0, end)], end + 1, end >= 0
	}
	strip, n := offsetVarint(rest)
	if n == 0 || strip > len(before) {
		return nil, 0, false
	}
	end := bytes.IndexByte(rest[n:], 0)
	if end < 0 {
		return nil, 0, false
	}
	shared := before[:len(before)-strip]
	return append(shared[:len(shared):len(shared)], rest[n:n+end]...), n + end + 1, true
}

// offsetVarint reads a number as git writes offsets, and how many bytes it takes.
func offsetVarint(b []byte) (value, n int) {
	for n < len(b) && n < 4 {
		c := b[n]
		if n > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if n++; c&0x80 == 0 {
			return value, n
		}
	}
	return 0, 0
}

// extensions reports whether what follows the entries leaves them as they are: an
// extension in lower case says that more belongs to them.
func extensions(rest []byte) bool {
	for len(rest) > 0 {
		if len(rest) < 8 || !strings.ContainsAny(string(rest[:1]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return false
		}
		size := uint64(binary.BigEndian.Uint32(rest[4:])) + 8
		if size > uint64(len(rest)) {
			return false
		}
		rest = rest[size:]
	}
	return true
}
