package sandbox_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/sandbox"
)

// fakeBwrap returns a search path with a bwrap that is a shell script.
func fakeBwrap(t *testing.T, script string) (path string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

const uidMapError = "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n"

func opened(t *testing.T, o sandbox.Options) sandbox.Runner {
	t.Helper()
	r := sandbox.New(o)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// touch is a command that makes a file in dir, which it may write.
func touch(dir string) sandbox.Cmd {
	return sandbox.Cmd{
		Argv: []string{"/bin/sh", "-c", ": >made"}, Dir: dir, Env: os.Environ(), Writable: []string{dir}, Network: true,
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// What is missing, what is broken and what is switched off are told apart, each
// with its cure.
func TestPM20SandboxMissingOrBroken(t *testing.T) {
	for _, c := range []struct {
		name      string
		options   sandbox.Options
		want, not []string
	}{
		{
			"absent",
			sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: t.TempDir() + ":relative:"},
			[]string{"bwrap: bwrap is not in PATH", "install the package bubblewrap", `bash = "off"`, "file tools stay confined"},
			[]string{"fails"},
		},
		{
			"present but fails",
			sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: fakeBwrap(t, uidMapError)},
			[]string{"/bwrap is there but fails", "setting up uid map: Permission denied", "user namespaces", `bash = "off"`},
			[]string{"not in PATH", "install"},
		},
		{
			"too old",
			sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: fakeBwrap(t, "echo 'bwrap: Unknown option --as-pid-1' >&2; exit 1\n")},
			[]string{"Unknown option --as-pid-1", "install a newer bubblewrap"},
			[]string{"not in PATH"},
		},
		{
			"works but not enough",
			sandbox.Options{Ways: []string{sandbox.WayLandlock}, Needs: []sandbox.Guarantee{sandbox.HoldsMetadata}},
			[]string{"landlock: ", "cannot hold what the configuration needs: metadata"},
			[]string{"not in PATH"},
		},
		{
			"of another system",
			sandbox.Options{Ways: []string{sandbox.WaySeatbelt}},
			[]string{"seatbelt: this system does not have it"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := opened(t, c.options)
			dir := t.TempDir()
			_, err := r.Run(t.Context(), touch(dir))
			var unavailable *sandbox.UnavailableError
			if !errors.As(err, &unavailable) || len(unavailable.Tried) != 1 || unavailable.Tried[0].Works() {
				t.Fatalf("got %v, want one way that was tried", err)
			}
			for _, text := range c.want {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("got %q, want %q in it", err, text)
				}
			}
			for _, text := range c.not {
				if strings.Contains(err.Error(), text) {
					t.Errorf("got %q, want no %q in it", err, text)
				}
			}
			if exists(filepath.Join(dir, "made")) {
				t.Error("the command ran")
			}
			if r.Way() != "" || len(r.Holds()) > 0 {
				t.Errorf("way %q holds %v, want none", r.Way(), r.Holds())
			}
			if got := sandbox.Probe(c.options); !cmp.Equal(got, unavailable.Tried) {
				t.Errorf("probe: %s", cmp.Diff(got, unavailable.Tried))
			}
		})
	}
}

// Off means off: nothing is probed, and needs do not matter.
func TestPM20OffIsOff(t *testing.T) {
	dir := t.TempDir()
	probed := filepath.Join(dir, "probed")
	r := opened(t, sandbox.Options{
		Ways: []string{sandbox.WayOff}, Needs: []sandbox.Guarantee{sandbox.HoldsWrites}, Path: fakeBwrap(t, "touch "+probed),
	})
	if _, err := r.Run(t.Context(), touch(dir)); err != nil || !exists(filepath.Join(dir, "made")) {
		t.Errorf("got %v", err)
	}
	if r.Way() != sandbox.WayOff || len(r.Holds()) > 0 || exists(probed) {
		t.Errorf("way %q holds %v; probed: %v", r.Way(), r.Holds(), exists(probed))
	}
}

func TestBrokenBwrapGivesWayToLandlock(t *testing.T) {
	for _, first := range []string{"run", "ask"} {
		t.Run(first, func(t *testing.T) {
			r := opened(t, sandbox.Options{Path: fakeBwrap(t, uidMapError)})
			dir := t.TempDir()
			if first == "ask" && r.Way() != sandbox.WayLandlock {
				t.Errorf("way: got %q", r.Way())
			}
			if _, err := r.Run(t.Context(), touch(dir)); err != nil || !exists(filepath.Join(dir, "made")) {
				t.Errorf("got %v", err)
			}
			if r.Way() != sandbox.WayLandlock {
				t.Errorf("way: got %q", r.Way())
			}
		})
	}
}

func TestBwrapThatHangsGivesWayInTime(t *testing.T) {
	r := opened(t, sandbox.Options{Path: fakeBwrap(t, "exec sleep 99\n")})
	dir, start := t.TempDir(), time.Now()
	if _, err := r.Run(t.Context(), touch(dir)); err != nil || r.Way() != sandbox.WayLandlock {
		t.Errorf("way %q: %v", r.Way(), err)
	}
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("took %v", took)
	}
}

// Who only asks does not make it be tried each time.
func TestFailureIsRememberedForThoseWhoAsk(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	r := opened(t, sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: fakeBwrap(t, "echo x >>"+log+"; exit 1\n")})
	for range 5 {
		if r.Way() != "" || len(r.Holds()) > 0 {
			t.Errorf("way %q holds %v", r.Way(), r.Holds())
		}
	}
	if tries, _ := os.ReadFile(log); bytes.Count(tries, []byte("x")) > 2 { // root has two ways to start it
		t.Errorf("it was started %d times", bytes.Count(tries, []byte("x")))
	}
}

// A person mends the cause while the session runs.
func TestMendedSandboxIsUsed(t *testing.T) {
	path := t.TempDir()
	r := opened(t, sandbox.Options{Ways: []string{sandbox.WayBwrap, sandbox.WaySeatbelt}, Path: path})
	if _, err := r.Run(t.Context(), touch(t.TempDir())); err == nil {
		t.Fatal("want an error")
	}
	// Enough of a bwrap to reach the command, which is what it would do last.
	script := `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`
	if err := os.Rename(filepath.Join(fakeBwrap(t, script), "bwrap"), filepath.Join(path, "bwrap")); err != nil {
		t.Fatal(err)
	}
	_, err := r.Run(t.Context(), touch(t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), "not in a namespace of its own") {
		t.Errorf("got %v, want that it is no sandbox", err)
	}
}

// A command must not be able to change what confines the next one.
func TestBwrapThatCommandsMayWriteIsRefused(t *testing.T) {
	path := fakeBwrap(t, "exit 0\n")
	r := opened(t, sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: path})
	cmd := touch(t.TempDir())
	cmd.Writable = append(cmd.Writable, path)
	if _, err := r.Run(t.Context(), cmd); err == nil || exists(filepath.Join(cmd.Dir, "made")) {
		t.Errorf("got %v", err)
	}
}

func TestUnconfinedCommandIsNotHeld(t *testing.T) {
	r := opened(t, sandbox.Options{Ways: []string{sandbox.WayLandlock}})
	dir := t.TempDir()
	var out bytes.Buffer
	cmd := touch(dir)
	cmd.Writable, cmd.Out, cmd.Err = nil, &out, &out
	if exit, err := r.Run(t.Context(), cmd); err != nil || exit.Code == 0 || exists(filepath.Join(dir, "made")) {
		t.Errorf("confined: %+v, %v", exit, err)
	}
	cmd.Unconfined = true
	if exit, err := r.Run(t.Context(), cmd); err != nil || exit.Code != 0 || !exists(filepath.Join(dir, "made")) {
		t.Errorf("unconfined: %+v, %v: %s", exit, err, out.String())
	}
	cmd.Unconfined = false
	cmd.Argv[2] = ": >again"
	if exit, err := r.Run(t.Context(), cmd); err != nil || exit.Code == 0 || exists(filepath.Join(dir, "again")) {
		t.Errorf("confined again: %+v, %v", exit, err)
	}
}

// What is held follows the disk: a directory that is made later is writable then,
// and a file that replaces a hidden one is hidden too.
func TestConfinementFollowsTheDisk(t *testing.T) {
	followsTheDisk(t, opened(t, sandbox.Options{Ways: []string{sandbox.WayLandlock}}))
}

func followsTheDisk(t *testing.T, r sandbox.Runner) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	later, secret := filepath.Join(dir, "later"), filepath.Join(dir, "secret")
	var out bytes.Buffer
	cmd := sandbox.Cmd{
		Argv: []string{"/bin/sh", "-c", "echo x >later/f; cat secret"}, Dir: dir, Env: os.Environ(), Out: &out, Err: &out,
		Writable: []string{later}, Hidden: []string{secret}, Network: true,
	}
	run := func() string {
		out.Reset()
		if _, err := r.Run(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	run()
	if err := os.Mkdir(later, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, secret); err != nil {
			t.Fatal(err)
		}
		if said := run(); strings.Contains(said, text) {
			t.Errorf("%s secret was read: %s", text, said)
		}
	}
	if !exists(filepath.Join(later, "f")) {
		t.Errorf("the new directory is not writable: %s", out.String())
	}
}
