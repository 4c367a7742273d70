package sandbox_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reasonix/sandbox"
	"reasonix/sandbox/sandboxtest"
)

// denied are commands that fail since they are confined, with what they were kept
// from: kinds with paths below the ground, which "#" stands for.
var denied = []struct {
	name, needs, script string
	offline             bool
	want                []sandbox.Denial
}{
	{"touch", "", `touch "$B/outside/new"`, false, writeOf("#/outside/new")},
	{"redirection", "", `echo x >"$B/outside/file"`, false, writeOf("#/outside/file")},
	{"redirection of bash", "bash", `bash -c 'echo x >../outside/file'`, false, writeOf("#/outside/file")},
	{"copy to a relative path", "", `cp main.txt ../outside/copy`, false, writeOf("#/outside/copy")},
	{"copy to a path with blanks", "", `cp main.txt "../outside/a b/c d"`, false, writeOf("#/outside/a b/c d")},
	{"through a link", "", `echo x >out/file`, false, writeOf("#/work/out/file")},
	{"remove", "", `rm ../outside/file`, false, writeOf("#/outside/file")},
	{"directory", "", `mkdir ../outside/dir`, false, writeOf("#/outside/dir")},
	{"home by its sign", "", `echo "cannot write ~/f: Permission denied"; exit 1`, false, writeOf("#/outside/f")},
	{"hidden file", "", `cat ../secret`, false, readOf("#/secret")},
	{"hidden directory", "", `cat ../private/key`, false, readOf("#/private/key")},
	{"protected file", "", `echo x >>reasonix.toml`, false, protectedOf("#/work/reasonix.toml")},
	{"protected file not there", "", `echo x >.envrc; exit 1`, false, protectedOf("#/work/.envrc")},
	{"git config", "git", `git config core.fsmonitor x; exit 1`, false, protectedOf("#/work/.git/config")},
	{"git config in a pipe", "git", `git config core.fsmonitor x 2>&1 | cat`, false, protectedOf("#/work/.git/config")},
	{
		"git branch that succeeds", "", `echo "error: could not write config file .git/config: Device or resource busy"`, false,
		protectedOf("#/work/.git/config"),
	},
	{
		"git at the top of the tree", "", `echo "error: could not write config file deep/.git/config: Device or resource busy"`, false,
		protectedOf("#/work/other/deep/.git/config"),
	},
	{"python", "python3", `python3 -c 'open("../outside/file", "w")'`, false, writeOf("#/outside/file")},
	{"node", "node", `node -e 'require("fs").writeFileSync("../outside/file", "x")'`, false, writeOf("#/outside/file")},
	{"npm", "npm", `HOME=$PWD npm install --offline --prefix ../outside/app ./dep`, false, writeOf("#/outside/app")},
	{"socket of bash", "bash", `bash -c 'echo x >/dev/tcp/127.0.0.1/'$PORT`, true, networkOf("127.0.0.1:$PORT")},
	{"curl", "curl", `curl -sS -m 5 http://127.0.0.1:$PORT/`, true, networkOf("127.0.0.1:$PORT")},
	{"name", "curl", `curl -sS -m 5 http://reasonix.invalid/`, true, networkOf("")},
	{"socket", "python3", `python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$SOCK" 2>/dev/null || { echo "cannot connect to unix://$SOCK: Connection refused"; exit 1; }`, true, networkOf("$SOCK")},
}

func writeOf(path string) []sandbox.Denial {
	return []sandbox.Denial{{Kind: sandbox.DeniedWrite, Path: path}}
}

func readOf(path string) []sandbox.Denial {
	return []sandbox.Denial{{Kind: sandbox.DeniedRead, Path: path}}
}

func protectedOf(path string) []sandbox.Denial {
	return []sandbox.Denial{{Kind: sandbox.DeniedProtected, Path: path}}
}

func networkOf(path string) []sandbox.Denial {
	return []sandbox.Denial{{Kind: sandbox.DeniedNetwork, Path: path}}
}

// ordinary are commands that fail for reasons of their own.
var ordinary = []struct{ name, script string }{
	{"missing file", `cat nope ../outside/nope /nope/nope`},
	{"missing file outside", `ls ../outside/nope`},
	{"missing program", `no-such-program`},
	{"no program", `./main.txt`},
	{"no program outside", `../outside/file`},
	{"is a directory", `cat ../outside`},
	{"test that fails", `echo "--- FAIL: TestX: open ../outside/file: want 1, got 2"; exit 1`},
	{"test that names a hidden path", `echo "x.go:1: $B/secret is not what it should be"; exit 1`},
	{"permission in the workspace", `mkdir closed; chmod 0 closed; echo "mkdir: cannot create directory 'closed/x': Permission denied"; exit 1`},
	{"what only root may", `[ "$(id -u)" = 0 ] || echo x >>/etc/passwd`},
	{"network that is there", `echo "dial tcp 10.0.0.1:80: connect: connection refused"; exit 1`},
	{"success that names an error", `echo "skipped ../outside/file: Permission denied"`},
}

type denialGround struct {
	dir  string
	cmd  sandbox.Cmd
	out  bytes.Buffer
	vars map[string]string
}

func newDenialGround(t *testing.T) *denialGround {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"work/main.txt": "x", "work/reasonix.toml": "x", "work/dep/package.json": `{"name":"dep","version":"1.0.0"}`,
		"work/.git/config": "[core]\n\tbare = false\n", "work/.git/HEAD": "ref: refs/heads/main\n", "work/other/deep/.git/config": "",
		"work/.git/objects/info/keep": "", "work/.git/refs/heads/.keep": "",
		"outside/file": "x", "outside/a b/file": "x", "secret": "x", "private/key": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(dir, "work/out")); err != nil {
		t.Fatal(err)
	}
	g := &denialGround{dir: dir}
	g.cmd = sandbox.Cmd{
		Dir:       filepath.Join(dir, "work"),
		Env:       []string{"PATH=" + os.Getenv("PATH"), "B=" + dir, "HOME=" + filepath.Join(dir, "outside")},
		Out:       &g.out,
		Err:       &g.out,
		Writable:  []string{filepath.Join(dir, "work")},
		Hidden:    []string{filepath.Join(dir, "secret"), filepath.Join(dir, "private")},
		Protected: []string{filepath.Join(dir, "work/reasonix.toml"), filepath.Join(dir, "work/.envrc"), filepath.Join(dir, "work/.git/config"), filepath.Join(dir, "work/other/deep/.git/config")},
		Network:   true,
	}
	return g
}

// listen makes the services that a command asks for.
func (g *denialGround) listen(t *testing.T) {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tcp.Close() })
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	unix, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close() })
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	g.vars = map[string]string{"PORT": port, "SOCK": unix.Addr().String()}
	g.cmd.Env = append(g.cmd.Env, "PORT="+port, "SOCK="+g.vars["SOCK"])
}

func (g *denialGround) run(t *testing.T, r sandbox.Runner, script string) []sandbox.Denial {
	t.Helper()
	g.cmd.Argv = []string{"/bin/sh", "-c", script}
	exit, err := r.Run(t.Context(), g.cmd)
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Denials(g.cmd, exit, g.out.Bytes())
}

func (g *denialGround) want(list []sandbox.Denial) []sandbox.Denial {
	var all []sandbox.Denial
	for _, d := range list {
		d.Path = os.Expand(d.Path, func(name string) string { return g.vars[name] })
		if rest, ok := bytes.CutPrefix([]byte(d.Path), []byte("#")); ok {
			d.Path = g.dir + string(rest)
		}
		all = append(all, d)
	}
	return all
}

// denialsAreTold runs real commands: the errors are those of programs, the reason
// is the sandbox's.
func denialsAreTold(t *testing.T, open func(*testing.T) sandbox.Runner) {
	r := open(t)
	t.Cleanup(func() { _ = r.Close() })
	for _, c := range denied {
		if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newDenialGround(t)
			g.listen(t)
			g.cmd.Network = !c.offline
			got := g.run(t, r, c.script)
			if diff := cmp.Diff(got, g.want(c.want)); diff != "" {
				t.Errorf("%s\noutput: %s", diff, g.out.String())
			}
		})
	}
	for _, c := range ordinary {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newDenialGround(t)
			if got := g.run(t, r, c.script); !cmp.Equal(got, []sandbox.Denial{}, cmpopts.EquateEmpty()) {
				t.Errorf("got %v\noutput: %s", got, g.out.String())
			}
		})
	}
}

func TestDenialsOfLandlock(t *testing.T) {
	sandboxtest.AsUsers(t, func(t *testing.T) { denialsAreTold(t, openLandlock) })
}
