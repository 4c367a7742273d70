package workspace_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

// entry is one path of an index.
type entry struct {
	name string
	mode uint32
}

// indexOf writes an index as git does. Version 4 shares what names begin with.
func indexOf(version uint32, extension string, entries ...entry) []byte {
	b := append([]byte("DIRC"), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b[4:], version)
	binary.BigEndian.PutUint32(b[8:], uint32(len(entries)))
	before := ""
	for _, e := range entries {
		from := len(b)
		fixed := make([]byte, 62)
		binary.BigEndian.PutUint32(fixed[24:], e.mode)
		binary.BigEndian.PutUint16(fixed[60:], uint16(len(e.name)))
		b = append(b, fixed...)
		if version == 4 {
			shared := 0
			for shared < min(len(before), len(e.name)) && before[shared] == e.name[shared] {
				shared++
			}
			b = append(append(append(b, byte(len(before)-shared)), e.name[shared:]...), 0)
			before = e.name
			continue
		}
		b = append(append(b, e.name...), 0)
		for (len(b)-from)%8 != 0 {
			b = append(b, 0)
		}
	}
	if extension != "" {
		b = append(append(b, extension...), 0, 0, 0, 4, 1, 2, 3, 4)
	}
	return append(b, make([]byte, 20)...)
}

func TestNestedFindsRepositoriesThatNobodyVouchesFor(t *testing.T) {
	const file, link, tree = 0o100644, 0o160000, 0o040000
	for _, c := range []struct {
		name    string
		version uint32
		ext     string
		entries []entry
		files   map[string]string
		want    bool
	}{
		{"no submodule", 2, "TREE", []entry{{"a", file}, {"b/c", file}}, nil, false},
		{"one that is not checked out", 2, "", []entry{{"a", file}, {"sub", link}}, nil, false},
		{"one with a repository of its own", 2, "TREE", []entry{{"a", file}, {"sub", link}}, map[string]string{"sub/.git/HEAD": "x"}, true},
		{"in another version", 3, "", []entry{{"a", file}, {"sub", link}}, map[string]string{"sub/.git/HEAD": "x"}, true},
		{"with shared names", 4, "TREE", []entry{{"dir/a", file}, {"dir/sub", link}}, map[string]string{"dir/sub/.git/HEAD": "x"}, true},
		{"one of git's own", 2, "", []entry{{"sub", link}}, map[string]string{"sub/.git": "gitdir: ../.git/modules/sub\n", ".git/modules/sub/HEAD": "x"}, false},
		{"one that is led elsewhere", 2, "", []entry{{"sub", link}}, map[string]string{"sub/.git": "gitdir: ../evil\n", "evil/HEAD": "x"}, true},
		{"one that leads nowhere", 2, "", []entry{{"sub", link}}, map[string]string{"sub/.git": "gitdir: ../none\n"}, true},
		{"one inside of git's own", 2, "", []entry{{"sub", link}}, map[string]string{"sub/.git": "gitdir: ../.git/modules/sub\n", ".git/modules/sub/index": string(indexOf(2, "", entry{"in", link})), "sub/in/.git/HEAD": "x"}, true},
		{"a repository that git does not know", 2, "", []entry{{"a", file}}, map[string]string{"sub/.git/HEAD": "x"}, false},
		{"a split index", 2, "link", []entry{{"a", file}}, nil, true},
		{"a sparse index", 3, "", []entry{{"a", tree}}, nil, true},
		{"another version", 5, "", []entry{{"a", file}}, nil, true},
		{"other names of objects", 2, "", []entry{{"a", file}}, map[string]string{".git/config": "[extensions]\n\tobjectFormat = sha256\n"}, true},
	} {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		write := func(name, text string) {
			path := filepath.Join(top, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(".git/index", string(indexOf(c.version, c.ext, c.entries...)))
		for name, text := range c.files {
			write(name, text)
		}
		if got := workspace.Nested(top); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	empty := t.TempDir()
	if !workspace.Nested(empty) {
		t.Error("where there is no repository nobody can tell")
	}
	if err := os.Mkdir(filepath.Join(empty, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if workspace.Nested(empty) {
		t.Error("without an index there is no submodule")
	}
	for _, text := range []string{"", "DIRC", strings.Repeat("x", 40), "DIRC\x00\x00\x00\x02\x00\x00\x00\x09" + strings.Repeat("\x00", 60)} {
		if err := os.WriteFile(filepath.Join(empty, ".git", "index"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !workspace.Nested(empty) {
			t.Errorf("the index %q is read", text)
		}
	}
}
