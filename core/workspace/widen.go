package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// AddWritable makes dir, an existing directory, writable for the rest of the
// session: a person allowed it. What Openable refuses is refused.
func (f *FS) AddWritable(dir string) error {
	real, err := f.openable(dir)
	if err != nil {
		return fmt.Errorf("add writable directory %s: %w", dir, err)
	}
	for {
		old := f.write.Load()
		if slices.Contains(*old, real) {
			return nil
		}
		roots := append(slices.Clone(*old), real)
		if f.write.CompareAndSwap(old, &roots) {
			return nil
		}
	}
}

// Openable is an error for a directory that no answer makes writable: what is
// hidden or protected, lies in Roots.Shut or belongs to the system; what holds any
// of these or the workspace; the root of a file system and what lies directly in
// it; and what is no directory.
func (f *FS) Openable(dir string) error {
	if _, err := f.openable(dir); err != nil {
		return fmt.Errorf("open directory %s for writing: %w", dir, err)
	}
	return nil
}

// openable returns dir with its links resolved.
func (f *FS) openable(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", errors.New("not absolute")
	}
	dir = filepath.Clean(dir)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", reasonOf(err)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", reasonOf(err)
	case !info.IsDir():
		return "", errors.New("not a directory")
	}
	for _, path := range []string{dir, real} {
		if err := f.mayOpen(path); err != nil {
			return "", err
		}
	}
	return real, nil
}

func (f *FS) mayOpen(dir string) error {
	if f.Hidden(dir) {
		return ErrHidden
	}
	if what, ok := f.guarded(dir); ok {
		return fmt.Errorf("%w (%s)", ErrProtected, what)
	}
	if top := filepath.Dir(dir); top == filepath.Dir(top) || holds(dir, f.dir) {
		return errors.New("it is too wide")
	}
	if member, ok := f.shut.find(dir); ok {
		return fmt.Errorf("%s stays closed, because it holds programs, secrets or the system", filepath.ToSlash(member))
	}
	for _, set := range []pathSet{f.shut, f.protect, f.hide} {
		if member, ok := set.below(dir); ok {
			return fmt.Errorf("it holds %s, which stays closed", filepath.ToSlash(member))
		}
	}
	return nil
}

// systemDirs hold what the system runs or is told by. What lies directly in the
// root of a file system is too wide in any case.
func systemDirs() []string {
	if runtime.GOOS != "windows" {
		return []string{
			"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/dev", "/proc", "/sys", "/run",
			"/var/lib", "/var/run", "/var/spool", "/var/cron", "/var/at", "/var/db", "/snap", "/nix", "/gnu",
			"/System", "/Library", "/Applications", "/private/etc",
			"/private/var/run", "/private/var/spool", "/private/var/at", "/private/var/db",
		}
	}
	return []string{`C:\Windows`, `C:\Program Files`, `C:\Program Files (x86)`, `C:\ProgramData`}
}
