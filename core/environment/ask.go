package environment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"reasonix/core/durable"
)

// ask finds the version of the program at path. stub means that the program is
// only a placeholder: asking it would open a dialog, or it failed.
func (p *prober) ask(ctx context.Context, name, path string) (version string, stub bool) {
	if isStub(path) {
		return "", true
	}
	if v := versionFile(name, path); v != "" {
		return v, false
	}
	if isShim(path) {
		return "", false
	}
	p.mu.Lock()
	p.ran++
	p.mu.Unlock()
	out, err := p.run(ctx, path, versionArgs(name))
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return "", true
	}
	return firstVersion(out), false
}

func versionArgs(name string) []string {
	switch name {
	case "go":
		return []string{"version"}
	case "java":
		return []string{"-version"}
	}
	return []string{"--version"}
}

// run returns the start of what a program prints. It has no input, no working
// directory of anyone's, no secret in its environment, and no program of the
// workspace in its PATH.
func (p *prober) run(ctx context.Context, path string, args []string) (string, error) {
	var out head
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Dir = filepath.Dir(path)
	cmd.Env = []string{"LC_ALL=C", "GOTOOLCHAIN=local", "NO_COLOR=1", "PATH=" + p.safePath()}
	for _, name := range []string{"HOME", "USERPROFILE", "SystemRoot", "TEMP", "TMPDIR", "JAVA_HOME"} {
		if v := getenv(p.o.Environ, name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.WaitDelay = 50 * time.Millisecond
	err := cmd.Run()
	return out.String(), err
}

// head keeps the first kilobytes of what is written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 4096 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// isStub knows Apple's placeholders, which offer to install developer tools when
// they are run.
func isStub(path string) bool {
	if runtime.GOOS != "darwin" || filepath.Dir(path) != "/usr/bin" {
		return false
	}
	if !slices.Contains([]string{"git", "python3", "make", "gcc", "java"}, filepath.Base(path)) {
		return false
	}
	for _, dir := range []string{"/Library/Developer/CommandLineTools", "/Applications/Xcode.app"} {
		if _, err := os.Stat(dir); err == nil {
			return filepath.Base(path) == "java"
		}
	}
	return true
}

// versionFile reads the version of a program that keeps it in a file, which is
// a hundred times cheaper than starting it.
func versionFile(name, path string) string {
	real := resolved(path)
	up := filepath.Dir(filepath.Dir(real))
	switch name {
	case "go":
		return firstVersion(start(filepath.Join(up, "VERSION")))
	case "java":
		_, rest, _ := strings.Cut(start(filepath.Join(up, "release")), "JAVA_VERSION=")
		return firstVersion(rest)
	case "npm", "pnpm":
		var pkg struct{ Name, Version string }
		data, err := durable.ReadFile(filepath.Join(up, "package.json"), 1<<20)
		if err == nil && json.Unmarshal(data, &pkg) == nil && pkg.Name == name {
			return pkg.Version
		}
	}
	return ""
}

func start(path string) string {
	f, err := durable.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 4096)
	n, _ := f.Read(buf)
	return string(buf[:n])
}

// firstVersion returns the first dotted number in text: 1.26.8 of "go1.26.8".
func firstVersion(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			continue
		}
		end := i
		for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
			end++
		}
		if v := strings.TrimRight(text[i:end], "."); strings.Contains(v, ".") {
			return v
		}
		i = end
	}
	return ""
}
