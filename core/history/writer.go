package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"reasonix/core/durable"
	"reasonix/core/retrieval"
)

// Segments are merged while the last is at least half of the one before it, so that
// there are few of them and each byte is written a few times only. Large ones stay
// alone, because merging holds their terms in memory.
const mostMerged = 32 << 20

// writer appends to an index file under its lock.
type writer struct {
	*indexFile
	path string
	lock *durable.Lock
}

// openWriter takes the lock and opens the index, a new one where there is none to
// use. *durable.HeldError says that another process writes it.
func (s shelf) openWriter() (*writer, error) {
	lock, err := durable.Acquire(s.index + ".lock")
	if err != nil {
		return nil, err
	}
	w := &writer{path: s.index, lock: lock}
	if err := w.open(); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return w, nil
}

func (w *writer) open() error {
	x, err := openIndex(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errIndex), errors.Is(err, durable.ErrNotRegular):
		return w.renew()
	case err != nil:
		return err
	}
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		return errors.Join(err, x.Close())
	}
	err = x.f.Close()
	x.f, w.indexFile = f, x
	return err
}

// renew begins an empty index in the place of whatever is there.
func (w *writer) renew() error {
	f, err := create(w.path)
	if err != nil {
		return err
	}
	w.indexFile = &indexFile{f: f, end: headSize}
	return nil
}

// create makes an empty index in place of what has its name.
func create(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("replace index: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create index: %w", err)
	}
	head := make([]byte, headSize)
	copy(head, indexMagic)
	if _, err := f.WriteAt(head, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("create index: %w", err), f.Close())
	}
	return f, nil
}

// add appends a segment; its documents are those of runs.
func (w *writer) add(b *retrieval.Builder, runs []run) error {
	size, err := b.WriteTo(io.NewOffsetWriter(w.f, w.end))
	if err != nil {
		return err
	}
	w.catalog.Segments = append(w.catalog.Segments, &inFile{w.end, size, runs})
	w.end += size
	return nil
}

// tidy merges small segments at the end of the list.
func (w *writer) tidy() error {
	for {
		list := w.catalog.Segments
		n := len(list)
		if n < 2 || list[n-1].Size < list[n-2].Size/2 || list[n-1].Size+list[n-2].Size > mostMerged {
			return nil
		}
		if err := w.merge(list[n-2], list[n-1]); err != nil {
			return err
		}
	}
}

// merge replaces the last two segments by one.
func (w *writer) merge(a, b *inFile) error {
	var parts []retrieval.Part
	var runs []run
	at := 0
	for _, s := range []*inFile{a, b} {
		segment, err := w.segment(s)
		if err != nil {
			return err
		}
		parts = append(parts, retrieval.Part{Segment: segment, Live: ranges(s.Runs)})
		for _, r := range s.Runs {
			runs = append(runs, run{r.Source, at, at + r.To - r.From})
			at += r.To - r.From
		}
	}
	size, err := retrieval.Merge(io.NewOffsetWriter(w.f, w.end), parts)
	if err != nil {
		return err
	}
	n := len(w.catalog.Segments)
	w.catalog.Segments = append(w.catalog.Segments[:n-2], &inFile{w.end, size, joined(runs)})
	w.catalog.Free += a.Size + b.Size
	w.end += size
	return nil
}

// ranges are the documents that count; runs ascend.
func ranges(runs []run) []retrieval.Range {
	var list []retrieval.Range
	for _, r := range runs {
		if n := len(list); n > 0 && list[n-1].To == r.From {
			list[n-1].To = r.To
			continue
		}
		list = append(list, retrieval.Range{From: r.From, To: r.To})
	}
	return list
}

// joined makes one of neighbouring runs of a source.
func joined(runs []run) []run {
	var list []run
	for _, r := range runs {
		if n := len(list); n > 0 && list[n-1].Source == r.Source && list[n-1].To == r.From {
			list[n-1].To = r.To
			continue
		}
		list = append(list, r)
	}
	return list
}

// commit makes what was added count: the catalog is written behind it, then the
// older slot. Nothing is synced: after a power loss the checksums tell, and the index
// is built again.
func (w *writer) commit() error {
	w.catalog.Free += w.written
	data, err := json.Marshal(w.catalog)
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if _, err := w.f.WriteAt(data, w.end); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	w.number++
	slot := appendSlot(nil, w.number, w.end, int64(len(data)), checksum(data))
	if _, err := w.f.WriteAt(slot, int64(slotsAt)+int64(w.number%2)*slotSize); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	w.end += int64(len(data))
	w.written = int64(len(data))
	return nil
}

// shrink writes the file anew when a third of it is free.
func (w *writer) shrink() error {
	if w.catalog.Free < 1<<20 || w.catalog.Free < w.end/3 {
		return nil
	}
	temp := w.path + ".new"
	f, err := create(temp)
	if err != nil {
		return err
	}
	next := &writer{indexFile: &indexFile{f: f, end: headSize, number: w.number}, path: w.path, lock: w.lock}
	err = next.copy(w)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp, w.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp)) // on Windows while somebody reads it: next time
	}
	return nil
}

func (w *writer) copy(from *writer) error {
	w.catalog.Sources = from.catalog.Sources
	for _, s := range from.catalog.Segments {
		if _, err := io.Copy(io.NewOffsetWriter(w.f, w.end), io.NewSectionReader(from.f, s.Offset, s.Size)); err != nil {
			return fmt.Errorf("shrink index: %w", err)
		}
		w.catalog.Segments = append(w.catalog.Segments, &inFile{w.end, s.Size, s.Runs})
		w.end += s.Size
	}
	return w.commit()
}

// close releases the file and the lock.
func (w *writer) close() error { return errors.Join(w.f.Close(), w.lock.Release()) }
