package workspace

import "golang.org/x/sys/unix"

// renameAt renames unless the new name exists. ENOSYS, EINVAL and ENOTSUP mean
// that the kernel or the file system cannot do that in one step.
func renameAt(from int, old string, to int, new string) error {
	return unix.Renameat2(from, old, to, new, unix.RENAME_NOREPLACE)
}

func renameAtPlain(from int, old string, to int, new string) error {
	return unix.Renameat(from, old, to, new)
}
