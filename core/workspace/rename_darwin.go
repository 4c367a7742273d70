package workspace

import "golang.org/x/sys/unix"

// renameAt renames unless the new name exists. ENOTSUP means that the file
// system cannot do that in one step.
func renameAt(from int, old string, to int, new string) error {
	return unix.RenameatxNp(from, old, to, new, unix.RENAME_EXCL)
}

func renameAtPlain(from int, old string, to int, new string) error {
	return unix.Renameat(from, old, to, new)
}
