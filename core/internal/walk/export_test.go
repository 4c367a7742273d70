package walk

// Ignored lets a test reach the matcher without a disk: rule stands in the
// .gitignore of the root.
func Ignored(rule, name string) bool {
	rs := (&rules{}).with("/", parsePatterns([]byte(rule), false), false)
	full := "/" + name
	at := len(full)
	for at > 0 && full[at-1] != '/' {
		at--
	}
	return rs.ignored([]byte(full), at, false)
}

// IndexNames lets a test reach the index parser.
func IndexNames(data []byte, sha256 bool) []string {
	hash := 20
	if sha256 {
		hash = 32
	}
	names, rest := parseIndex(data, hash)
	sharedIndex(rest, hash)
	return names
}
