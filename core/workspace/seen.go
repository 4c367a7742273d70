package workspace

import (
	"maps"
	"slices"
)

// Sight is what the model has seen of one file.
type Sight struct {
	Hash    string `json:"hash"`              // of the content it saw, see Hash
	Partial bool   `json:"partial,omitempty"` // not all of it
}

// Seen records that the model has been shown the content with this hash, or,
// with partial, some of it. A later partial sight of a content already seen
// whole does not take that back.
func (f *FS) Seen(abs, hash string, partial bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if was, ok := f.seen[abs]; ok && was.Hash == hash && !was.Partial {
		return
	}
	f.seen[abs] = Sight{Hash: hash, Partial: partial}
	f.note(abs)
}

// note remembers that what is known of abs changed. f.mu is held.
func (f *FS) note(abs string) {
	if f.fresh == nil {
		f.fresh = map[string]bool{}
	}
	f.fresh[abs] = true
}

// Fresh returns what the model has seen since the last call, by absolute path,
// so that it can be recorded. The zero Sight is a path nothing is known of any
// more.
func (f *FS) Fresh() map[string]Sight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.fresh) == 0 {
		return nil
	}
	sights := make(map[string]Sight, len(f.fresh))
	for abs := range f.fresh {
		sights[abs] = f.seen[abs]
	}
	f.fresh = nil
	return sights
}

// LastSeen returns the hash of the content the model last saw of abs, and
// whether it saw only a part; ok is false when it saw nothing.
func (f *FS) LastSeen(abs string) (hash string, partial, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.seen[abs]
	return s.Hash, s.Partial, ok
}

// Snapshot returns what the model has seen, by absolute path, for Restore.
func (f *FS) Snapshot() map[string]Sight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.seen)
}

// Restore replaces what the model has seen, when a session is resumed.
func (f *FS) Restore(seen map[string]Sight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = maps.Clone(seen)
	if f.seen == nil {
		f.seen = map[string]Sight{}
	}
}

// MaxKept is the largest content, in bytes, that Remember keeps.
const MaxKept = 128 << 10

// keepTotal bounds, in bytes, all that is kept.
const keepTotal = 4 << 20

// memory keeps the last contents seen, oldest dropped first.
type memory struct {
	text  map[string][]byte
	order []string
	size  int
}

func newMemory() *memory { return &memory{text: map[string][]byte{}} }

// Remember keeps data as the content the model last saw of abs, so that what
// changed since can be shown. data must not be changed afterwards.
func (f *FS) Remember(abs string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.text
	m.drop(abs)
	if len(data) > MaxKept {
		return
	}
	m.text[abs], m.size = data, m.size+len(data)
	m.order = append(m.order, abs)
	for m.size > keepTotal {
		m.drop(m.order[0])
	}
}

// Recall returns the content the model last saw of abs, if it is still kept.
func (f *FS) Recall(abs string) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, ok := f.text.text[abs]
	return data, ok
}

// drop forgets abs and takes it out of the order, whether or not it has a text.
func (m *memory) drop(abs string) {
	m.size -= len(m.text[abs])
	delete(m.text, abs)
	m.order = slices.DeleteFunc(m.order, func(name string) bool { return name == abs })
}
