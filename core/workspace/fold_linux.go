package workspace

import (
	"golang.org/x/sys/unix"
)

// casefoldFlag is FS_CASEFOLD_FL of linux/fs.h: ext4, f2fs, bcachefs and tmpfs
// have it per directory.
const casefoldFlag = 0x40000000

// foldsByKind asks the directory's flags and knows the file systems that come from
// systems that fold.
func foldsByKind(dir string) bool {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS); err == nil && flags&casefoldFlag != 0 {
		return true
	}
	var s unix.Statfs_t
	if unix.Fstatfs(fd, &s) != nil {
		return false
	}
	switch uint32(s.Type) {
	case unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, unix.HPFS_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
		0x5346544e, 0x7366746e, // NTFS, by either driver
		0x482b: // HFS+
		return true
	}
	return false
}
