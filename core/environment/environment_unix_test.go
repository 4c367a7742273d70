//go:build unix

package environment_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/environment"
)

// machine is a PATH with programs of our own making.
type machine struct {
	t         *testing.T
	bin, work string
	o         environment.Options
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, bin: t.TempDir(), work: t.TempDir()}
	m.o = environment.Options{
		Home: t.TempDir(), Environ: []string{"PATH=" + m.bin + ":rel:/bin", "SECRET_KEY=7.7.7"},
		Shell: "/bin/bash", Workspace: m.work, Limit: 10 * time.Second,
	}
	m.o.Environ[0] = "PATH=" + m.bin + ":rel"
	return m
}

// program writes an executable that notes each run and prints what body says.
func (m *machine) program(dir, name, body string) string {
	m.t.Helper()
	path := filepath.Join(dir, name)
	script := "#!/bin/sh\necho x >>" + filepath.Join(m.work, name+".ran") + "\n" + body + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func (m *machine) runs(name string) int {
	data, _ := os.ReadFile(filepath.Join(m.work, name+".ran"))
	return strings.Count(string(data), "x")
}

func (m *machine) tools() string {
	_, tools, _ := strings.Cut(environment.Probe(m.t.Context(), m.o).Text(), "Tools: ")
	return strings.TrimSpace(tools)
}

func TestAWarmStartRunsNothingAndSaysTheSame(t *testing.T) {
	m := newMachine(t)
	m.program(m.bin, "git", "echo git version 2.39.5")
	m.program(m.bin, "make", "echo GNU Make 4.3; exit 0")
	m.program(m.bin, "java", `echo 'openjdk version "21.0.2" 2024' >&2`)
	m.program(m.bin, "docker", "exit 1")
	cold := environment.Probe(t.Context(), m.o)
	if cold.Ran != 4 || !strings.HasSuffix(cold.Text(), "Shell: bash\nTools: git 2.39.5, java 21.0.2, make 4.3\n") {
		t.Errorf("cold: ran %d\n%s", cold.Ran, cold.Text())
	}
	warm := environment.Probe(t.Context(), m.o)
	if warm.Ran != 0 {
		t.Errorf("warm: ran %d programs", warm.Ran)
	}
	if d := cmp.Diff(cold.Text(), warm.Text()); d != "" {
		t.Errorf("-cold +warm\n%s", d)
	}
}

func TestAReplacedProgramIsAskedAgain(t *testing.T) {
	m := newMachine(t)
	path := m.program(m.bin, "git", "echo 1.0")
	m.program(m.bin, "make", "echo 4.3")
	m.tools()
	m.program(m.bin, "git", "echo 1.0.1")
	if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := m.tools(); got != "git 1.0.1, make 4.3" || m.runs("git") != 2 || m.runs("make") != 1 {
		t.Errorf("%s, git ran %d, make %d times", got, m.runs("git"), m.runs("make"))
	}
	m.program(m.bin, "rg", "echo 14.1.0")
	if got := m.tools(); got != "git 1.0.1, make 4.3, rg 14.1.0" {
		t.Errorf("a new program is not seen: %s", got)
	}
}

func TestNothingOfTheWorkspaceIsRun(t *testing.T) {
	m := newMachine(t)
	inside := m.program(m.work, "node", "echo 6.6.6")
	m.o.Environ = []string{"PATH=" + m.work + ":" + m.bin}
	link := filepath.Join(m.bin, "cargo")
	if err := os.Symlink(inside, link); err != nil {
		t.Fatal(err)
	}
	m.o.Tools = map[string]string{"mine": m.program(m.bin, "mine", "echo 3.2.1"), "theirs": inside}
	m.o.ProjectTools = map[string]string{"project": m.program(m.bin, "project", "echo 1.1"), "mine": inside}
	want := "cargo, mine 3.2.1 (" + m.bin + "/mine), node, project (" + m.bin + "/project), theirs (" + inside + ")"
	if got := m.tools(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m.runs("node")+m.runs("project") > 0 {
		t.Error("a program of the workspace, or one that a project named, was run")
	}
}

// A version manager under a program's name is never run: rustup writes its
// settings, pyenv runs what PATH names.
func TestVersionManagersAreListedAndNotRun(t *testing.T) {
	m := newMachine(t)
	tools := t.TempDir()
	m.program(m.bin, "git", "echo 2.39.5")
	rustup := m.program(tools, "rustup", "echo 1.0")
	if err := errors.Join(
		os.Symlink(rustup, filepath.Join(m.bin, "cargo")),
		os.Symlink(m.program(tools, "mise", "echo 1.0"), filepath.Join(m.bin, "ruby")),
		os.Symlink(m.program(tools, "volta-shim", "echo 1.0"), filepath.Join(m.bin, "node")),
		os.Mkdir(filepath.Join(tools, "bin"), 0o700),
		os.Mkdir(filepath.Join(tools, "shims"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	m.program(m.bin, "python3", `exec "/opt/pyenv/libexec/pyenv" exec "${0##*/}" "$@"`)
	m.program(filepath.Join(tools, "shims"), "go", "echo 1.0")
	// Proxies of rustup that are hard links of it, or copies.
	linked := m.program(filepath.Join(tools, "bin"), "rustup", "echo 1.0 # linked")
	if err := os.Link(linked, filepath.Join(tools, "bin", "deno")); err != nil {
		t.Fatal(err)
	}
	m.o.Environ = []string{"PATH=" + m.bin + ":" + filepath.Join(tools, "shims") + ":" + filepath.Join(tools, "bin")}
	if got, want := m.tools(), "cargo, deno, git 2.39.5, go, node, python3, ruby"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	ran, err := filepath.Glob(filepath.Join(m.work, "*.ran"))
	if len(ran) != 1 || err != nil {
		t.Errorf("ran %q, %v: want git alone", ran, err)
	}
}

// A program that is asked finds no program of the workspace itself.
func TestAProgramThatIsAskedSeesAPathWithoutTheWorkspace(t *testing.T) {
	m := newMachine(t)
	m.program(m.work, "uname", "echo 6.6.6")
	inside := filepath.Join(m.work, "bin")
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Mkdir(inside, 0o700), os.Symlink(inside, link)); err != nil {
		t.Fatal(err)
	}
	m.program(m.bin, "git", "uname; echo \"1.2 $PATH\" >"+filepath.Join(m.work, "path")+"; echo 1.2")
	m.o.Environ = []string{"PATH=" + strings.Join([]string{m.work, ".", "", "rel", inside, link, m.bin, "/usr/bin"}, ":")}
	if got := m.tools(); !strings.Contains(got, "git ") || m.runs("uname") > 0 {
		t.Errorf("%s, uname of the workspace ran %d times", got, m.runs("uname"))
	}
	data, err := os.ReadFile(filepath.Join(m.work, "path"))
	if got, want := string(data), "1.2 "+m.bin+":/usr/bin\n"; got != want || err != nil {
		t.Errorf("PATH is %q, want %q %v", got, want, err)
	}
}

func TestASlowProgramCostsTheLimitOnce(t *testing.T) {
	m := newMachine(t)
	m.program(m.bin, "docker", "exec /bin/sleep 60")
	m.program(m.bin, "git", "echo 2.0")
	m.o.Limit = 500 * time.Millisecond
	begin := time.Now()
	if got := m.tools(); !strings.HasPrefix(got, "docker, git") {
		t.Errorf("got %s", got)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if got := environment.Probe(t.Context(), m.o); got.Ran != 0 {
		t.Errorf("the slow program was asked again")
	}
}

func TestProgramsSeeNoSecret(t *testing.T) {
	m := newMachine(t)
	m.program(m.bin, "git", `echo "v${SECRET_KEY:-1.2.3}"`)
	if got := m.tools(); got != "git 1.2.3" {
		t.Errorf("got %s", got)
	}
}

func TestVersionsFromFilesRunNothing(t *testing.T) {
	m := newMachine(t)
	root := t.TempDir()
	for name, text := range map[string]string{
		"go/VERSION": "go1.26.8\ntime 2026", "npm/package.json": `{"name":"npm","version":"10.8.2"}`, "jdk/release": "IMPLEMENTOR=\"x 1.1\"\nJAVA_VERSION=\"21.0.2\"\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(filepath.Dir(path), "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, dir := range map[string]string{"go": "go", "npm": "npm", "java": "jdk"} {
		real := m.program(filepath.Join(root, dir, "bin"), name, "echo 0.0")
		if err := os.Symlink(real, filepath.Join(m.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.tools(); got != "go 1.26.8, java 21.0.2, npm 10.8.2" || m.runs("go")+m.runs("npm")+m.runs("java") > 0 {
		t.Errorf("got %s", got)
	}
}

func TestADamagedCacheIsNoError(t *testing.T) {
	m := newMachine(t)
	m.program(m.bin, "git", "echo 2.0")
	m.tools()
	if err := os.WriteFile(filepath.Join(m.o.Home, "cache", "environment.json"), []byte(`{"format":2`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := m.tools(); got != "git 2.0" {
		t.Errorf("got %s", got)
	}
}

func TestWithoutToolsAndHome(t *testing.T) {
	r := environment.Probe(t.Context(), environment.Options{})
	if len(r.Tools) != 0 || r.OS == "" || strings.Contains(r.Text(), "Shell") {
		t.Errorf("%q", r.Text())
	}
}

// A cache that is no ordinary file is none: it is neither waited for nor read into
// memory.
func TestAHostileCacheIsNone(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"device": func(p string) error { return os.Symlink("/dev/zero", p) },
		"hole": func(p string) error {
			return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 3<<30))
		},
	} {
		m := newMachine(t)
		m.program(m.bin, "git", "echo git version 2.39.5")
		dir := filepath.Join(m.o.Home, "cache")
		if err := errors.Join(os.Mkdir(dir, 0o700), put(filepath.Join(dir, "environment.json"))); err != nil {
			t.Fatal(err)
		}
		done := make(chan string, 1)
		go func() { done <- m.tools() }()
		select {
		case got := <-done:
			if got != "git 2.39.5" {
				t.Errorf("%s: got %q", name, got)
			}
		case <-time.After(2 * time.Second):
			t.Fatalf("%s: the probe does not return", name)
		}
	}
}
