package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// slugTail is how many characters of the workspace's path a slug shows.
const slugTail = 40

// Dir returns <home>/projects/<slug>/sessions, where the sessions of workspace live.
// The slug is the readable end of the workspace's canonical path and eight hex digits
// of its SHA-256. A symbolic link, a trailing slash and, where the file system
// ignores case, another case lead to the same slug.
func Dir(home, workspace string) string {
	at := filepath.ToSlash(canonical(workspace))
	sum := sha256.Sum256([]byte(at))
	return filepath.Join(home, "projects", readable(at)+"-"+hex.EncodeToString(sum[:4]), "sessions")
}

func canonical(workspace string) string {
	at, err := filepath.Abs(workspace)
	if err != nil {
		at = filepath.Clean(workspace)
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	return fold(at)
}

// fold lowers the case of each part of path whose directory ignores case. Parts are
// tried one by one, because a mounted disk may ignore case below one that does not.
func fold(path string) string {
	parent := filepath.Dir(path)
	if parent == path {
		return strings.ToLower(path) // a root: a drive letter or a slash
	}
	parent = fold(parent)
	name := filepath.Base(path)
	lower := strings.ToLower(name)
	if lower == name {
		return filepath.Join(parent, name)
	}
	was, err := os.Stat(filepath.Join(parent, name))
	if err != nil {
		return filepath.Join(parent, name)
	}
	if now, err := os.Stat(filepath.Join(parent, lower)); err == nil && os.SameFile(was, now) {
		return filepath.Join(parent, lower)
	}
	return filepath.Join(parent, name)
}

// readable keeps the last parts of path that fit, in characters every file system
// allows.
func readable(path string) string {
	slug := ""
	for path != "" && len(slug) < slugTail {
		i := strings.LastIndexByte(path, '/')
		part := strings.Map(plain, path[i+1:])
		if slug != "" && len(part)+1+len(slug) > slugTail {
			break
		}
		slug = strings.Trim(part+"-"+slug, "-.")
		path = path[:max(i, 0)]
	}
	if slug == "" {
		return "workspace"
	}
	return slug[max(0, len(slug)-slugTail):]
}

func plain(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.':
		return r
	default:
		return '-'
	}
}
