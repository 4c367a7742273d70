//go:build unix

package search_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/tool/tooltest"
)

// TestForbiddenIsNotFound: no way of searching tells what a forbidden place holds,
// nor what the names in it are.
func TestForbiddenIsNotFound(t *testing.T) {
	dir := tree(t, map[string]string{
		"w/a.txt": "needle\n", "w/sub/secret/key.txt": "needle\n", "w/sub/secret/deep/er.txt": "needle\n", "w/sub/b.txt": "needle\n",
		"w/.env": "needle\n", "w/sub/.env.local": "needle\n", "outside/c.txt": "needle\n", "outside/hid/d.txt": "needle\n",
	})
	w := filepath.Join(dir, "w")
	link(t, "sub/secret", filepath.Join(w, "alias"))
	link(t, "sub/secret/key.txt", filepath.Join(w, "file"))
	link(t, "../outside", filepath.Join(w, "out"))
	if err := os.Link(filepath.Join(w, ".env"), filepath.Join(w, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	hide := tooltest.Roots(nil, []string{filepath.Join(w, "sub", "secret"), filepath.Join(w, ".env"), filepath.Join(dir, "outside", "hid")})
	for _, in := range []args{
		{"pattern": "needle"},
		{"pattern": "needle", "include_ignored": true},
		{"pattern": "needle", "path": "sub", "include_ignored": true},
		{"pattern": "needle", "glob": "**/secret/**"},
		{"pattern": "needle", "glob": "{sub/secret/*,.env}"},
		{"pattern": "needle", "files_only": true, "include_ignored": true},
		{"pattern": "needle", "context": 3, "path": "out", "include_ignored": true},
		{"pattern": "needle", "path": "sub/secret"},
		{"pattern": "needle", "path": "sub/secret/key.txt"},
		{"pattern": "needle", "path": "alias"},
		{"pattern": "needle", "path": "alias/deep"},
		{"pattern": "needle", "path": "file"},
		{"pattern": "needle", "path": ".env"},
		{"pattern": "needle", "path": "notes.txt"},
		{"pattern": "needle", "path": "out/hid"},
		{"pattern": "needle", "path": "out/../sub/secret"},
	} {
		out, err := grepErr(t, t.Context(), w, in, hide)
		telling(t, fmt.Sprint("grep ", in), out, err)
	}
	for _, in := range []args{
		{"pattern": "**"},
		{"pattern": "**", "include_ignored": true},
		{"pattern": "sub/secret/**"},
		{"pattern": "**/secret/*"},
		{"pattern": "{sub,alias}/{secret,deep}/*"},
		{"pattern": "**/key.*"},
		{"pattern": "*", "path": "alias"},
		{"pattern": "**", "path": "out", "include_ignored": true},
		{"pattern": "d.txt", "path": "out"},
		{"pattern": filepath.Join(w, "sub", "secret", "*")},
	} {
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := tooltest.Bind(t, unbound("glob"), tooltest.Env(t, w, hide)).Execute(t.Context(), data)
		telling(t, fmt.Sprint("glob ", in), out, err)
	}
}

// telling fails when an answer gives away what only the forbidden places have. That
// another file has a name of its own is no secret, what it shares with one is.
func telling(t *testing.T, call, out string, err error) {
	t.Helper()
	if err != nil {
		if !strings.Contains(err.Error(), "hidden by the configuration") {
			t.Errorf("%s: %v", call, err)
		}
		return
	}
	for _, word := range []string{"secret/", "key.txt", "er.txt", "d.txt", ".env\n", ".env:", "notes.txt:", "notes.txt-"} {
		if strings.Contains(out+"\n", word) {
			t.Errorf("%s tells of %q:\n%s", call, word, out)
		}
	}
}

// TestGrepThroughADirectorySwappedForALink: what is opened is what the walk met.
func TestGrepThroughADirectorySwappedForALink(t *testing.T) {
	dir := tree(t, map[string]string{"w/sub/f.txt": "mine\n", "secret/f.txt": "theirs\n"})
	w := filepath.Join(dir, "w")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(filepath.Join(w, "sub"), filepath.Join(w, "kept"))
			_ = os.Symlink("../secret", filepath.Join(w, "sub"))
			_ = os.Remove(filepath.Join(w, "sub"))
			_ = os.Rename(filepath.Join(w, "kept"), filepath.Join(w, "sub"))
		}
	}()
	for until := time.Now().Add(200 * time.Millisecond); time.Now().Before(until); {
		if out := grep(t, w, args{"pattern": "theirs"}, tooltest.Roots(nil, []string{filepath.Join(dir, "secret")})); strings.Contains(out, "theirs") {
			t.Errorf("found\n%s", out)
			break
		}
	}
	close(stop)
	<-done
}
