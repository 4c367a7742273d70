package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"reasonix/core/workspace"
)

// benchPlace is a workspace six levels deep with as many hidden roots as a real
// session has.
func benchPlace(b *testing.B) (*workspace.FS, string) {
	b.Helper()
	top, err := filepath.EvalSymlinks(b.TempDir())
	noErr(b, err)
	dir := filepath.Join(top, "home", "projects", "w")
	noErr(b, os.MkdirAll(filepath.Join(dir, "core", "tool", "file"), 0o755))
	noErr(b, os.WriteFile(filepath.Join(dir, "core", "tool", "file", "read.go"), []byte("package file\n"), 0o644))
	var hide []string
	for _, name := range []string{".env", ".env.bak", "grants.json", "grants.json.bak", "projects", "checkpoints", "logs"} {
		hide = append(hide, filepath.Join(top, "home", ".reasonix", name))
	}
	files, err := workspace.Open(workspace.Roots{Dir: dir, Write: []string{filepath.Join(top, "tmp")}, Hide: hide}, nil)
	noErr(b, err)
	return files, dir
}

const benchName = "core/tool/file/read.go"

func BenchmarkReadPath(b *testing.B) {
	files, _ := benchPlace(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := files.ReadPath(benchName)
		noErr(b, err)
	}
}

func BenchmarkWritePath(b *testing.B) {
	files, _ := benchPlace(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := files.WritePath(benchName)
		noErr(b, err)
	}
}

func BenchmarkHidden(b *testing.B) {
	files, dir := benchPlace(b)
	abs := filepath.Join(dir, filepath.FromSlash(benchName))
	b.ReportAllocs()
	for b.Loop() {
		if files.Hidden(abs) {
			b.Fatal("hidden")
		}
	}
}

func BenchmarkReadFile(b *testing.B) {
	files, dir := benchPlace(b)
	abs := filepath.Join(dir, filepath.FromSlash(benchName))
	b.ReportAllocs()
	for b.Loop() {
		_, err := files.ReadFile(b.Context(), abs)
		noErr(b, err)
	}
}

func BenchmarkReplace(b *testing.B) {
	files, dir := benchPlace(b)
	abs := filepath.Join(dir, filepath.FromSlash(benchName))
	b.ReportAllocs()
	for b.Loop() {
		was, err := files.ReadFile(b.Context(), abs)
		noErr(b, err)
		_, err = files.Replace(b.Context(), abs, []byte("package file\n"), was)
		noErr(b, err)
	}
}

func BenchmarkConfined(b *testing.B) {
	_, dir := benchPlace(b)
	places := workspace.PlacesOf(workspace.PlacesInput{Home: filepath.Dir(dir), UserHome: filepath.Dir(filepath.Dir(dir)), Dir: dir})
	files, err := workspace.Open(places.Roots(dir), nil)
	noErr(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if len(files.Confined().Writable) == 0 {
			b.Fatal("nothing is writable")
		}
	}
}

func BenchmarkOpenSession(b *testing.B) {
	_, dir := benchPlace(b)
	b.ReportAllocs()
	for b.Loop() {
		places := workspace.PlacesOf(workspace.PlacesInput{Home: filepath.Dir(dir), UserHome: filepath.Dir(filepath.Dir(dir)), Dir: dir})
		_, err := workspace.Open(places.Roots(dir), nil)
		noErr(b, err)
	}
}
