package sandbox_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/sandbox"
)

// standard are the caches of a home directory on Linux where no variable says
// otherwise.
const standard = `
.bun/install/cache .bundle/cache .cabal/packages
.cargo/.global-cache .cargo/.package-cache .cargo/.package-cache-mutate .cargo/git .cargo/registry
.ccache .composer/cache
.gradle/.tmp .gradle/caches .gradle/daemon .gradle/native .gradle/notifications .gradle/workers
.hex/packages .ivy2/cache .ivy2/local .local/share/NuGet .local/share/pnpm/store .m2/repository .npm .nuget/packages
.pub-cache/git .pub-cache/hosted .pub-cache/hosted-hashes .sbt/boot .yarn/berry go/pkg`

// cached are those of the directory for caches.
const cached = `black ccache clangd composer coursier deno fontconfig go-build golangci-lint gopls helm matplotlib mypy node-gyp pip pnpm
pypoetry ruff sccache staticcheck uv yarn zig`

func below(home string, names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, filepath.Join(home, name))
	}
	slices.Sort(all)
	return all
}

func TestCaches(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	inCache := strings.Fields(cached)
	names := append(strings.Fields(standard), below(".cache", inCache...)...)
	without := func(gone ...string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(gone, name) })
	}
	for _, c := range []struct {
		name    string
		environ []string
		want    []string
	}{
		{"nothing is known", nil, nil},
		{"home", []string{"HOME=/h"}, below("/h", names...)},
		{
			"variables lead elsewhere",
			[]string{"HOME=/h", "XDG_CACHE_HOME=/x", "GOCACHE=/gc", "GOPATH=/g1:/g2", "CARGO_HOME=/cargo", "npm_config_cache=/n"},
			slices.Sorted(slices.Values(append(
				below("/h", without(append(below(".cache", inCache...), ".npm", "go/pkg", ".cargo/git", ".cargo/registry", ".cargo/.package-cache",
					".cargo/.package-cache-mutate", ".cargo/.global-cache")...)...),
				append(below("/x", inCache...), "/cargo/git", "/cargo/registry", "/cargo/.package-cache", "/cargo/.package-cache-mutate", "/cargo/.global-cache",
					"/g1/pkg", "/g2/pkg", "/gc", "/n")...))),
		},
		{"off and relative are no directories", []string{"HOME=/h", "GOCACHE=off", "PIP_CACHE_DIR=pip"}, below("/h", names...)},
		{"not around the home directory", []string{"HOME=/h/me", "GOCACHE=/h", "XDG_CACHE_HOME=/h/me", "PIP_CACHE_DIR=/"}, below("/h/me", append(without(below(".cache", inCache...)...), inCache...)...)},
		{
			"no programs of PATH",
			[]string{"HOME=/h", "PATH=/usr/bin:/h/.npm:/h/go/pkg/tools/bin:/h/go/bin:/h/.cargo/bin"},
			below("/h", without(".npm", "go/pkg")...),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(sandbox.Caches(c.environ), c.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What lies beside programs in a cache stays writable.
func TestCacheAroundProgramsIsTakenApart(t *testing.T) {
	home := t.TempDir()
	cache := filepath.Join(home, "c")
	for _, dir := range []string{"go-build", "tool/bin", "tool/data"} {
		if err := os.MkdirAll(filepath.Join(cache, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := sandbox.Caches([]string{"PIP_CACHE_DIR=" + cache, "PATH=" + filepath.Join(cache, "tool/bin")})
	if diff := cmp.Diff(got, below(cache, "go-build", "tool/data")); diff != "" {
		t.Error(diff)
	}
}

// A tool makes its cache at its first use, which it cannot when it is confined.
func TestCachesAreMadeForToolsInPath(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "go", "cargo"} {
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"HOME=" + home, "PATH=" + bin}
	if err := sandbox.MakeCaches(environ); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{".cache": true, "go/pkg": true, ".cargo/registry": true, ".npm": false, ".gradle": false, ".ccache": false} {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != want {
			t.Errorf("%s: made %v, want %v", name, err == nil, want)
		}
	}
}

// The profile of a browser is for the servers that drive one, and for nothing else.
func TestCachesOfAServerAreItsOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	home := t.TempDir()
	environ := []string{"HOME=" + home}
	profile := filepath.Join(home, ".cache/ms-playwright-mcp")
	server := []string{"npx", "-y", "@playwright/mcp@latest"}
	if err := sandbox.MakeCaches(environ, server...); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(profile); err != nil || !info.IsDir() {
		t.Errorf("not made: %v", err)
	}
	for _, c := range []struct {
		server []string
		want   bool
	}{{server, true}, {[]string{"uvx", "other"}, false}, {nil, false}} {
		if got := slices.Contains(sandbox.Caches(environ, c.server...), profile); got != c.want {
			t.Errorf("%q: listed %v, want %v", c.server, got, c.want)
		}
	}
	if slices.Contains(sandbox.Caches(environ, server...), filepath.Join(home, ".cache/ms-playwright")) {
		t.Error("the browsers that it has fetched are programs")
	}
}
