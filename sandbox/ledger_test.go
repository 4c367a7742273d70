//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A stage is directories for places, with steps that a command or a person takes.
type stage struct {
	*testing.T
	dir string
	l   ledger
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, dir: dir}
	for _, name := range []string{"work/out", "work/deep/private", "victim/sub", "home/cache", "big"} {
		s.ok(os.MkdirAll(s.in(name), 0o755))
	}
	return s
}

func (s *stage) in(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *stage) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// link replaces name by a link.
func (s *stage) link(name, target string) {
	s.Helper()
	s.ok(os.RemoveAll(s.in(name)))
	s.ok(os.Symlink(s.in(target), s.in(name)))
}

// holds expects the places of a list, given and found by names below the stage, and
// what is told of those left out.
func (s *stage) holds(what string, writable, hidden []string, want confinement, dropped ...string) {
	s.Helper()
	cmd := Cmd{Network: true}
	for _, list := range []struct {
		to    *[]string
		names []string
	}{{&cmd.Writable, writable}, {&cmd.Hidden, hidden}} {
		for _, name := range list.names {
			*list.to = append(*list.to, s.in(name))
		}
	}
	c := s.l.confinement(cmd, false)
	got := []string{strings.Join(c.Writable, " "), strings.Join(c.Hidden, " "), strings.Join(s.l.left(), " ")}
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], s.dir+"/", "")
	}
	if diff := cmp.Diff([]string{strings.Join(want.Writable, " "), strings.Join(want.Hidden, " "), strings.Join(dropped, " ")}, got); diff != "" {
		s.Errorf("%s: writable, hidden, dropped:\n%s", what, diff)
	}
}

// A writable place stays where it was found first, whatever a command makes of its
// name, and is not opened over a link that one could have made.
func TestLedgerFollowsNoLinkOfACommand(t *testing.T) {
	s := newStage(t)
	places := []string{"work", "work/out", "work/later", "home/cache"}
	all := confinement{Writable: []string{"home/cache", "work"}}
	s.holds("at first", places, nil, all)
	s.link("work/out", "victim")
	s.holds("replaced by a link", places, nil, all, "work/out")
	s.link("work/later", "victim")
	s.holds("a link where nothing was", places, nil, all, "work/later")
	s.holds("told once", places, nil, all)
	s.ok(os.Remove(s.in("work/out")))
	s.ok(os.Mkdir(s.in("work/out"), 0o755))
	s.holds("a directory again", places, nil, all)
	s.holds("without what is around", []string{"work/out"}, nil, confinement{Writable: []string{"work/out"}})
	s.link("work/out", "victim")
	s.holds("a link again, without what is around", []string{"work/out"}, nil, confinement{})
}

// What an earlier session left is no better.
func TestLedgerFollowsNoLinkOfAnEarlierSession(t *testing.T) {
	s := newStage(t)
	s.link("work/out", "victim")
	s.link("work/up", "victim")
	s.link("work/again", "work/out")
	s.holds("at first", []string{"work", "work/out", "work/up/sub", "work/again"}, nil,
		confinement{Writable: []string{"work"}}, "work/out", "work/up/sub", "work/again")
	s.holds("a directory added later", []string{"work", "work/up/sub"}, nil, confinement{Writable: []string{"work"}})
}

// A person's links are followed, also after their directory has become writable.
func TestLedgerFollowsLinksOfPersons(t *testing.T) {
	s := newStage(t)
	s.link("home/cache", "big")
	s.link("link", "work")
	s.holds("at first", []string{"link", "home/cache"}, nil, confinement{Writable: []string{"big", "work"}})
	s.holds("with what is around", []string{"link", "home/cache", "home"}, nil, confinement{Writable: []string{"big", "home", "work"}})
	s.link("home/cache", "victim")
	s.holds("replaced", []string{"link", "home/cache", "home"}, nil, confinement{Writable: []string{"big", "home", "work"}})
	s.link("chain", "link")
	s.ok(os.Symlink("../chain/./deep/../out", s.in("big/rel")))
	s.holds("relative, over others", []string{"big/rel"}, nil, confinement{}, "big/rel") // big is writable
	s.ok(os.Symlink("chain/./deep/../out", s.in("rel")))
	s.holds("relative, over others, from outside", []string{"rel"}, nil, confinement{Writable: []string{"work/out"}})
}

// What is hidden stays so under its path and where that has led before.
func TestLedgerKeepsHiding(t *testing.T) {
	s := newStage(t)
	s.link("work/secret", "victim")
	hidden := []string{"work/secret", "work/deep/private"}
	want := confinement{Writable: []string{"work"}, Hidden: []string{"victim", "work/deep/private"}}
	s.holds("at first", []string{"work"}, hidden, want)
	s.link("work/secret", "big")
	s.holds("led elsewhere by a command", []string{"work"}, hidden, want)
	s.link("work/secret", "")
	s.holds("to hide everything", []string{"work"}, hidden, want)
	s.holds("unseen before, to hide everything", []string{"work"}, append(hidden, "work/secret/."), want)
	s.link("person", "victim/sub")
	s.holds("by a person", []string{"work"}, []string{"person"}, confinement{Writable: []string{"work"}, Hidden: []string{"victim/sub"}})
	s.link("person", "big")
	s.holds("led elsewhere by a person", []string{"work"}, []string{"person"},
		confinement{Writable: []string{"work"}, Hidden: []string{"big", "victim/sub"}})
}

// Links in a circle, or to nowhere, lead nowhere.
func TestResolverEndsInACircle(t *testing.T) {
	s := newStage(t)
	s.link("a", "b")
	s.link("b", "a/x")
	s.link("self", "self")
	s.link("gone", "nothing/here")
	for _, name := range []string{"a", "b", "a/x", "self", "self/y", "gone", "gone/z"} {
		if f := (resolver{}).at(s.in(name)); f.info != nil || f.path != s.in(name) {
			t.Errorf("%s: leads to %s", name, f.path)
		}
	}
	look := resolver{}
	s.link("work/a", "victim")
	for range 2 {
		if f := look.at(s.in("work/a/sub")); f.path != s.in("victim/sub") || !slices.Equal(f.links, []string{s.in("work")}) {
			t.Errorf("got %+v", f)
		}
		if f := look.at(s.in("victim/sub")); f.info == nil || len(f.links) > 0 {
			t.Errorf("by its own name: %+v", f)
		}
	}
}
