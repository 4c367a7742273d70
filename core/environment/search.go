package environment

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// names are the tools looked for in PATH.
func names() []string {
	return strings.Fields("bun cargo cmake deno docker gcc git go java make mvn node npm pnpm python3 rg ruby uv")
}

// searched returns the first executable in PATH for each name, from the cache as
// long as neither PATH nor a directory of it has changed.
func (p *prober) searched() map[string]string {
	dirs := filepath.SplitList(getenv(p.o.Environ, "PATH"))
	key := searchKey(dirs)
	if p.cache.data.Search == key {
		return p.cache.data.Found
	}
	result := map[string]string{}
	for _, name := range names() {
		for _, dir := range dirs {
			if path, ok := executable(dir, name); ok {
				result[name] = path
				break
			}
		}
	}
	p.cache.found(key, result)
	return result
}

// searchKey changes whenever a program may have appeared or gone.
func searchKey(dirs []string) string {
	var b strings.Builder
	for _, dir := range dirs {
		b.WriteString(dir)
		if info, err := os.Stat(dir); err == nil {
			b.WriteString("@" + info.ModTime().UTC().Format("20060102150405.000000000"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// executable returns dir/name if it can be run. A relative directory of PATH means
// another program in every place, so it is passed over.
func executable(dir, name string) (string, bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	suffixes := []string{""}
	if runtime.GOOS == "windows" {
		suffixes = []string{".exe", ".cmd", ".bat"}
	}
	for _, suffix := range suffixes {
		path := filepath.Join(dir, name+suffix)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && (suffix != "" || info.Mode()&0o111 != 0) {
			return path, true
		}
	}
	return "", false
}

func getenv(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(environ[i], "=")
		if ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
			return value
		}
	}
	return ""
}
