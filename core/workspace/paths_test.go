package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reasonix/core/workspace"
)

// refusalShape is what every refusal of a path looks like.
var refusalShape = regexp.MustCompile(`^(read|write|move) ("[^"]*"|[^":]+): [^;]+(; .+)?$`)

// TestPM11Traversal: whatever way a path is written, it is resolved before it is
// judged, and a refusal has one shape.
func TestPM11Traversal(t *testing.T) {
	p := newPlace(t, nil)
	noErr(t, os.Mkdir(p.at("w/%2e%2e"), 0o755))
	for _, tt := range []struct {
		name        string
		read, write error
		real        string
	}{
		{"../outside/f", nil, workspace.ErrOutside, "outside/f"},
		{"sub/../../outside/f", nil, workspace.ErrOutside, "outside/f"},
		{"sub/../sub/./../f", nil, nil, "w/f"},
		{p.at("outside/f"), nil, workspace.ErrOutside, "outside/f"},
		{p.at("w/../outside/f"), nil, workspace.ErrOutside, "outside/f"},
		{"//" + p.at("outside/f"), nil, workspace.ErrOutside, "outside/f"},
		{"~/x", fs.ErrInvalid, fs.ErrInvalid, ""},
		{"~", fs.ErrInvalid, fs.ErrInvalid, ""},
		{"~root/x", fs.ErrInvalid, fs.ErrInvalid, ""},
		{"~root", fs.ErrInvalid, fs.ErrInvalid, ""},
		{"./~root/x", nil, nil, "w/~root/x"},
		{"~$doc.docx", nil, nil, "w/~$doc.docx"},
		{"%2e%2e/x", nil, nil, "w/%2e%2e/x"},
		{"..%2foutside/f", nil, nil, "w/..%2foutside/f"},
		{"f\x00", fs.ErrInvalid, fs.ErrInvalid, ""},
		{"f\x00.txt", fs.ErrInvalid, fs.ErrInvalid, ""},
		{"../w/secret/key", workspace.ErrHidden, workspace.ErrHidden, ""},
		{"sub/../secret/../secret/none", workspace.ErrHidden, workspace.ErrHidden, ""},
	} {
		for op, do := range map[string]func(string) (string, error){"read": p.fs.ReadPath, "write": p.fs.WritePath} {
			want := tt.read
			if op == "write" {
				want = tt.write
			}
			real, err := do(tt.name)
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%s %q: %v, want %v", op, tt.name, err, want)
			}
			if err == nil && real != p.at(tt.real) {
				t.Errorf("%s %q: %s, want %s", op, tt.name, real, p.at(tt.real))
			}
			if err != nil && !refusalShape.MatchString(err.Error()) {
				t.Errorf("%s %q: %q has another shape", op, tt.name, err)
			}
		}
	}
	noErr(t, os.Mkdir(p.at("w/~root"), 0o755))
	if real, err := p.fs.WritePath("~root/x"); err != nil || real != p.at("w/~root/x") {
		t.Errorf("what the workspace has under that name: %s, %v", real, err)
	}
}

// TestHiddenParentHidesTheWorkspace: who forbids a directory forbids what is in it,
// the workspace too, but for the exceptions.
func TestHiddenParentHidesTheWorkspace(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	noErr(t, err)
	w := filepath.Join(top, "h", "w")
	for _, name := range []string{"f", "open/f"} {
		noErr(t, os.MkdirAll(filepath.Dir(filepath.Join(w, name)), 0o755))
		noErr(t, os.WriteFile(filepath.Join(w, name), []byte("x"), 0o644))
	}
	files, err := workspace.Open(workspace.Roots{Dir: w, Hide: []string{filepath.Join(top, "h")}, Bare: []string{filepath.Join(w, "open")}}, nil)
	noErr(t, err)
	for name, want := range map[string]error{"f": workspace.ErrHidden, ".": workspace.ErrHidden, "open/f": nil, "open": nil, "open/../f": workspace.ErrHidden} {
		if _, err := files.ReadPath(name); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	if _, err := files.ReadDir(w); !errors.Is(err, workspace.ErrHidden) {
		t.Errorf("listing: %v", err)
	}
	if entries, err := files.ReadDir(filepath.Join(w, "open")); err != nil || len(entries) != 1 {
		t.Errorf("listing the exception: %v, %v", entries, err)
	}
}

func TestProtectedNeedsALeaveOfItsOwn(t *testing.T) {
	e := newEstate(t, nil)
	_, err := e.fs.WritePath(".git/hooks/pre-commit")
	var pe *workspace.PathError
	if !errors.Is(err, workspace.ErrProtected) || !errors.As(err, &pe) || pe.Hint == "" || !strings.Contains(err.Error(), ".git/hooks") {
		t.Errorf("got %v", err)
	}
	for _, tt := range []struct {
		released, path string
		ok             bool
	}{
		{"h/w/.git/hooks/pre-commit", ".git/hooks/pre-commit", true},
		{"h/w/.git/hooks", ".git/hooks/pre-commit", true},
		{"h/w/.git/hooks/pre-commit", ".git/hooks/pre-push", false},
		{"h/w/.git/hooks/pre-commit", ".git/config", false},
		{"h/w/.git/hooks/pre-commit", ".git/hooks/pre-commit2", false},
		{"h/.reasonix/config.toml", "../.reasonix/config.toml", true},
		{"h/.reasonix/config.toml", "../.reasonix/settings.json", false},
		{"h/.reasonix", "../.reasonix/cache/x", false},           // outside all the same
		{"h/.reasonix/.env", "../.reasonix/.env", false},         // hidden all the same
		{"h/doc", "../doc", false},                               // a release makes nothing writable
		{"h/w/forbidden/f", "forbidden/f", false},                // nor seen
		{"h/w/.reasonix", ".reasonix/skills/new/SKILL.md", true}, // directories that are not there yet
	} {
		fs := e.fs.Releasing([]string{e.at(tt.released)})
		real, err := fs.WritePath(tt.path)
		if err == nil {
			_, err = fs.Replace(t.Context(), real, []byte("new"), nil)
			if errors.Is(err, os.ErrExist) {
				err = nil
			}
		}
		if (err == nil) != tt.ok {
			t.Errorf("%s with %s released: %v", tt.path, tt.released, err)
		}
	}
	if _, err := e.fs.WritePath(".git/hooks/pre-commit"); err == nil {
		t.Error("a release outlived its call")
	}
}

// TestMoveRoundAProtectedName: a directory that holds one is not taken away, nor is
// one put where git or an editor looks.
func TestMoveRoundAProtectedName(t *testing.T) {
	e := newEstate(t, func(in *workspace.PlacesInput) { in.Dir = in.UserHome })
	e.put("h/evil/hooks/pre-commit", "evil")
	e.put("h/evil/tasks.json", "evil")
	e.put("h/evil/f", "evil")
	for _, tt := range [][2]string{
		{"w/.git", "x"},
		{"evil", "x/.git"},
		{"evil/f", "x/.git"},
		{"evil", "y/.vscode"},
		{"evil", "y/.reasonix"},
		{"evil/tasks.json", "w/.vscode/tasks.json"},
		{"evil/f", ".bashrc2/../.bashrc"},
		{"evil/f", ".envrc"},
		{"w/.git/config", "stolen"},
		{".bashrc", "b"},
		{".reasonix", "r"},
		{"evil/f", ".config"},
		{"evil/f", ".config/fish"},
	} {
		from, err := e.fs.LinkPath(tt[0])
		if err == nil {
			var to string
			if to, err = e.fs.LinkPath(tt[1]); err == nil {
				err = e.fs.Move(t.Context(), from, to)
			}
		}
		if !errors.Is(err, workspace.ErrProtected) && !errors.Is(err, workspace.ErrHidden) {
			t.Errorf("move %s to %s: %v", tt[0], tt[1], err)
		}
		// Move holds alone.
		if err := e.fs.Move(t.Context(), e.at("h/"+tt[0]), filepath.Clean(e.at("h/"+tt[1]))); err == nil {
			t.Errorf("move %s to %s without asking for its path", tt[0], tt[1])
		}
	}
	from, err := e.fs.LinkPath("evil/f")
	noErr(t, err)
	fs := e.fs.Releasing([]string{e.at("h/.envrc")})
	to, err := fs.LinkPath(".envrc")
	noErr(t, err)
	noErr(t, fs.Move(t.Context(), from, to))
}

func TestAddWritable(t *testing.T) {
	e := newEstate(t, nil)
	noErr(t, os.MkdirAll(e.at("h/more"), 0o755))
	if _, err := e.fs.WritePath("../more/f"); !errors.Is(err, workspace.ErrOutside) {
		t.Fatalf("before: %v", err)
	}
	done := make(chan bool)
	for range 4 {
		go func() {
			for range 50 {
				_, _ = e.fs.WritePath("../more/f")
				_ = e.fs.AddWritable(e.at("h/more"))
				_ = e.fs.Confined()
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	view := e.fs.Releasing([]string{e.at("h/.bashrc")})
	for _, fs := range []*workspace.FS{e.fs, view} {
		abs, err := fs.WritePath("../more/f")
		if err != nil || abs != e.at("h/more/f") {
			t.Errorf("after: %s, %v", abs, err)
		}
	}
	if got := e.fs.Writable(); len(got) != 4 || got[3] != e.at("h/more") {
		t.Errorf("roots %v", got)
	}
	if got := bash(e.fs.Confined(), e.at("h/more/f")); got != "rw" {
		t.Errorf("bash %q", got)
	}
	for _, tt := range []struct {
		dir  string
		want error
	}{
		{"h/.reasonix/projects", workspace.ErrHidden},
		{"h/.reasonix/memory", workspace.ErrProtected},
		{"h/w/.git/hooks", workspace.ErrProtected},
		{"h/none", fs.ErrNotExist},
	} {
		if err := e.fs.AddWritable(e.at(tt.dir)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.dir, err, tt.want)
		}
	}
	for _, dir := range []string{"rel", e.at("h/doc")} {
		if err := e.fs.AddWritable(dir); err == nil {
			t.Errorf("%s was added", dir)
		}
	}
}

// What a command prints may be forged, and a person may say yes too easily: some
// directories are never opened, whoever asks.
func TestWhatIsNeverMadeWritable(t *testing.T) {
	e := newEstate(t, func(in *workspace.PlacesInput) {
		in.Path = []string{filepath.Join(in.UserHome, ".local", "bin"), "", "rel"}
	})
	for _, dir := range []string{
		"h/.local/bin/more", "h/.local/share/app", "h/.ssh/keys", "h/.config/fish", "h/.config/app", "h/.reasonix/cache", "h/other/src",
	} {
		noErr(t, os.MkdirAll(e.at(dir), 0o755))
	}
	noErr(t, os.Symlink(e.at("h/.ssh"), e.at("h/other/link")))
	closed := []string{
		e.at("h/.ssh"), e.at("h/.ssh/keys"), e.at("h/other/link"), // secrets, by a link too
		e.at("h/.local/bin"), e.at("h/.local/bin/more"), e.at("h/.local"), // programs
		e.at("h/.config"),                              // holds start files
		e.at("h/.reasonix"), e.at("h/.reasonix/cache"), // <home>
		e.at("h"), e.top, filepath.VolumeName(e.top) + string(filepath.Separator), // hold the workspace
	}
	for _, dir := range []string{"/etc", "/usr", "/usr/local/bin", "/bin", "/dev/shm", "/proc/self", "/sys", "/var", "/var/lib", "/run", "/tmp", "/home"} {
		if _, err := os.Stat(dir); err == nil {
			closed = append(closed, dir)
		}
	}
	for _, dir := range closed {
		if e.fs.Openable(dir) == nil || e.fs.AddWritable(dir) == nil {
			t.Errorf("%s can be made writable", dir)
		}
	}
	for _, dir := range []string{"h/.local/share/app", "h/.config/app", "h/other", "h/other/src"} {
		noErr(t, e.fs.Openable(e.at(dir)))
		noErr(t, e.fs.AddWritable(e.at(dir)))
	}
}
