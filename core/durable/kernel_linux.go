package durable

import (
	"errors"
	"syscall"
)

// KernelFile reports whether the open descriptor fd, a file or a directory, is on
// a file system that the kernel makes up, such as /proc or /sys. A file there
// looks regular and may block, never end, or change something when it is read.
func KernelFile(fd int) bool {
	var s syscall.Statfs_t
	err := syscall.Fstatfs(fd, &s)
	for errors.Is(err, syscall.EINTR) {
		err = syscall.Fstatfs(fd, &s)
	}
	return err == nil && kernelType(uint32(s.Type))
}

// kernelType knows the numbers of statfs(2), from linux/magic.h.
func kernelType(magic uint32) bool {
	switch magic {
	case 0x9fa0, // proc
		0x62656572, // sysfs
		0x64626720, // debugfs
		0x74726163, // tracefs
		0x73636673, // securityfs
		0x62656570, // configfs
		0x6165676c, // pstore
		0xcafe4a11, // bpf
		0x42494e4d, // binfmt_misc
		0xde5e81e4, // efivarfs
		0xf97cff8c, // selinux
		0x43415d53, // smack
		0x0027e0eb, // cgroup
		0x63677270, // cgroup2
		0x19800202, // mqueue
		0x6e736673: // nsfs
		return true
	}
	return false
}
