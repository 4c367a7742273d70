package jsonl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// Save implements session.Store. The hash is the SHA-256 of the bytes in hex. The
// bytes get their name when they are whole and on disk.
func (s *Store) Save(ctx context.Context, id event.SessionID, r io.Reader) (hash, path string, err error) {
	if err := s.exists(id); err != nil {
		return "", "", named("save bytes beside", id, err)
	}
	dir := s.path(id, ".files")
	hash, err = keep(ctx, dir, r)
	if err != nil {
		return "", "", named("save bytes beside", id, err)
	}
	return hash, filepath.Join(dir, hash), nil
}

func keep(ctx context.Context, dir string, r io.Reader) (hash string, err error) {
	if err := durable.MkdirAll(dir); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if f != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), r)
	if err == nil {
		err = ctx.Err()
	}
	hash = hex.EncodeToString(sum.Sum(nil))
	path := filepath.Join(dir, hash)
	if info, serr := os.Stat(path); err != nil || serr == nil && info.Size() == size {
		return hash, err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	temp := f.Name()
	if err := f.Close(); err != nil {
		return "", err
	}
	f = nil
	if err := os.Rename(temp, path); err != nil {
		return "", errors.Join(err, os.Remove(temp))
	}
	return hash, durable.SyncDir(dir)
}

// maxLoad is how many bytes Load reads into memory; Save keeps more.
const maxLoad = 256 << 20

// Load implements session.Store. Bytes that no longer have their hash are an error.
func (s *Store) Load(_ context.Context, id event.SessionID, hash string) ([]byte, error) {
	op := fmt.Sprintf("load %s of", hash)
	if raw, err := hex.DecodeString(hash); err != nil || len(raw) != sha256.Size || !session.ValidID(id) {
		return nil, named(op, id, fs.ErrNotExist)
	}
	data, err := durable.ReadFile(filepath.Join(s.path(id, ".files"), hash), maxLoad)
	if err != nil {
		return nil, named(op, id, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, named(op, id, errors.New("the bytes changed since they were saved"))
	}
	return data, nil
}
