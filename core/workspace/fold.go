package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// alike reports whether some file system could take the names a and b for the
// same: they differ in case, in how accents are composed, or in characters that
// are not seen.
func alike(a, b string) bool {
	ascii := true
	for i := 0; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		if x >= utf8.RuneSelf || y >= utf8.RuneSelf {
			ascii = false
			break
		}
		if x != y && lower(x) != lower(y) {
			return false
		}
	}
	if ascii && len(a) == len(b) {
		return true
	}
	return strings.EqualFold(seen(a), seen(b))
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// seen is name without what one does not see, in one composition. Windows also
// drops dots and blanks at the end of a name.
func seen(name string) string {
	name = strings.TrimRight(name, ". ")
	ascii := true
	for i := 0; ascii && i < len(name); i++ {
		ascii = name[i] < utf8.RuneSelf
	}
	if ascii {
		return name
	}
	name = strings.ReplaceAll(norm.NFKD.String(name), "ß", "ss")
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, name)
}

// same reports whether two paths, whose names are alike, are one for the file
// system, also while nothing is there yet.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	switch {
	case errX == nil && errY == nil:
		return os.SameFile(x, y)
	case errX == nil || errY == nil:
		return false
	}
	dirA, dirB := filepath.Dir(a), filepath.Dir(b)
	if dirA == a || dirB == b {
		return foldsByKind(a)
	}
	return same(dirA, dirB) && (filepath.Base(a) == filepath.Base(b) || folds(dirA))
}

// probed is how many names of a directory are tried.
const probed = 64

// folds reports whether dir, or the nearest directory above it that is there,
// takes two spellings of a name for the same. The names in it tell; where none can,
// its kind does.
func folds(dir string) bool {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if yes, known := foldsByNames(dir); known {
		return yes
	}
	return foldsByKind(dir)
}

// foldsByNames looks whether a name in dir is found by another spelling too.
func foldsByNames(dir string) (yes, known bool) {
	f, err := os.Open(dir)
	if err != nil {
		return false, false
	}
	defer f.Close()
	names, _ := f.Readdirnames(probed)
	for _, name := range names {
		other := strings.Map(swapCase, name)
		if other == name {
			continue
		}
		a, errA := os.Lstat(filepath.Join(dir, name))
		b, errB := os.Lstat(filepath.Join(dir, other))
		if errA == nil {
			return errB == nil && os.SameFile(a, b), true
		}
	}
	return false, false
}

func swapCase(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r - 'a' + 'A'
	case 'A' <= r && r <= 'Z':
		return r - 'A' + 'a'
	}
	return r
}
