package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// What an error of Open and ReadFile can wrap besides the errors of io/fs.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
)

// Open opens the regular file at path for reading. It is for files that somebody
// else may have put there, a cloned repository say: neither Open nor a read of
// what it returns waits for a named pipe or a device. Those, directories, and the
// files of kernel file systems such as /proc, which look regular and may block or
// never end, are refused with an error that wraps ErrNotRegular and names the
// kind. Links are followed; what they lead to is what counts.
func Open(path string) (*os.File, error) {
	f, err := open(path)
	return notOfKernel(f, path, err)
}

// OpenIn is Open for name below root, which no link leads out of.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, err := look(name, root.Stat, func() (*os.File, error) { return root.OpenFile(name, os.O_RDONLY|nonblock, 0) })
	return notOfKernel(f, name, err)
}

// ReadFile reads the file at path, which Open must take, whole. A file of more
// than limit bytes is refused with an error that wraps ErrTooLarge and names its
// size and the limit; no more than limit+1 bytes of it are read.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: bare(err)}
	}
	return data, nil
}

func readAll(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > limit {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, size, limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: more than %d bytes, which is the limit", ErrTooLarge, limit)
	}
	return data, err
}

// open opens a regular file, be it the kernel's.
func open(path string) (*os.File, error) {
	return look(path, os.Stat, func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonblock, 0) })
}

// look looks before it opens, because opening a device may already do something,
// and again at what it opened, which may be another file by now.
func look(path string, stat func(string) (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, error) {
	info, err := stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: bare(err)}
	}
	f, err := open()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: bare(err)}
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, &fs.PathError{Op: "open", Path: path, Err: bare(err)}
	}
	return f, nil
}

// notOfKernel closes f and refuses it when it is a file the kernel makes up.
func notOfKernel(f *os.File, path string, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	if ofKernel(f) {
		_ = f.Close() // nothing was written
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w (of a kernel file system)", ErrNotRegular)}
	}
	return f, nil
}

// regular refuses what is no regular file by its kind.
func regular(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%w (%s)", ErrNotRegular, kind(info.Mode()))
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
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

// ofKernel is KernelFile for an open file. One that cannot be asked is none.
func ofKernel(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var yes bool
	err = raw.Control(func(fd uintptr) { yes = KernelFile(int(fd)) })
	return err == nil && yes
}
