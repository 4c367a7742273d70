package jsonl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// How much of a journal List reads at most: the beginning, until the first prompt
// and configuration, and the end.
const (
	headBytes = 256 << 10
	headLimit = 8 << 20 // with the end of the line that headBytes are in
	tailBytes = 64 << 10
)

// List implements session.Store. It stats every session; what it shows of one that
// has not changed since comes from the list's own cache, or from its index, and
// otherwise from the header and a bounded part of the journal. A title nobody set is
// the first prompt's first line.
func (s *Store) List(ctx context.Context, q session.Query) ([]session.Meta, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	wanted := behind(files, q.Before)
	var cache *listCache
	if q.Limit <= 0 || q.Limit > worthCache {
		if len(wanted) > worthCache {
			cache = s.openCache()
		}
	}
	most := len(wanted)
	if q.Limit > 0 {
		most = min(most, q.Limit)
	}
	found := make([]session.Meta, 0, most)
	for _, f := range wanted {
		if q.Limit > 0 && len(found) == q.Limit {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list sessions in %s: %w", s.dir, err)
		}
		m, ok := cache.get(f)
		if !ok {
			m, ok = s.summary(f)
			if ok {
				cache.put(f, m)
			}
		}
		if ok {
			found = append(found, m)
		}
	}
	if cache != nil && cache.changed {
		s.keepCache(cache, files)
	}
	return found, nil
}

// file is one journal as the directory shows it.
type file struct {
	id      event.SessionID
	written time.Time
	nanos   int64 // of written
	size    int64
}

// files returns the journals, newest first.
func (s *Store) files() ([]file, error) {
	names, err := s.names()
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	files := make([]file, 0, len(names)/2)
	for _, entry := range names {
		name, isJournal := strings.CutSuffix(entry, ".jsonl")
		if id := event.SessionID(name); isJournal && session.ValidID(id) {
			files = append(files, file{id: id})
		}
	}
	s.stat(files)
	files = slices.DeleteFunc(files, func(f file) bool { return f.size < 0 }) // deleted meanwhile, or not ours
	sort.Slice(files, func(i, j int) bool {
		a, b := &files[i], &files[j]
		return cmp.Or(cmp.Compare(b.nanos, a.nanos), strings.Compare(string(b.id), string(a.id))) < 0
	})
	return files, nil
}

// stat fills in size and time, size -1 for what is no regular file. Looking at many
// files is mostly waiting for the system, so several look at once.
func (s *Store) stat(files []file) {
	const share = 512
	var wg sync.WaitGroup
	for part := range slices.Chunk(files, max(share, len(files)/runtime.GOMAXPROCS(0)+1)) {
		wg.Go(func() {
			for i := range part {
				f := &part[i]
				info, err := os.Lstat(s.journal(f.id))
				if err != nil || !info.Mode().IsRegular() {
					f.size = -1
					continue
				}
				f.written, f.size = info.ModTime(), info.Size()
				f.nanos = f.written.UnixNano()
			}
		})
	}
	wg.Wait()
}

// names lists the directory, in no order; a directory that is not there is empty.
func (s *Store) names() ([]string, error) {
	d, err := os.Open(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// behind drops what List puts before id and id itself. When id is gone its own time
// says where it was.
func behind(files []file, id event.SessionID) []file {
	if id == "" {
		return files
	}
	if i := slices.IndexFunc(files, func(f file) bool { return f.id == id }); i >= 0 {
		return files[i+1:]
	}
	return slices.DeleteFunc(files, func(f file) bool { return f.id > id })
}

// summary reads what a list shows of one session; false when nothing of it can be
// read.
func (s *Store) summary(f file) (session.Meta, bool) {
	if x := s.listedIndex(f); x != nil && x.Size == f.size && x.Written == f.nanos {
		return x.meta(f.id), true
	}
	in, err := durable.Open(s.journal(f.id))
	if err != nil {
		return session.Meta{}, false
	}
	defer in.Close()
	buffer := int(min(max(f.size, 512), 64<<10))
	b := brief{digest: digest{Updated: f.written}}
	var read int64
	if x := s.listedIndex(f); x != nil && x.covers(in, f.size, f.written) {
		b.digest, b.known, read = x.digest, true, x.Size
	} else {
		read = b.head(newLineReaderSize(io.NewSectionReader(in, 0, min(f.size, headLimit)), buffer))
	}
	if start := max(read, f.size-tailBytes); start < f.size {
		b.tail(newLineReaderSize(io.NewSectionReader(in, start, f.size-start), buffer), start > read)
	}
	return b.meta(f.id), b.known
}

// listedIndex reads the first line of an index, unchecked; nil when there is none.
func (s *Store) listedIndex(f file) *index {
	in, err := durable.Open(s.path(f.id, ".idx"))
	if err != nil {
		return nil
	}
	defer in.Close()
	line, _, err := newLineReaderSize(in, 4<<10).next()
	if err != nil {
		return nil
	}
	x, err := decodeIndex(line, f.id, false)
	if err != nil {
		return nil
	}
	return x
}

// brief collects a summary from records.
type brief struct {
	digest
	known bool // a header or a record was read
}

// head reads until it has seen a configuration and a prompt and returns how far.
func (b *brief) head(r *lineReader) int64 {
	for r.off < headBytes && (b.Configured == nil || b.First == "") {
		line, _, err := r.next()
		if err != nil {
			break
		}
		if r.n > 1 {
			b.see(line)
			continue
		}
		h, record, damage := parseHeader(line)
		b.known = damage == nil
		b.Header = h
		if record != nil {
			b.known = true
			b.record(record, true)
		}
	}
	return r.off
}

func (b *brief) tail(r *lineReader, insideLine bool) {
	if insideLine {
		if _, _, err := r.next(); err != nil {
			return
		}
	}
	for {
		line, _, err := r.next()
		if err != nil {
			return
		}
		b.see(line)
	}
}

func (b *brief) see(line []byte) {
	if object, ok := sealed.Open(line); ok {
		b.known = true
		b.record(object, true)
	}
}
