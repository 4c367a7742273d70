package sandboxtest

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"reasonix/sandbox"
)

// A ground is where one attempt is made: directories a command may write, may only
// read and may not see, and things of others that it is to leave alone.
type ground struct {
	dir    string
	token  string // a secret: whoever prints it has read what it may not
	name   string // of a hidden file
	env    []string
	before map[string]string
	calls  atomic.Int64 // connections and packets that arrived
	victim *exec.Cmd
}

// protectedNames are the protected paths of a ground's workspace; some are not there.
var protectedNames = []string{
	".git/hooks", ".git/config", ".envrc", ".mcp.json", ".reasonix", ".vscode/tasks.json", "sub/.envrc", "reasonix.toml",
}

// newGround makes a ground whose things last as long as the test.
func newGround(t *testing.T) *ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{dir: dir, token: "secret-" + rand.Text(), name: "name-" + rand.Text()}
	g.fill(t)
	g.listen(t)
	g.start(t)
	g.before = g.state(t)
	return g
}

func (g *ground) path(name string) string { return filepath.Join(g.dir, filepath.FromSlash(name)) }

func (g *ground) fill(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"work/main.txt": "work", "work/.git/config": "[core]\n\tbare = false\n", "work/.git/hooks/mine": "#!/bin/sh\n",
		"work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/objects/info/keep": "", "work/.git/refs/heads/.keep": "",
		"work/.reasonix/commands/a.md": "a", "work/reasonix.toml": "a", "work/sub/.envrc": "a", "work/sub/a.txt": "a",
		"work/deep/private/token": g.token, "temp/keep": "", "work/cache/keep": "", "work/caches/dir/keep": "",
		"outside/file": "outside", "outside/dir/file": "outside",
		"secret/token": g.token, "secret/" + g.name: "", "secretfile": g.token,
		"home/.env": g.token, "home/config.toml": "a", "home/projects/s/session.jsonl": g.token,
		"home/projects/s/full-output/1.txt": "full output",
	} {
		path := g.path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"work/out": "../outside", "work/outfile": "../outside/file", "work/dangling": "../outside/new",
		"work/tosecret": "../secret/token", "work/toenv": "../home/.env",
	} {
		if err := os.Symlink(target, g.path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// listen makes services that nobody is to reach.
func (g *ground) listen(t *testing.T) {
	t.Helper()
	abstract := "@reasonix-" + rand.Text()
	stream := func(network, at string) net.Addr {
		l, err := new(net.ListenConfig).Listen(t.Context(), network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				g.calls.Add(1)
				_ = c.Close()
			}
		}()
		return l.Addr()
	}
	packet := func(network, at string) net.Addr {
		c, err := new(net.ListenConfig).ListenPacket(t.Context(), network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		go func() {
			for buf := make([]byte, 64); ; g.calls.Add(1) {
				if _, _, err := c.ReadFrom(buf); err != nil {
					return
				}
			}
		}()
		return c.LocalAddr()
	}
	short := g.shortDir(t)
	g.env = append(g.env,
		"TCP="+stream("tcp", "127.0.0.1:0").String(), "UDP="+packet("udp", "127.0.0.1:0").String(),
		"SOCK="+stream("unix", filepath.Join(short, "s")).String(), "DSOCK="+packet("unixgram", filepath.Join(short, "d")).String(),
		"ABSTRACT="+stream("unix", abstract).String())
}

// shortDir is outside too: the name of a socket has to be short.
func (g *ground) shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// start runs a process of somebody else.
func (g *ground) start(t *testing.T) {
	t.Helper()
	log, err := os.Create(g.path("outside/log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	g.victim = exec.CommandContext(t.Context(), "/bin/sleep", "999")
	g.victim.Dir = g.path("outside")
	g.victim.Stdout = log
	g.victim.Env = []string{"KEY=" + g.token}
	if err := g.victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = g.victim.Process.Kill()
		_ = g.victim.Wait()
	})
}

// cmd is a script in the workspace, held to what the ground is for.
func (g *ground) cmd(t *testing.T, script string, out *bytes.Buffer) sandbox.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := sandbox.Cmd{
		Argv: []string{"/bin/sh", "-c", script},
		Dir:  g.path("work"),
		Env: append(slices.Clone(g.env),
			"GORACE=atexit_sleep_ms=0", // a trial would linger for a second
			"PATH="+os.Getenv("PATH"), "HOME="+g.path("temp"), "TMPDIR="+g.path("temp"), "SELF="+self,
			"B="+g.dir, "O="+g.path("outside"), "S="+g.path("secret"), "H="+g.path("home"), "W="+g.path("work"),
			fmt.Sprint("V=", g.victim.Process.Pid)),
		Out:      out,
		Err:      out,
		Writable: []string{g.path("work"), g.path("temp"), g.path("work/cache"), g.path("work/caches/dir"), g.path("work/later")},
		Hidden: []string{
			g.path("secret"), g.path("secretfile"), g.path("home/.env"), g.path("home/projects"), g.path("work/deep/private"),
		},
		Bare:    []string{g.path("home/projects/s/full-output")},
		Network: true,
	}
	for _, name := range protectedNames {
		c.Protected = append(c.Protected, g.path("work/"+name))
	}
	return c
}

// state describes all that no command is to change.
func (g *ground) state(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"outside", "secret", "secretfile", "home", "work/deep"} {
		g.describe(t, name, true, all)
	}
	for _, name := range protectedNames {
		g.describe(t, "work/"+name, false, all)
	}
	return all
}

// describe adds what is below name; times only where they are to stay.
func (g *ground) describe(t *testing.T, name string, times bool, all map[string]string) {
	t.Helper()
	err := filepath.WalkDir(g.path(name), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		text := fmt.Sprint(info.Mode(), " ", st.Uid, " ", st.Gid)
		if times && info.Name() != "log" {
			text += fmt.Sprint(" ", info.ModTime().UnixNano())
		}
		if size, err := syscall.Listxattr(path, nil); err == nil {
			text += fmt.Sprint(" ", size)
		}
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		all[strings.TrimPrefix(path, g.dir)] = text
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// evidence lists what an attempt has achieved, nothing when it was held.
func (g *ground) evidence(t *testing.T, out string) []string {
	t.Helper()
	var found []string
	after := g.state(t)
	paths := slices.Sorted(maps.Keys(after))
	for path := range g.before {
		if _, there := after[path]; !there {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if g.before[path] != after[path] {
			found = append(found, fmt.Sprintf("%s: %q, then %q", path, g.before[path], after[path]))
		}
	}
	if strings.Contains(out, g.token) {
		found = append(found, "the secret was read")
	}
	if strings.Contains(out, escaped) {
		found = append(found, "the attempt says so")
	}
	if n := g.calls.Load(); n > 0 {
		found = append(found, fmt.Sprintf("%d connections or packets arrived", n))
	}
	if how := condition(g.victim.Process.Pid); how != "S" && how != "R" {
		found = append(found, "the process of others is in state "+how)
	}
	return found
}

// condition is the state of a process as one letter: T is stopped, t traced, Z dead.
func condition(pid int) string {
	fields, err := stat(pid)
	if err != nil {
		return "gone"
	}
	return fields[0]
}
