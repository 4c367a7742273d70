package jsonl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reasonix/core/session/jsonl"
)

// SE-12: the same directory by another way has the same sessions.
func TestSE12OneWorkspaceHasOneDirectory(t *testing.T) {
	root := t.TempDir()
	real := filepath.Join(root, "Real", "Project")
	noErr(t, os.MkdirAll(real, 0o700))
	want := jsonl.Dir("/home", real)
	ways := []string{real + string(filepath.Separator), filepath.Join(root, "Real") + "/./x/../Project"}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Dir(real), link); err == nil {
		ways = append(ways, filepath.Join(link, "Project"))
	}
	other := filepath.Join(root, "REAL", "project")
	if _, err := os.Stat(other); err == nil { // the file system ignores case
		ways = append(ways, other)
	}
	for _, way := range ways {
		if got := jsonl.Dir("/home", way); got != want {
			t.Errorf("%s: %s, want %s", way, got, want)
		}
	}
	noErr(t, os.MkdirAll(filepath.Join(root, "Real", "project2"), 0o700))
	if got := jsonl.Dir("/home", filepath.Join(root, "Real", "project2")); got == want {
		t.Error("two workspaces share a directory")
	}
}

func TestDirIsReadable(t *testing.T) {
	for path, slug := range map[string]string{
		"/home/me/fence":           "home-me-fence",
		"/":                        "workspace",
		"/漢字":                      "workspace",
		"/a b/c:d":                 "a-b-c-d",
		"/x/.hidden":               "x-hidden",
		"/very/" + long + "/short": "short",
		"/very/" + long:            long[len(long)-40:],
		"/p/" + long[:38]:          "p-" + long[:38],
		"/p/q/" + long[:38]:        "q-" + long[:38],
		"/a/.../..b/":              "a-b",
	} {
		got := filepath.ToSlash(jsonl.Dir("/h", path))
		pattern := `^/h/projects/` + regexp.QuoteMeta(slug) + `-[0-9a-f]{8}/sessions$`
		if filepath.Separator == '/' && !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s: %s, want %s", path, got, pattern)
		}
	}
}

var long = strings.Repeat("0123456789", 5)
