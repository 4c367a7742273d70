package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"time"

	"reasonix/core/durable"
	"reasonix/core/retrieval"
)

const (
	// commitAt is by how many bytes journals must have grown to be worth writing:
	// less is read again by each search, in a few milliseconds.
	commitAt = 512 << 10
	// memoryRoom is how many bytes of journals a search takes in when it cannot
	// write the index.
	memoryRoom = 64 << 20
)

// view is what one search sees of a shelf. It does not change.
type view struct {
	shelf
	file    *indexFile // nil when nothing is written yet
	sources map[int]*source
	parts   []retrieval.Part
	runs    [][]run // by part
	behind  int64   // bytes of journals that are not covered
}

func (v *view) close() {
	if v.file != nil {
		_ = v.file.Close() // it was only read
	}
}

// pacing limits how much a search takes in first.
type pacing struct {
	now   func() time.Time
	until time.Time
}

// look brings the index up to date, as far as it may, and opens it.
func (s shelf) look(ctx context.Context, p pacing) (*view, error) {
	files, err := s.files()
	if err != nil || len(files) == 0 {
		return &view{shelf: s}, err
	}
	sort.Slice(files, func(i, j int) bool {
		a, b := &files[i], &files[j]
		return cmp.Or(cmp.Compare(b.modified, a.modified), cmp.Compare(b.name, a.name)) < 0
	})
	v, grown, err := s.open(files)
	if err != nil {
		return nil, err
	}
	if bytes := pending(grown); bytes >= commitAt {
		if err := s.write(ctx, p, files); err == nil {
			v.close()
			if v, grown, err = s.open(files); err != nil {
				return nil, err
			}
		} else if ctx.Err() != nil {
			v.close()
			return nil, err
		}
	}
	if err := v.remember(ctx, p, grown); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// pending is by how many bytes journals have grown.
func pending(grown []growth) (bytes int64) {
	for _, g := range grown {
		bytes += g.file.size - g.Offset
	}
	return bytes
}

// open reads the index as it is. One that cannot be used is none.
func (s shelf) open(files []file) (*view, []growth, error) {
	v := &view{shelf: s}
	c := &catalog{}
	x, err := openIndex(s.index)
	switch {
	case err == nil:
		v.file, c = x, &x.catalog
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errIndex), errors.Is(err, durable.ErrNotRegular), errors.Is(err, fs.ErrPermission):
	default:
		return nil, nil, err
	}
	grown := c.changes(s, files)
	if err := v.segments(c); err != nil {
		v.close()
		if !errors.Is(err, retrieval.ErrFormat) {
			return nil, nil, err
		}
		s.discard()
		v, c = &view{shelf: s}, &catalog{}
		grown = c.changes(s, files)
	}
	v.sources = make(map[int]*source, len(c.Sources))
	for _, src := range c.Sources {
		v.sources[src.ID] = src
	}
	return v, grown, nil
}

func (v *view) segments(c *catalog) error {
	for _, s := range c.Segments {
		segment, err := v.file.segment(s)
		if err != nil {
			return err
		}
		v.add(segment, s.Runs)
	}
	return nil
}

func (v *view) add(segment *retrieval.Segment, runs []run) {
	v.parts = append(v.parts, retrieval.Part{Segment: segment, Live: ranges(runs)})
	v.runs = append(v.runs, runs)
}

// discard removes an index that is damaged. When it cannot, the next search finds it
// damaged again.
func (s shelf) discard() {
	lock, err := durable.Acquire(s.index + ".lock")
	if err != nil {
		return
	}
	_ = os.Remove(s.index)
	_ = lock.Release()
}

// write takes what has grown into the index file. What was taken in before an error
// stays.
func (s shelf) write(ctx context.Context, p pacing, files []file) (err error) {
	w, err := s.openWriter()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	grown := w.catalog.changes(s, files)
	in := intake{shelf: s, until: p.until, now: p.now, room: -1}
	in.flush = func(b *retrieval.Builder, runs []run) error {
		if err := w.add(b, runs); err != nil {
			return err
		}
		if err := w.tidy(); err != nil {
			return err
		}
		return w.commit()
	}
	if _, err := in.take(ctx, grown); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	return w.shrink()
}

// remember takes the rest into memory.
func (v *view) remember(ctx context.Context, p pacing, grown []growth) error {
	in := intake{shelf: v.shelf, until: p.until, now: p.now, room: memoryRoom}
	in.flush = func(b *retrieval.Builder, runs []run) error {
		var data bytes.Buffer
		if _, err := b.WriteTo(&data); err != nil {
			return err
		}
		segment, err := retrieval.OpenSegment(bytes.NewReader(data.Bytes()), int64(data.Len()))
		if err != nil {
			return fmt.Errorf("index in memory: %w", err)
		}
		v.add(segment, runs)
		return nil
	}
	var err error
	v.behind, err = in.take(ctx, grown)
	return err
}

// owner is the source of a part's document.
func (v *view) owner(part, doc int) *source {
	runs := v.runs[part]
	i, _ := slices.BinarySearchFunc(runs, doc, func(r run, doc int) int {
		if r.To <= doc {
			return -1
		}
		return 1
	})
	if i == len(runs) || doc < runs[i].From {
		return nil
	}
	return v.sources[runs[i].Source]
}
