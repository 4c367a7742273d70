//go:build unix

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reasonix/core/config"
)

// hostile are things a repository, or an accident, may put in a file's place, and
// what is said about them.
var hostile = map[string]struct {
	put  func(path string) error
	want string
}{
	"pipe":   {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "not a regular file (named pipe)"},
	"device": {func(p string) error { return os.Symlink("/dev/zero", p) }, "not a regular file (device)"},
	"hole": {
		func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 3<<30)) },
		"too large: 3221225472 bytes, the limit is 1048576",
	},
}

// soon fails the test when f does not return within two seconds.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		t.Fatalf("%s does not return", what)
	}
}

func TestAHostileFileIsAnErrorAtOnce(t *testing.T) {
	for what, h := range hostile {
		for _, file := range []string{config.UserFileName, config.ProjectFileName} {
			if what == "device" && file == config.ProjectFileName {
				continue // a link that leads out: see below
			}
			w := newWorld(t, "", "")
			path := w.userFile()
			if file == config.ProjectFileName {
				path = w.projectFile()
			}
			noErr(t, h.put(path))
			soon(t, what+" as "+file, func() {
				_, err := config.Load(w.in)
				if list := config.Errors(err); len(list) != 1 || list[0].File != path || !strings.Contains(err.Error(), h.want) {
					t.Errorf("%s as %s: load: %v, want %q of the file", what, file, err, h.want)
				}
				c, err := config.LoadLenient(w.in)
				if c == nil || err == nil {
					t.Errorf("%s as %s: lenient: %v, %v; want both", what, file, c, err)
				}
				_, err = config.Edit(path, "language", "en")
				if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), h.want) {
					t.Errorf("%s as %s: edit: %v, want %q", what, file, err, h.want)
				}
			})
		}
	}
}

func TestHostileKeysAreAWarningAtOnce(t *testing.T) {
	for what, h := range hostile {
		w := newWorld(t, "", "")
		noErr(t, h.put(w.envFile()))
		soon(t, what, func() {
			contains(t, warnings(w.load(), config.WarnEnvFile), w.envFile()+": cannot be read: "+h.want)
			err := config.StoreKey(w.in.Home, "A_KEY", "x")
			if err == nil || !strings.Contains(err.Error(), w.envFile()) {
				t.Errorf("%s: store: %v, want an error with the file's name", what, err)
			}
		})
	}
}

// A repository must not choose among the user's files, to read or to write.
func TestAProjectFileThatLeadsOutIsIgnored(t *testing.T) {
	for _, target := range []string{"/dev/zero", "/proc/kmsg", "nowhere", "reasonix.toml", "../outside.toml"} {
		w := newWorld(t, "", "")
		outside := filepath.Join(filepath.Dir(w.in.Workspace), "outside.toml")
		w.write(outside, "language = \"zh\"\n")
		noErr(t, os.Symlink(target, w.projectFile()))
		soon(t, "a link to "+target, func() {
			c := w.load()
			if c.Language == "zh" {
				t.Errorf("a link to %s counts", target)
			}
			contains(t, warnings(c, config.WarnLink), w.projectFile()+": ignored: it is a link")
			_, err := config.Edit(w.projectFile(), "language", "en")
			if err == nil || !strings.Contains(err.Error(), w.projectFile()) {
				t.Errorf("a link to %s: edit: %v, want an error with the file's name", target, err)
			}
		})
		if text, err := os.ReadFile(outside); err != nil || string(text) != "language = \"zh\"\n" {
			t.Errorf("the file outside says %q, %v", text, err)
		}
	}
}

func TestAProjectFileMayBeALinkInsideTheProject(t *testing.T) {
	w := newWorld(t, "", "")
	w.write(filepath.Join(w.in.Workspace, "real.toml"), "language = \"zh\"\n")
	noErr(t, os.Symlink("real.toml", w.projectFile()))
	c := w.load()
	if c.Language != "zh" || len(c.Warnings) > 0 {
		t.Errorf("got %q, %v", c.Language, c.Warnings)
	}
}
