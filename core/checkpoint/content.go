package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"reasonix/core/durable"
)

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// keepAt keeps what is at path for good. An error says why its content is not kept;
// the State is right nevertheless.
func (s *Store) keepAt(path string) (State, error) {
	state, data, err := s.read(path)
	if err != nil || data == nil {
		return state, err
	}
	return state, s.keep(state.Hash, data)
}

// stateOf is what is at path.
func (s *Store) stateOf(path string) (State, error) {
	state, _, err := s.read(path)
	return state, err
}

// read reads what is at path: nil of what has no content. Of a file that is too large
// the hash alone is taken.
func (s *Store) read(path string) (State, []byte, error) {
	info, err := os.Lstat(path)
	if absent(err) {
		return State{}, nil, nil
	}
	if err != nil {
		return State{}, nil, err
	}
	mode, ok := modeOf(info.Mode())
	if !ok {
		return State{}, nil, errors.New("it is no file, link or directory")
	}
	state := State{Mode: mode}
	switch state.kind() {
	case kindDir:
		return state, nil, nil
	case kindLink:
		target, err := os.Readlink(path)
		if err != nil {
			return state, nil, err
		}
		state.Hash = hashOf([]byte(target))
		return state, []byte(target), nil
	}
	if info.Size() > s.o.MaxFile {
		state.Hash, err = hashFile(path)
		return state, nil, errors.Join(err, s.tooLarge(info.Size()))
	}
	data, err := durable.ReadFile(path, s.o.MaxFile)
	if err != nil {
		return state, nil, err
	}
	if data == nil {
		data = []byte{}
	}
	state.Hash = hashOf(data)
	return state, data, nil
}

// absent reports whether nothing is at a path, or a file where its directory was.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

func (s *Store) tooLarge(size int64) error {
	return fmt.Errorf("its %d bytes are over the limit of %d", size, s.o.MaxFile)
}

func hashFile(path string) (string, error) {
	f, err := durable.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
