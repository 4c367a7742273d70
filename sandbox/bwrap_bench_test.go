//go:build bwrap && linux

package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"reasonix/sandbox"
)

// BenchmarkFirstCommand measures the start of a sandbox with its first command, and
// beside it, turn by turn, the least that bubblewrap can cost. Medians and their
// quotient are reported.
func BenchmarkFirstCommand(b *testing.B) {
	for _, way := range []string{sandbox.WayOff, sandbox.WayBwrap, sandbox.WayLandlock} {
		b.Run(way, func(b *testing.B) { firstCommand(b, way, func(sandbox.Runner, sandbox.Cmd) {}) })
		b.Run(way+"/warm", func(b *testing.B) { firstCommand(b, way, sandbox.Warm) })
	}
}

func firstCommand(b *testing.B, way string, prepare func(sandbox.Runner, sandbox.Cmd)) {
	cmd := nothing(b)
	var bare, ours []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := exec.Command("bwrap", "--ro-bind", "/", "/", "true").Run(); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(start))
		r := sandbox.New(sandbox.Options{Ways: []string{way}, Path: os.Getenv("PATH")})
		prepare(r, cmd)
		start = time.Now()
		mustRun(b, r, cmd)
		ours = append(ours, time.Since(start))
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(median(bare).Microseconds()), "bare-us")
	b.ReportMetric(float64(median(ours).Microseconds()), "first-us")
	b.ReportMetric(float64(median(ours))/float64(median(bare)), "times-bare")
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkCall measures one more command of a session.
func BenchmarkCall(b *testing.B) {
	for _, way := range []string{sandbox.WayOff, sandbox.WayBwrap, sandbox.WayLandlock} {
		b.Run(way, func(b *testing.B) {
			r := sandbox.New(sandbox.Options{Ways: []string{way}, Path: os.Getenv("PATH")})
			defer r.Close()
			cmd := nothing(b)
			for b.Loop() {
				mustRun(b, r, cmd)
			}
		})
	}
}

// nothing is a command that does nothing, held as those of a session are.
func nothing(b *testing.B) sandbox.Cmd {
	dir := b.TempDir()
	cmd := sandbox.Cmd{
		Argv: []string{"/bin/true"}, Dir: dir, Env: os.Environ(), Out: discard{}, Err: discard{}, Network: true,
		Writable: []string{dir},
	}
	for _, name := range []string{".git/hooks", ".git/config", "reasonix.toml", ".mcp.json", ".envrc", ".reasonix"} {
		cmd.Protected = append(cmd.Protected, filepath.Join(dir, name))
	}
	for _, name := range []string{".env", "projects"} {
		cmd.Hidden = append(cmd.Hidden, filepath.Join(dir, name))
	}
	return cmd
}

func mustRun(b *testing.B, r sandbox.Runner, cmd sandbox.Cmd) {
	b.Helper()
	exit, err := r.Run(context.Background(), cmd)
	if err != nil || exit.Code != 0 {
		b.Fatal(exit, err)
	}
}
