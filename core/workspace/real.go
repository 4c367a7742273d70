package workspace

// Real is abs, an absolute path, with its links resolved as far as it exists: what
// a permission rule compares. A path that cannot be resolved, a loop of links for
// one, is returned as it is: it cannot be opened either.
func Real(abs string) string {
	real, err := resolve(abs)
	if err != nil {
		return abs
	}
	return real
}
