package checkpoint

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/durable"
)

// pack holds content, one piece behind the other, each behind its hash and its size. The
// one that a Store writes has what no change needs yet and goes with it; one that became
// the only place of something that was changed is kept for good under another name.
type pack struct {
	file *os.File // nil: there is none, and nothing in it
	size int64
	at   map[string]piece
	done bool // nothing is added any more
}

type piece struct{ offset, size int64 }

// Names in the Store's directory.
const (
	packName = "sight.pack"
	keptHead = "kept."
	keptTail = ".pack"
)

// frame is how many bytes are before a piece: its SHA-256 and its size.
const frame = 32 + 8

func (s *Store) openPack() (*pack, error) {
	if s.pack != nil {
		return s.pack, nil
	}
	f, err := s.fresh(packName, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	s.pack = &pack{file: f, at: map[string]piece{}}
	return s.pack, nil
}

// fresh makes a file in the Store's directory. What is there goes, be it a link.
func (s *Store) fresh(name string, how int) (*os.File, error) {
	if err := durable.MkdirAll(s.o.Dir); err != nil {
		return nil, err
	}
	path := filepath.Join(s.o.Dir, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|how, 0o600)
}

// left opens a file that was left in the Store's directory; fs.ErrNotExist when there is
// none, or what is there is no file.
func (s *Store) left(name string) (*os.File, error) {
	dir, err := os.OpenRoot(s.o.Dir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(s.o.Dir, name), Err: fs.ErrNotExist}
	}
	return durable.OpenIn(dir, name)
}

// readPack opens a pack that is complete, or was cut off.
func (s *Store) readPack(name string) (*pack, error) {
	p := &pack{at: map[string]piece{}, done: true}
	f, err := s.left(name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.file = f
	var head [frame]byte
	for {
		if _, err := f.ReadAt(head[:], p.size); err != nil {
			return p, nil //nolint:nilerr // the end
		}
		size := int64(binary.BigEndian.Uint64(head[32:]))
		if size < 0 || size > s.o.MaxFile {
			return p, nil // what follows is no piece
		}
		p.at[hex.EncodeToString(head[:32])] = piece{p.size + frame, size}
		p.size += frame + size
	}
}

// add appends pieces that the pack does not hold.
func (p *pack) add(all []content) error {
	if p.done {
		return nil
	}
	var batch []byte
	at := p.size
	for _, c := range all {
		if _, ok := p.at[c.hash]; ok {
			continue
		}
		sum, err := hex.DecodeString(c.hash)
		if err != nil {
			return err
		}
		p.at[c.hash] = piece{at + frame, int64(len(c.data))}
		batch = append(batch, sum...)
		batch = binary.BigEndian.AppendUint64(batch, uint64(len(c.data)))
		batch = append(batch, c.data...)
		at += frame + int64(len(c.data))
	}
	if _, err := p.file.WriteAt(batch, p.size); err != nil {
		for _, c := range all {
			if p.at[c.hash].offset >= p.size {
				delete(p.at, c.hash)
			}
		}
		return err
	}
	p.size = at
	return nil
}

type content struct {
	hash string
	data []byte
}

func (p *pack) has(hash string) bool {
	if p == nil {
		return false
	}
	_, ok := p.at[hash]
	return ok
}

func (p *pack) get(hash string) ([]byte, bool) {
	if !p.has(hash) {
		return nil, false
	}
	at := p.at[hash]
	data := make([]byte, at.size)
	_, err := p.file.ReadAt(data, at.offset)
	return data, err == nil && hashOf(data) == hash
}

func (p *pack) close() error {
	if p == nil || p.file == nil {
		return nil
	}
	return p.file.Close()
}

// retire keeps the pack for good, under another name: that takes no room on the disk.
func (s *Store) retire() error {
	kept, err := s.keptPacks()
	if err != nil {
		return err
	}
	name := fmt.Sprint(keptHead, len(kept)+1, keptTail)
	if _, err := os.Lstat(filepath.Join(s.o.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already", name)
	}
	// An open file cannot be renamed everywhere.
	if err := s.pack.close(); err != nil {
		return err
	}
	old := s.pack
	s.pack = nil
	if err := os.Rename(filepath.Join(s.o.Dir, packName), filepath.Join(s.o.Dir, name)); err != nil {
		return err
	}
	if s.kept >= 0 {
		s.kept += old.size
	}
	p, err := s.readPack(name)
	if err != nil {
		return err
	}
	s.packs = append(s.packs, p)
	return nil
}

// keptPacks are those that are kept for good.
func (s *Store) keptPacks() ([]*pack, error) {
	if s.packs != nil {
		return s.packs, nil
	}
	all := []*pack{}
	for i := 1; ; i++ {
		p, err := s.readPack(fmt.Sprint(keptHead, i, keptTail))
		if err != nil {
			for _, p := range all {
				_ = p.close() // nothing was written
			}
			return nil, err
		}
		if p.file == nil {
			s.packs = all
			return all, nil
		}
		all = append(all, p)
	}
}

// packed reports whether content is kept for good in a pack.
func (s *Store) packed(hash string) bool {
	all, err := s.keptPacks()
	return err == nil && slices.ContainsFunc(all, func(p *pack) bool { return p.has(hash) })
}

// original is content of which the packs have a copy.
func (s *Store) original(hash string) ([]byte, bool) {
	if data, ok := s.pack.get(hash); ok {
		return data, true
	}
	all, err := s.keptPacks()
	if err != nil {
		return nil, false
	}
	for _, p := range all {
		if data, ok := p.get(hash); ok {
			return data, true
		}
	}
	return nil, false
}

func isKeptPack(name string) bool {
	return strings.HasPrefix(name, keptHead) && strings.HasSuffix(name, keptTail)
}
