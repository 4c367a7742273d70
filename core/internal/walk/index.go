package walk

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"sort"
	"strings"
)

// index is the sorted names of a repository's tracked files.
type index struct{ names []string }

// maxIndex is the largest index read, in bytes: some two million files. A larger
// one tracks nothing.
const maxIndex = 256 << 20

// has reports whether the file name is tracked.
func (x *index) has(name string) bool {
	i := sort.SearchStrings(x.names, name)
	return i < len(x.names) && x.names[i] == name
}

// below reports whether a file below the directory name is tracked, or name
// itself, as a submodule is.
func (x *index) below(name string) bool {
	if x.has(name) {
		return true
	}
	i := sort.SearchStrings(x.names, name+"/")
	return i < len(x.names) && strings.HasPrefix(x.names[i], name+"/")
}

// readIndex reads the index of a git directory. One that is missing or damaged
// tracks nothing, or only the part that could be read.
func (g *gitFiles) readIndex(gitDir string, sha256 bool) *index {
	hash := 20
	if sha256 {
		hash = 32
	}
	data := g.load(joinDir(gitDir, "index"), maxIndex)
	names, rest := parseIndex(data, hash)
	if shared := sharedIndex(rest, hash); shared != "" {
		more, _ := parseIndex(g.load(joinDir(gitDir, "sharedindex."+shared), maxIndex), hash)
		names = append(names, more...)
	}
	sort.Strings(names)
	return &index{names}
}

const (
	indexHeader  = 12 // "DIRC", version, number of entries
	entryStat    = 40 // times, device, inode, mode, owner, size
	flagExtended = 0x4000
)

// parseIndex returns the names in an index of version 2, 3 or 4, and what
// follows its entries.
func parseIndex(data []byte, hash int) (names []string, rest []byte) {
	if len(data) < indexHeader || string(data[:4]) != "DIRC" {
		return nil, nil
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, nil
	}
	data = data[indexHeader:]
	last := ""
	for range count {
		fixed := entryStat + hash + 2
		if len(data) < fixed {
			return names, nil
		}
		if binary.BigEndian.Uint16(data[fixed-2:])&flagExtended != 0 && version >= 3 {
			fixed += 2
		}
		name, size := indexName(data, fixed, last, version == 4)
		if size == 0 {
			return names, nil
		}
		names, last, data = append(names, name), name, data[size:]
	}
	return names, data
}

// indexName reads the name at data[at:] and returns the size of the entry, 0 for
// a damaged one. Version 4 says how many bytes of the last name to drop first
// and does not pad.
func indexName(data []byte, at int, last string, prefixed bool) (string, int) {
	if at >= len(data) {
		return "", 0
	}
	keep := ""
	if prefixed {
		drop, n := offsetVarint(data[at:])
		if n == 0 || drop > len(last) {
			return "", 0
		}
		keep, at = last[:len(last)-drop], at+n
	}
	n := bytes.IndexByte(data[at:], 0)
	if n < 0 {
		return "", 0
	}
	name, size := keep+string(data[at:at+n]), at+n+1
	if !prefixed {
		size = (at + n + 8) &^ 7
	}
	if size > len(data) {
		return "", 0
	}
	return name, size
}

// offsetVarint reads git's variable-width offsets: seven bits a byte, most
// significant first, each further byte counting one more.
func offsetVarint(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

// sharedIndex is the name of the index this one builds on, from its "link"
// extension; "" if there is none.
func sharedIndex(ext []byte, hash int) string {
	for len(ext) >= 8+hash {
		size := int(binary.BigEndian.Uint32(ext[4:]))
		if size < 0 || size > len(ext)-8 {
			return ""
		}
		if string(ext[:4]) == "link" && size >= hash {
			base := ext[8 : 8+hash]
			if bytes.Count(base, []byte{0}) == hash {
				return ""
			}
			return hex.EncodeToString(base)
		}
		ext = ext[8+size:]
	}
	return ""
}
