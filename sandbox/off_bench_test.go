//go:build unix

package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"reasonix/sandbox"
)

// BenchmarkFloor is the least a command can cost: fork, exec, wait.
func BenchmarkFloor(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("/bin/bash", "-c", ":").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOff(b *testing.B) {
	r := sandbox.NewOff()
	defer r.Close()
	env := os.Environ()
	dir := b.TempDir()
	for b.Loop() {
		exit, err := r.Run(context.Background(), sandbox.Cmd{
			Argv: []string{"/bin/bash", "-c", ":"}, Dir: dir, Env: env, Out: discard{}, Err: discard{},
		})
		if err != nil || exit.Code != 0 {
			b.Fatal(exit, err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
