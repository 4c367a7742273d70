package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxFile is the largest file, in bytes, that ReadFile loads.
const MaxFile = 256 << 20

// MaxBuffer is the largest file on disk, in bytes, for which an editor is asked. Its whole
// content would come in one message; a larger file is the disk's, whoever has it open.
const MaxBuffer = 8 << 20

// Hash names a content: SHA-256 in hex.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// File is one file as it was when read; Replace wants it back.
type File struct {
	Path string // absolute, links resolved
	Data []byte
	Hash string
	Mode fs.FileMode // 0 when an editor holds the file
	// AtOnce tells Replace that nobody was waited for since the read: an editor that
	// holds the file is not asked for its buffer once more.
	AtOnce bool

	info  fs.FileInfo // nil when an editor holds the file
	after uint64      // writes of buffers when an editor's was read
}

// ReadFile loads the file at abs, a result of ReadPath or WritePath, from the
// editor when it holds it and it has no more than MaxBuffer on disk, else from disk. Other than regular files and files
// over MaxFile are refused.
func (f *FS) ReadFile(ctx context.Context, abs string) (*File, error) {
	r, err := f.Reader(ctx, abs)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return f.load(ctx, abs, r)
}

// load reads all of a file.
func (f *FS) load(ctx context.Context, abs string, r *Reader) (*File, error) {
	if r.Size > MaxFile {
		return nil, &PathError{
			Op: "read", Path: f.Rel(abs), Err: ErrTooLarge,
			Reason: fmt.Sprintf("%d bytes are over the limit of %d", r.Size, MaxFile),
		}
	}
	if b, ok := r.ReadSeeker.(*bytes.Reader); ok {
		data := make([]byte, b.Len())
		_, _ = io.ReadFull(b, data)
		return &File{Path: abs, Data: data, Hash: Hash(data), after: r.after}, nil
	}
	data, err := readAll(r, r.Size)
	if err != nil {
		return nil, refuse("read", f.Rel(abs), err)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return &File{Path: abs, Data: data, Hash: Hash(data), Mode: r.Mode, info: r.info}, nil
}

// readAll reads up to MaxFile bytes into one buffer made for size bytes. A file
// that turns out longer, because it grows or because its size says nothing as in
// /proc, is refused.
func readAll(r io.Reader, size int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(r, MaxFile+1)); err != nil {
		return nil, err
	}
	if buf.Len() > MaxFile {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, MaxFile)
	}
	return buf.Bytes(), nil
}

// A Reader is an open file and what was known of it when it was opened.
type Reader struct {
	io.ReadSeeker
	Size int64 // bytes
	Mode fs.FileMode
	info fs.FileInfo
	file io.Closer

	after uint64 // as in File
}

// Close releases the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Reader opens the file at abs, a result of ReadPath, without loading it. It
// never waits for a named pipe or a device: they are refused. Nor does a read wait
// that finds nothing more for now, as in /proc/kmsg: it fails. No link is followed
// any more: a directory that was swapped for one since ReadPath leads nowhere.
func (f *FS) Reader(ctx context.Context, abs string) (*Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if f.Hidden(abs) {
		return nil, hidden("read", f.Rel(abs))
	}
	if f.over != nil {
		after := f.buffers.Load()
		data, err := f.buffer(ctx, abs)
		if err == nil {
			return &Reader{ReadSeeker: bytes.NewReader(data), Size: int64(len(data)), after: after}, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, refuse("read", f.Rel(abs), err)
		}
	}
	return f.fromDisk(abs)
}

// buffer is what the editor holds of a file, ErrUnsupported when that is the disk's.
func (f *FS) buffer(ctx context.Context, abs string) ([]byte, error) {
	if info, err := os.Lstat(abs); err == nil && info.Size() > MaxBuffer {
		return nil, errors.ErrUnsupported
	}
	return f.over.ReadFile(ctx, abs)
}

// fromDisk is Reader without an editor.
func (f *FS) fromDisk(abs string) (*Reader, error) {
	file, info, err := f.open(abs)
	if err != nil {
		return nil, refuse("read", f.Rel(abs), err)
	}
	if links(info) > 1 && f.linkedToHidden(info) {
		_ = file.Close() // nothing was written
		return nil, hidden("read", f.Rel(abs))
	}
	return &Reader{ReadSeeker: file, Size: info.Size(), Mode: info.Mode(), info: info, file: file}, nil
}

// regular refuses what is no ordinary file, before an open that could block.
func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &reason{"is a directory", ErrDirectory}
	case !info.Mode().IsRegular():
		return &reason{"not a regular file (" + kindOf(info.Mode()) + ")", ErrNotRegular}
	}
	return nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
