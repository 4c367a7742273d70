package walk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"

	"reasonix/core/durable"
)

// listing reads directories with getdents64 into one buffer: the names of a
// directory then share one string, and types need no lstat.
type listing struct {
	buf  []byte
	blob []byte
	ends []int

	// What was found out about the last file system met.
	asked  bool
	device uint64
	kernel bool
}

// The fields of struct linux_dirent64 before its name.
const (
	direntReclen = 16
	direntType   = 18
	direntName   = 19
)

// errKernel is listing's refusal of a directory of a kernel file system, such as a
// /proc mounted in a container's tree: its files may block or never end.
var errKernel = errors.New("a directory of a kernel file system")

// read lists dir; one of a kernel file system only when kernel allows it.
func (l *listing) read(dir string, kernel bool) ([]entry, error) {
	fd, err := openDir(dir)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer syscall.Close(fd)
	if !kernel && l.ofKernel(fd) {
		return nil, &os.PathError{Op: "open", Path: dir, Err: errKernel}
	}
	if l.buf == nil {
		l.buf = make([]byte, 32<<10)
	}
	l.blob, l.ends = l.blob[:0], l.ends[:0]
	var entries []entry
	for {
		n, err := syscall.ReadDirent(fd, l.buf)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			l.name(entries)
			if err != nil {
				err = &os.PathError{Op: "readdir", Path: dir, Err: err}
			}
			return entries, err
		}
		entries = l.parse(dir, l.buf[:n], entries)
	}
}

// ofKernel asks each file system once: on some the question is a round trip.
func (l *listing) ofKernel(fd int) bool {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return false
	}
	if !l.asked || l.device != st.Dev {
		l.asked, l.device, l.kernel = true, st.Dev, durable.KernelFile(fd)
	}
	return l.kernel
}

// ofKernel reports whether dir is on a kernel file system.
func ofKernel(dir string) bool {
	fd, err := openDir(dir)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	return durable.KernelFile(fd)
}

func openDir(dir string) (int, error) {
	for {
		fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

func (l *listing) parse(dir string, b []byte, entries []entry) []entry {
	for len(b) > direntName {
		size := int(binary.NativeEndian.Uint16(b[direntReclen:]))
		if size <= direntName || size > len(b) {
			return entries
		}
		rec := b[:size]
		b = b[size:]
		name := rec[direntName:]
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		if len(name) == 0 || string(name) == "." || string(name) == ".." {
			continue
		}
		l.blob = append(l.blob, name...)
		l.ends = append(l.ends, len(l.blob))
		entries = append(entries, entry{kind: kindOf(rec[direntType], dir, name)})
	}
	return entries
}

// name gives the entries their names, all out of one string.
func (l *listing) name(entries []entry) {
	names, from := string(l.blob), 0
	for i, end := range l.ends {
		entries[i].name = names[from:end]
		from = end
	}
}

func kindOf(t byte, dir string, name []byte) kind {
	switch t {
	case syscall.DT_REG:
		return kindFile
	case syscall.DT_DIR:
		return kindDir
	case syscall.DT_LNK:
		return kindLink
	case syscall.DT_UNKNOWN:
		var st syscall.Stat_t
		if syscall.Lstat(joinDir(dir, string(name)), &st) != nil {
			return kindOther
		}
		switch st.Mode & syscall.S_IFMT {
		case syscall.S_IFREG:
			return kindFile
		case syscall.S_IFDIR:
			return kindDir
		case syscall.S_IFLNK:
			return kindLink
		}
	}
	return kindOther
}
