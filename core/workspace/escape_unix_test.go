//go:build unix

package workspace_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"reasonix/core/workspace"
)

// TestPM10DirectoryLinkOut: nothing below a link is inside because its name is.
func TestPM10DirectoryLinkOut(t *testing.T) {
	p := newPlace(t, nil)
	p.link("../outside", "w/out")
	p.link("out", "w/again")
	p.link("../outside/f", "w/file")
	p.link("../outside/not-yet", "w/dangling")
	p.link("again/none/f", "w/deep")
	p.put("w/mine", "mine")
	for _, name := range []string{"out/f", "out/new", "again/f", "again/a/b", "file", "dangling", "deep", "out/../outside/f", "sub/../out/f"} {
		if _, err := p.fs.WritePath(name); !errors.Is(err, workspace.ErrOutside) {
			if name == "out/../outside/f" && err == nil {
				continue // names are cleaned first: it is w/outside/f
			}
			t.Errorf("write %s: %v", name, err)
		}
	}
	for _, ends := range [][2]string{{"mine", "out/mine"}, {"out/f", "stolen"}, {"mine", "again/x/mine"}} {
		a, errA := p.fs.LinkPath(ends[0])
		b, errB := p.fs.LinkPath(ends[1])
		if !errors.Is(errors.Join(errA, errB), workspace.ErrOutside) {
			t.Errorf("move %s to %s: %s, %s", ends[0], ends[1], a, b)
		}
	}
	if got := p.text("outside/f"); got != "theirs" {
		t.Errorf("outside: %q", got)
	}
}

// TestPM10WorkspaceReachedThroughALink: then all of it works, by either name.
func TestPM10WorkspaceReachedThroughALink(t *testing.T) {
	p := newPlace(t, nil)
	p.link("w", "alias")
	files, err := workspace.Open(workspace.Roots{Dir: p.at("alias"), Hide: []string{p.at("alias/secret")}}, nil)
	noErr(t, err)
	for _, name := range []string{"new", p.at("alias/new"), p.at("w/new"), "../alias/new", "../w/new"} {
		if abs, err := files.WritePath(name); err != nil || abs != p.at("w/new") {
			t.Errorf("write %s: %s, %v", name, abs, err)
		}
	}
	for _, name := range []string{"secret/key", p.at("alias/secret/key"), p.at("w/secret/key")} {
		if _, err := files.ReadPath(name); !errors.Is(err, workspace.ErrHidden) {
			t.Errorf("read %s: %v", name, err)
		}
	}
}

// TestPM12Case: what is hidden is hidden under every spelling the file system takes
// for it, and under no other. Here two names of one file stand for a file system
// that folds case, and two files for one that does not.
func TestPM12Case(t *testing.T) {
	for folding, want := range map[bool]error{true: workspace.ErrHidden, false: nil} {
		p := newPlace(t, nil)
		p.put("w/.env", "k")
		for _, other := range []string{"w/.ENV", "w/.Env"} {
			if folding {
				noErr(t, os.Link(p.at("w/.env"), p.at(other)))
			} else {
				p.put(other, "another")
			}
		}
		files, err := workspace.Open(workspace.Roots{Dir: p.at("w"), Hide: []string{p.at("w/.env")}}, nil)
		noErr(t, err)
		for _, name := range []string{".ENV", ".Env", p.at("w/.ENV")} {
			if _, err := files.ReadPath(name); !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("folding %v: read %s: %v, want %v", folding, name, err, want)
			}
			if got := files.Hidden(p.at("w/.ENV")); got != folding {
				t.Errorf("folding %v: hidden %v", folding, got)
			}
		}
		if _, err := files.ReadPath(".env"); !errors.Is(err, workspace.ErrHidden) {
			t.Errorf("folding %v: the very name: %v", folding, err)
		}
		if _, err := files.ReadPath(".environment"); err != nil {
			t.Errorf("folding %v: a longer name: %v", folding, err)
		}
	}
}

// TestPM12CaseOfWhatIsNotThereYet: the directory tells by the other names in it.
func TestPM12CaseOfWhatIsNotThereYet(t *testing.T) {
	for folding, want := range map[bool]error{true: workspace.ErrHidden, false: nil} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		noErr(t, err)
		noErr(t, os.WriteFile(filepath.Join(dir, "readme"), nil, 0o644))
		if folding {
			noErr(t, os.Link(filepath.Join(dir, "readme"), filepath.Join(dir, "README")))
		}
		files, err := workspace.Open(workspace.Roots{Dir: dir, Hide: []string{filepath.Join(dir, ".env")}, Names: []string{".git/hooks"}}, nil)
		noErr(t, err)
		if _, err := files.WritePath(".ENV"); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("folding %v: write .ENV: %v, want %v", folding, err, want)
		}
		if _, err := files.WritePath(".Git/Hooks/x"); errors.Is(err, workspace.ErrProtected) != folding {
			t.Errorf("folding %v: write .Git/Hooks/x: %v", folding, err)
		}
		if files.FoldsCase() != folding {
			t.Errorf("folding %v: FoldsCase is not", folding)
		}
	}
}

// TestPM19ShellIsHeldToWhatToolsAre: what no file tool may write, no command is
// given to write.
func TestPM19ShellIsHeldToWhatToolsAre(t *testing.T) {
	e := newEstate(t, nil)
	confined := e.fs.Confined()
	for _, path := range []string{
		"h/doc", "h/.bashrc", "h/.ssh/id", "h/new", "h/w/.git/hooks/pre-commit", "h/w/.git/config", "h/w/forbidden/f",
		"h/.reasonix/.env", "h/.reasonix/config.toml", "h/.reasonix/new", "h/w/f", "h/extra/f", "h/.reasonix/tmp/mine/t",
	} {
		_, err := e.fs.WritePath(e.at(path))
		if shell := strings.Contains(bash(confined, e.at(path)), "w"); shell != (err == nil) {
			t.Errorf("%s: the shell may write: %v; the tools: %v", path, shell, err)
		}
	}
}

// TestNamesOfTheKernel: /proc and /dev/fd are ways round like any link.
func TestNamesOfTheKernel(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // they are Linux's
	}
	p := newPlace(t, nil)
	f, err := os.Open(p.at("w/secret/key"))
	noErr(t, err)
	defer f.Close()
	out, err := os.Open(p.at("outside"))
	noErr(t, err)
	defer out.Close()
	cwd, err := os.Getwd()
	noErr(t, err)
	files, err := workspace.Open(workspace.Roots{Dir: p.at("w"), Write: []string{cwd}, Hide: []string{p.at("w/secret"), filepath.Join(cwd, "hidden")}}, nil)
	noErr(t, err)
	pid := os.Getpid()
	for name, want := range map[string]error{
		"/proc/self/root" + p.at("w/secret/key"):                workspace.ErrHidden,
		fmt.Sprintf("/proc/%d/root%s", pid, p.at("w/secret")):   workspace.ErrHidden,
		"/proc/thread-self/root" + p.at("w/secret/key"):         workspace.ErrHidden,
		"/proc/self/cwd/hidden":                                 workspace.ErrHidden,
		fmt.Sprintf("/proc/self/fd/%d", f.Fd()):                 workspace.ErrHidden,
		fmt.Sprintf("/dev/fd/%d", f.Fd()):                       workspace.ErrHidden,
		fmt.Sprintf("/proc/%d/task/%d/fd/%d", pid, pid, f.Fd()): workspace.ErrHidden,
		"/proc/self/environ":                                    workspace.ErrHidden,
		fmt.Sprintf("/proc/%d/environ", os.Getppid()):           workspace.ErrHidden,
		"/proc/thread-self/mem":                                 workspace.ErrHidden,
		"/proc/self/status":                                     nil,
	} {
		if _, err := files.ReadPath(name); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("read %s: %v, want %v", name, err, want)
		}
	}
	for name, want := range map[string]string{
		"/proc/self/cwd/new":                          filepath.Join(cwd, "new"),
		"/proc/self/root" + p.at("w/new"):             p.at("w/new"),
		fmt.Sprintf("/proc/self/fd/%d/x", out.Fd()):   "",
		fmt.Sprintf("/dev/fd/%d/x", out.Fd()):         "",
		"/proc/self/root" + p.at("outside/f"):         "",
		fmt.Sprintf("/proc/%d/cwd/../../../x", pid):   "",
		"/proc/self/root/proc/self/root/etc/hostname": "",
	} {
		if got, err := files.WritePath(name); got != want || want == "" && !errors.Is(err, workspace.ErrOutside) {
			t.Errorf("write %s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// TestRaceOfADirectoryAndALink swaps a directory for a link to a hidden and to an
// outside one while a reader, a lister, a writer and a mover work. What they get and
// where they write is always the workspace's.
func TestRaceOfADirectoryAndALink(t *testing.T) {
	p := newPlace(t, nil)
	p.put("w/sub/f", "mine")
	for _, dir := range []string{"w/secret", "outside"} {
		p.put(dir+"/f", "theirs")
	}
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		targets := []string{p.at("w/secret"), p.at("outside"), "secret", "../outside"}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(p.at("w/sub"), p.at("w/kept"))
			_ = os.Symlink(targets[i%4], p.at("w/sub"))
			_ = os.Remove(p.at("w/sub"))
			_ = os.Rename(p.at("w/kept"), p.at("w/sub"))
			for range i % 5 * 2000 { // in place for long enough, or not
				runtime.Gosched()
			}
		}
	})
	until := time.Now().Add(300 * time.Millisecond)
	var workers sync.WaitGroup
	reads, writes := 0, 0
	workers.Go(func() {
		for time.Now().Before(until) {
			abs, err := p.fs.ReadPath("sub/f")
			if err != nil || abs != p.at("w/sub/f") { // resolved as a link: then it is allowed outside
				continue
			}
			r, err := p.fs.Reader(t.Context(), abs)
			if err != nil {
				continue
			}
			data, _ := io.ReadAll(r)
			_ = r.Close()
			reads++
			if string(data) == "theirs" {
				t.Errorf("read what is not the workspace's by %s", abs)
				return
			}
		}
	})
	workers.Go(func() {
		for time.Now().Before(until) {
			entries, err := p.fs.ReadDir(p.at("w/sub"))
			for _, e := range entries {
				if err == nil && e.Name() == "key" {
					t.Error("listed the hidden directory")
					return
				}
			}
		}
	})
	workers.Go(func() {
		for i := 0; time.Now().Before(until); i++ {
			if was, err := p.fs.ReadFile(t.Context(), p.at("w/sub/f")); err == nil {
				if _, err := p.fs.Replace(t.Context(), p.at("w/sub/f"), fmt.Append(nil, i), was); err == nil {
					writes++
				}
			}
			_, _ = p.fs.Replace(t.Context(), p.at("w/sub/new/new"), []byte("mine"), nil)
			_ = p.fs.Move(t.Context(), p.at("w/sub/new"), p.at("w/sub/moved"))
			_ = os.RemoveAll(p.at("w/sub/moved"))
		}
	})
	workers.Wait()
	close(stop)
	swapper.Wait()
	for _, dir := range []string{"w/secret", "outside"} {
		if got := p.text(dir + "/f"); got != "theirs" {
			t.Errorf("%s/f was written: %q", dir, got)
		}
		for _, name := range []string{"new", "moved"} {
			if _, err := os.Lstat(p.at(dir + "/" + name)); err == nil {
				t.Errorf("%s/%s was made", dir, name)
			}
		}
	}
	if reads == 0 || writes == 0 {
		t.Errorf("%d reads and %d writes came through", reads, writes)
	}
}
