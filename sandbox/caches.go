package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A cache is a directory that builds write beside the workspace.
type cache struct {
	program  string // that makes it at its first use; "" where that can wait
	variable string // that names it, or the directory that below lies in
	standard string // what holds when the variable is not set, below the home directory
	below    string // one or more names, separated by blanks; the directory itself when empty
	os       string // on this system only
	server   string // a word in the command line of the MCP servers that alone may write it
}

// caches is the table of Caches. Directories that hold settings, scripts that a tool
// runs by itself, or programs that a person starts, a shell finds or a wrapper
// fetches are not in it: of ~/.cache, ~/.cargo, ~/.gradle and ~/go only parts are.
// What is in it goes into later builds all the same, Go's toolchains among it.
var caches = []cache{
	{program: "go", variable: "XDG_CACHE_HOME", standard: ".cache", below: "go-build", os: "linux"},
	{program: "gopls", variable: "XDG_CACHE_HOME", standard: ".cache", below: "gopls", os: "linux"},
	{program: "golangci-lint", variable: "XDG_CACHE_HOME", standard: ".cache", below: "golangci-lint", os: "linux"},
	{program: "staticcheck", variable: "XDG_CACHE_HOME", standard: ".cache", below: "staticcheck", os: "linux"},
	{program: "pip", variable: "XDG_CACHE_HOME", standard: ".cache", below: "pip", os: "linux"},
	{program: "uv", variable: "XDG_CACHE_HOME", standard: ".cache", below: "uv", os: "linux"},
	{program: "poetry", variable: "XDG_CACHE_HOME", standard: ".cache", below: "pypoetry", os: "linux"},
	{program: "yarn", variable: "XDG_CACHE_HOME", standard: ".cache", below: "yarn", os: "linux"},
	{program: "pnpm", variable: "XDG_CACHE_HOME", standard: ".cache", below: "pnpm", os: "linux"},
	{program: "npm", variable: "XDG_CACHE_HOME", standard: ".cache", below: "node-gyp", os: "linux"},
	{program: "deno", variable: "XDG_CACHE_HOME", standard: ".cache", below: "deno", os: "linux"},
	{program: "ccache", variable: "XDG_CACHE_HOME", standard: ".cache", below: "ccache", os: "linux"},
	{program: "sccache", variable: "XDG_CACHE_HOME", standard: ".cache", below: "sccache", os: "linux"},
	{program: "zig", variable: "XDG_CACHE_HOME", standard: ".cache", below: "zig", os: "linux"},
	{program: "composer", variable: "XDG_CACHE_HOME", standard: ".cache", below: "composer", os: "linux"},
	{variable: "XDG_CACHE_HOME", standard: ".cache", below: "black clangd coursier fontconfig helm matplotlib mypy ruff", os: "linux"},
	{program: "go", standard: "Library/Caches", below: "go-build", os: "darwin"},
	{
		standard: "Library/Caches", os: "darwin",
		below: "gopls golangci-lint staticcheck pip uv pypoetry Yarn pnpm node-gyp deno ccache Mozilla.sccache zig composer Coursier org.swift.swiftpm CocoaPods",
	},
	{program: "go", variable: "GOCACHE"},
	{program: "go", variable: "GOMODCACHE"},
	{program: "go", variable: "GOPATH", standard: "go", below: "pkg"},
	{program: "npm", variable: "npm_config_cache", standard: ".npm"},
	{program: "npm", variable: "NPM_CONFIG_CACHE"},
	{program: "pnpm", variable: "XDG_DATA_HOME", standard: ".local/share", below: "pnpm/store", os: "linux"},
	{program: "pnpm", standard: "Library/pnpm", below: "store", os: "darwin"},
	{variable: "npm_config_store_dir"},
	{variable: "YARN_CACHE_FOLDER"},
	{standard: ".yarn", below: "berry"},
	{variable: "BUN_INSTALL_CACHE_DIR"},
	{program: "bun", standard: ".bun", below: "install/cache"},
	{variable: "DENO_DIR"},
	{program: "cargo", variable: "CARGO_HOME", standard: ".cargo", below: "registry git"},
	{variable: "CARGO_HOME", standard: ".cargo", below: ".package-cache .package-cache-mutate .global-cache"},
	{program: "gradle", variable: "GRADLE_USER_HOME", standard: ".gradle", below: "caches daemon native notifications workers .tmp"},
	{program: "mvn", standard: ".m2", below: "repository"},
	{standard: ".ivy2", below: "cache local"},
	{standard: ".sbt", below: "boot"},
	{variable: "COURSIER_CACHE"},
	{program: "dotnet", variable: "NUGET_PACKAGES", standard: ".nuget/packages"},
	{program: "dotnet", standard: ".local/share/NuGet", os: "linux"},
	{variable: "PIP_CACHE_DIR"},
	{variable: "UV_CACHE_DIR"},
	{variable: "POETRY_CACHE_DIR"},
	{variable: "PUB_CACHE", standard: ".pub-cache", below: "hosted hosted-hashes git"},
	{variable: "COMPOSER_CACHE_DIR"},
	{standard: ".composer", below: "cache"},
	{standard: ".bundle", below: "cache"},
	{standard: ".cabal", below: "packages"},
	{standard: ".hex", below: "packages"},
	{variable: "CCACHE_DIR", standard: ".ccache"},
	{variable: "SCCACHE_DIR"},
	{variable: "TF_PLUGIN_CACHE_DIR"},
	{standard: "Library/Developer/Xcode/DerivedData", os: "darwin"},
	// What servers that drive a browser keep its profiles in. The browsers that they
	// fetch are programs.
	{server: "playwright", variable: "XDG_CACHE_HOME", standard: ".cache", below: "ms-playwright-mcp ms-playwright/b ms-playwright/daemon", os: "linux"},
	{server: "playwright", standard: "Library/Caches", below: "ms-playwright-mcp ms-playwright/b ms-playwright/daemon", os: "darwin"},
	{server: "chrome-devtools", variable: "XDG_CACHE_HOME", standard: ".cache", below: "chrome-devtools-mcp", os: "linux"},
	{server: "chrome-devtools", standard: ".cache", below: "chrome-devtools-mcp", os: "darwin"},
}

// Caches lists the directories, there or not, that build tools keep what they have
// fetched and built in, for Cmd.Writable. environ is the environment of commands. A
// directory that a program of PATH is in, or below, is not listed; of one below which
// such a program is, the others are. server is the command line of an MCP server, for
// what one like it keeps.
func Caches(environ []string, server ...string) []string {
	var all []string
	for _, c := range caches {
		if c.server == "" || c.serves(server) {
			all = append(all, c.dirs(environ)...)
		}
	}
	all = withoutPrograms(all, filepath.SplitList(pathOf(environ)))
	slices.Sort(all)
	return slices.Compact(all)
}

// MakeCaches makes the directories of Caches that the server, or a tool which is in
// PATH, would make at its first use: it cannot once it is confined.
func MakeCaches(environ []string, server ...string) error {
	usable := Caches(environ, server...)
	var errs []error
	for _, c := range caches {
		if !c.serves(server) && (c.program == "" || !inPath(environ, c.program)) {
			continue
		}
		for _, dir := range c.dirs(environ) {
			if slices.Contains(usable, dir) {
				errs = append(errs, os.MkdirAll(dir, 0o700))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("make caches: %w", err)
	}
	return nil
}

// serves reports whether the entry is for the server of this command line.
func (c cache) serves(argv []string) bool {
	return c.server != "" && slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, c.server) })
}

// dirs are what the entry means in an environment.
func (c cache) dirs(environ []string) []string {
	if c.os != "" && c.os != runtime.GOOS {
		return nil
	}
	home := valueOf(environ, "HOME")
	value := ""
	if c.variable != "" {
		value = valueOf(environ, c.variable)
	}
	if value == "" && c.standard != "" && filepath.IsAbs(home) {
		value = filepath.Join(home, filepath.FromSlash(c.standard))
	}
	var dirs []string
	for _, base := range filepath.SplitList(value) { // as GOPATH may be
		if !filepath.IsAbs(base) { // such as GOCACHE=off
			continue
		}
		names := strings.Fields(c.below)
		if len(names) == 0 {
			names = []string{"."}
		}
		for _, name := range names {
			// One that is around the home directory is a mistake.
			if dir := filepath.Join(base, filepath.FromSlash(name)); home == "" || !within(dir, filepath.Clean(home)) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// withoutPrograms drops what programs in path are in, or takes apart what they are
// below.
func withoutPrograms(dirs, path []string) []string {
	var all []string
	for _, dir := range dirs {
		inside := slices.ContainsFunc(path, func(p string) bool { return p != "" && within(filepath.Clean(p), dir) })
		around := slices.ContainsFunc(path, func(p string) bool { return within(dir, filepath.Clean(p)) })
		switch {
		case inside:
		case around:
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if e.IsDir() {
					all = append(all, withoutPrograms([]string{filepath.Join(dir, e.Name())}, path)...)
				}
			}
		default:
			all = append(all, dir)
		}
	}
	return all
}

func inPath(environ []string, program string) bool {
	for _, dir := range filepath.SplitList(pathOf(environ)) {
		if info, err := os.Stat(filepath.Join(dir, program)); err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
