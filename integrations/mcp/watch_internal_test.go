package mcp

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reasonix/core/event"
)

// TestMC13StormOfChanges: a server may say that its list changed as often as it likes:
// the list is read at once, then later and later, and at last what it said last.
func TestMC13StormOfChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bare(t, World{})
		var reads atomic.Int32
		l.lists.tools.read = func(context.Context) { reads.Add(1) }
		l.lists.follow()
		change := func() int32 {
			l.lists.changed(l.lists.tools)
			synctest.Wait()
			return reads.Load()
		}
		if n := change(); n != 1 {
			t.Fatalf("%d readings at once", n)
		}
		for range 6000 {
			time.Sleep(10 * time.Millisecond)
			l.lists.changed(l.lists.tools)
		}
		synctest.Wait()
		if n := reads.Load(); n < 4 || n > 8 {
			t.Errorf("%d readings in a minute", n)
		}
		before := change()
		time.Sleep(2 * maxPause)
		if n := reads.Load(); n > before+1 {
			t.Errorf("%d readings since it is silent", n-before)
		}
		if n := change(); n != before+2 {
			t.Errorf("after a silence it is read %d times", n-before)
		}
		l.abandon()
	})
}

// TestMC13ChangeBeforeTheLinkCounts is not lost, and one that comes during a reading
// makes for one more.
func TestMC13ChangeBeforeTheLinkCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bare(t, World{})
		var reads atomic.Int32
		l.lists.tools.read = func(context.Context) {
			if reads.Add(1) == 1 {
				l.lists.changed(l.lists.tools)
				l.lists.changed(l.lists.tools)
			}
		}
		l.lists.changed(l.lists.tools)
		synctest.Wait()
		if reads.Load() != 0 {
			t.Error("read already")
		}
		l.lists.follow()
		time.Sleep(time.Minute)
		if n := reads.Load(); n != 2 {
			t.Errorf("%d readings", n)
		}
		l.abandon()
		l.lists.changed(l.lists.tools)
		synctest.Wait()
		if n := reads.Load(); n != 2 {
			t.Errorf("%d readings after the end", n)
		}
	})
}

// TestCallWaitsForAListThatChanged: for the reading that is due, not for long, and not
// for a server that says so all the time.
func TestCallWaitsForAListThatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bare(t, World{})
		wait := make(chan struct{})
		l.lists.tools.read = func(ctx context.Context) {
			select {
			case <-wait:
			case <-ctx.Done():
			}
		}
		l.lists.follow()
		took := func() time.Duration {
			began := time.Now()
			l.lists.upToDate(t.Context())
			return time.Since(began)
		}
		if d := took(); d != 0 {
			t.Error("nothing is due:", d)
		}
		l.lists.changed(l.lists.tools)
		if d := took(); d != settling {
			t.Error("it hangs:", d)
		}
		close(wait)
		synctest.Wait()
		l.lists.changed(l.lists.tools)
		if d := took(); d != firstPause {
			t.Error("it is due:", d)
		}
		l.lists.changed(l.lists.tools)
		if d := took(); d != 0 {
			t.Error("it says so all the time:", d)
		}
		l.abandon()
	})
}

// TestMC13SameListIsNoNews: nothing is written and nothing told for a list that is as
// it was, and a list that goes to and fro is spoken of once.
func TestMC13SameListIsNoNews(t *testing.T) {
	var told []event.Payload
	w := World{CacheDir: t.TempDir(), Emit: func(p event.Payload) error {
		told = append(told, p)
		return nil
	}}
	set := Start(w, nil)
	s := newServer(set, Config{Name: "s"}, "s")
	set.servers = []*server{s}
	l := newLink(s)
	s.link = l
	one := func() *list {
		return &list{Tools: []spec{{Raw: "one", Schema: []byte(`{}`)}}, Dropped: []Dropped{{"bad", "it is"}}}
	}
	other := func() *list {
		return &list{Tools: []spec{{Raw: "other", Schema: []byte(`{}`)}}, Dropped: []Dropped{{"worse", "it is"}}}
	}
	reader{s, l}.update(one())
	set.Tools()
	if err := os.Remove(s.store.path()); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		reader{s, l}.update(one())
		s.remember()
	}
	if _, err := os.Stat(s.store.path()); err == nil {
		t.Error("the same list is written")
	}
	for range 10 {
		reader{s, l}.update(other())
		reader{s, l}.update(one())
	}
	s.link = nil
	_ = set.Close()
	count := map[string]int{}
	for _, p := range told {
		if n, ok := p.(event.Notice); ok {
			count[n.Code]++
		} else if _, ok := p.(event.ServerChanged); ok {
			count["state"]++
		}
	}
	if count["mcp.changed"] != 1 || count["mcp.dropped"] != 1 || count["state"] != 21 {
		t.Error(count)
	}
}
