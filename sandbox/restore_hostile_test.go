//go:build linux || darwin

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRestoreSurvivesAWriterThatGoesOn(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	r, err := started(k, g.work, g.protected)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for _, script := range []string{
		"echo x >.git/config; rm -f .git/config; ln -s ../../outside/file .git/config",
		"mv .git g; ln -s ../outside .git; echo x >.git/config; rm .git; mv g .git",
		"rm -rf .reasonix; ln -s ../outside .reasonix; rm .reasonix; mkdir .reasonix",
		"rm -rf .vscode; ln -s ../outside .vscode; rm .vscode",
	} {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
				cmd.Dir = g.work
				_ = cmd.Run()
			}
		})
	}
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		again, err := started(k, g.work, g.protected)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = again.ended()
	}
	close(stop)
	writers.Wait()
	// A writer may have followed a link to outside; nothing of ours did. The original
	// is untouched by all of that.
	if _, err := r.ended(); err != nil {
		t.Error(err)
	}
	after := g.state()
	for path := range g.before {
		if within(g.outside, path) {
			delete(g.before, path)
		}
	}
	for path := range after {
		if !within(g.outside, path) {
			continue
		}
		if strings.Contains(after[path], "bare") || strings.Contains(path, ".reasonix-") || strings.Contains(after[path], "permissions") {
			t.Errorf("we wrote %s: %s", path, after[path])
		}
		delete(after, path)
	}
	if diff := cmp.Diff(g.before, after); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreWhateverACommandDoes(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		g := newGround(t, sub)
		k := &keeper{}
		r, err := started(k, g.work, g.protected)
		if err != nil {
			t.Fatal(err)
		}
		paths := rapid.SampledFrom([]string{
			".git", ".git/config", ".git/hooks", ".git/hooks/mine", ".git/hooks/new", ".reasonix", ".reasonix/commands", ".reasonix/commands/a.md",
			".vscode", ".vscode/tasks.json", ".envrc", "deep", "deep/er", "deep/er/.envrc", "x", "x/y", ".git/commondir",
		})
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			a, b := filepath.Join(g.work, paths.Draw(t, "a")), filepath.Join(g.work, paths.Draw(t, "b"))
			switch rapid.IntRange(0, 8).Draw(t, "step") {
			case 0:
				text := rapid.StringMatching("[ab]{0,3}").Draw(t, "text")
				if f, err := os.OpenFile(a, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, 0o600); err == nil { // no pipe stops it
					_, _ = f.WriteString(text)
					_ = f.Close()
				}
			case 1:
				if info, err := os.Lstat(filepath.Dir(a)); err == nil && info.IsDir() { // it would wait for a pipe there
					_ = os.RemoveAll(a)
				}
			case 2:
				_ = os.Rename(a, b)
			case 3:
				_ = os.Mkdir(a, 0o700)
			case 4:
				_ = os.Symlink(rapid.SampledFrom([]string{"x", "../outside", g.work, "nowhere"}).Draw(t, "target"), a)
			case 5:
				_ = os.Chmod(a, fs.FileMode(rapid.SampledFrom([]int{0, 0o500, 0o755, 0o600}).Draw(t, "mode")))
			case 6:
				_ = os.Link(a, b)
			case 7:
				_ = syscall.Mkfifo(a, 0o600)
			case 8:
				_ = os.MkdirAll(filepath.Join(a, "inner/more"), 0o755)
			}
		}
		for path := range g.before { // a step may have followed a link there
			if within(g.outside, path) {
				delete(g.before, path)
			}
		}
		if _, err := r.ended(); err != nil {
			t.Fatal(err)
		}
		after := g.state()
		for path := range after {
			if within(g.outside, path) {
				delete(after, path)
			}
		}
		if diff := cmp.Diff(g.before, after); diff != "" {
			t.Fatal(diff)
		}
		_ = exec.CommandContext(t.Context(), "chmod", "-R", "u+rwx", sub).Run()
		_ = os.RemoveAll(sub)
	})
}

// What a command, which may replace the workspace when it is not confined, leaves
// there is not waited for.
func TestRestoreDoesNotWaitForAPipe(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	r, err := started(k, g.work, g.protected)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(g.work, g.work+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(g.work, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ended(); err == nil {
		t.Error("want an error: nothing can be put back there")
	}
}

func BenchmarkRestoreNothingChanged(b *testing.B) {
	g := newGround(b, b.TempDir())
	k := &keeper{}
	until := time.After(2 * freshTime) // the files are young
	<-until
	for b.Loop() {
		r, err := started(k, g.work, g.protected)
		if err != nil {
			b.Fatal(err)
		}
		if changed, err := r.ended(); err != nil || len(changed) > 0 {
			b.Fatal(changed, err)
		}
	}
}
