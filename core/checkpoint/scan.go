package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"sync"
	"time"

	"reasonix/core/internal/walk"
)

// racy is how young a file's time must be for a later change to leave no trace in it:
// the clock of a file system may tick slowly.
const racy = 20 * time.Millisecond

// sight is a path as the last look found it.
type sight struct {
	stat
	mode string
	hash string // empty: not read, or a directory
	// unsure: it changed so shortly before the look that its times prove nothing.
	unsure bool
	lost   string // why its content is not in the pack
}

// stat is what tells a changed file without reading it.
type stat struct {
	dev, inode   uint64
	size         int64
	mtime, ctime int64 // nanoseconds
}

func (s sight) state() State { return State{Mode: s.mode, Hash: s.hash} }

// found is a path of one look, and its content when that was read.
type found struct {
	path string
	sight
	known bool // as it was at the last look
}

// look walks Root. What is as it was in before, or at the last look, is not read. With
// before it is the look after a call: of all that the call changed the hash is taken.
func (s *Store) look(ctx context.Context, before map[string]sight) (map[string]sight, error) {
	after := before != nil
	if before == nil {
		before = s.sights
	}
	begun := time.Now()
	out := &leftOut{most: s.o.MaxFiles}
	w := walk.New(walk.Options{
		Dir: s.o.Root, Hidden: true, All: true, Home: s.o.Home, XDG: s.o.XDG, Forbid: s.o.Forbid, LeftOut: out.add,
	})
	parts := make([][]found, w.Workers())
	err := w.Run(ctx, func(worker int, f walk.File) {
		if one, ok := glance(f.Abs(), before, begun); ok {
			parts[worker] = append(parts[worker], one)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("look through %s: %w", s.o.Root, err)
	}
	s.margin = s.lookBeside(ctx, out)
	seen := make(map[string]sight, max(len(before), 64))
	var fresh []found
	copied := 0
	for _, part := range parts {
		for _, f := range part {
			if f.known {
				seen[f.path] = f.sight
				if f.hash != "" && f.lost == "" {
					copied++
				}
				continue
			}
			fresh = append(fresh, f)
		}
	}
	s.take(ctx, fresh, copied, after)
	for _, f := range fresh {
		seen[f.path] = f.sight
	}
	return seen, nil
}

// glance finds out whether a path is as it was.
func glance(path string, before map[string]sight, now time.Time) (found, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return found{}, false
	}
	mode, ok := modeOf(info.Mode())
	if !ok {
		return found{}, false
	}
	f := found{path: path, sight: sight{mode: mode, stat: statOf(info)}}
	if info.IsDir() {
		f.stat, f.known = stat{dev: f.dev, inode: f.inode}, true // its times are those of what is in it
		return f, true
	}
	f.unsure = now.Sub(info.ModTime()) < racy
	if was, ok := before[path]; ok && was.stat == f.stat && was.mode == f.mode && !was.unsure {
		f.hash, f.lost, f.known = was.hash, was.lost, true
	}
	return f, true
}

// take reads what is new, the youngest first: copies as far as the bounds allow, and
// beyond them the hash alone when that is asked for.
func (s *Store) take(ctx context.Context, fresh []found, copied int, hash bool) {
	sort.Slice(fresh, func(i, j int) bool {
		a, b := &fresh[i], &fresh[j]
		return cmp.Or(cmp.Compare(b.mtime, a.mtime), cmp.Compare(a.path, b.path)) < 0
	})
	room := s.o.MaxSight
	if s.pack != nil {
		room = max(room-s.pack.size, s.o.MaxSight/2)
	}
	files := s.o.MaxFiles - copied
	var read []*found
	for i := range fresh {
		f := &fresh[i]
		switch {
		case f.size > s.o.MaxFile:
			f.lost = s.tooLarge(f.size).Error()
			continue
		case files <= 0:
			f.lost = fmt.Sprintf("it is beyond the %d files that are looked after", s.o.MaxFiles)
		case room < f.size:
			f.lost = fmt.Sprintf("it is beyond the %d bytes that are looked after", s.o.MaxSight)
		default:
			room, files = room-f.size, files-1
		}
		if f.lost == "" || hash {
			read = append(read, f)
		}
	}
	s.fill(ctx, read)
}

// chunk is how many bytes are read before they are written to the pack.
const chunk = 4 << 20

// fill reads files, two at a time, and adds them to the pack.
func (s *Store) fill(ctx context.Context, read []*found) {
	for len(read) > 0 {
		n, bytes := 0, int64(0)
		for n < len(read) && (n == 0 || bytes+read[n].size <= chunk) {
			bytes += read[n].size
			n++
		}
		data := make([]content, n)
		var wg sync.WaitGroup
		for half := range 2 {
			wg.Go(func() {
				for i := half; i < n; i += 2 {
					data[i] = s.open(ctx, read[i])
				}
			})
		}
		wg.Wait()
		data = slices.DeleteFunc(data, func(c content) bool { return c.hash == "" })
		p, err := s.openPack()
		if err == nil {
			err = p.add(data)
		}
		if err != nil {
			err = bare(err)
			s.fails(err)
		}
		for _, f := range read[:n] {
			if err != nil && f.lost == "" {
				f.lost = err.Error()
			}
		}
		read = read[n:]
	}
}

func (s *Store) open(ctx context.Context, f *found) content {
	if ctx.Err() != nil {
		f.lost = context.Cause(ctx).Error()
		return content{}
	}
	state, data, err := s.read(f.path)
	if err != nil || data == nil || state.Mode != f.mode {
		f.lost = cmp.Or(err, errors.New("it changed while it was looked at")).Error()
		return content{}
	}
	f.hash = state.Hash
	if f.lost != "" {
		return content{} // beyond the bounds
	}
	return content{state.Hash, data}
}
