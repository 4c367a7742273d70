//go:build unix

package acp_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reasonix/core/provider/providertest"
)

// process is a whole reasonix acp, with a scripted model.
type process struct {
	*client
	t         testing.TB
	cmd       *exec.Cmd
	model     *providertest.Server
	home, dir string
	out       *os.File // our end of its output
	stderr    bytes.Buffer
}

const oneProvider = `default_model = "scripted"
[environment]
enabled = false
[[providers]]
name = "scripted"
kind = "openai"
base_url = %q
model = "one"
api_key_env = %q
`

func start(t *testing.T, replies ...providertest.Reply) *process {
	t.Helper()
	model := providertest.New(t, replies...)
	p := prepare(t, fmt.Sprintf(oneProvider, model.BaseURL(), ""))
	p.model = model
	p.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "ask"))
	return p
}

func prepare(t *testing.T, config string) *process {
	t.Helper()
	p := &process{t: t, home: t.TempDir(), dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.home, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// run starts cmd as a server in p's world and connects a client.
func (p *process) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	in, out := p.spawn(t, cmd)
	p.client = newClient(t, in, out)
	t.Cleanup(func() {
		cmd.Process.Kill() // after a failure only
		cmd.Wait()
		out.Close()
		<-p.ended
	})
}

func (p *process) spawn(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out *os.File) {
	t.Helper()
	p.cmd = cmd
	cmd.Dir = t.TempDir() // not the sessions' directory
	cmd.Env = append(os.Environ(), beReasonix+"=1", "REASONIX_HOME="+p.home, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = &p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer childOut.Close()
	cmd.Stdout, p.out = childOut, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() // after a failure only
		out.Close()
	})
	return in, out
}

// ends holds the process to end well and soon, and to leave nothing behind.
func (p *process) ends(leaves string) {
	p.t.Helper()
	begun := time.Now()
	killed := time.AfterFunc(20*time.Second, func() { p.cmd.Process.Kill() })
	defer killed.Stop()
	err := p.cmd.Wait()
	took := time.Since(begun)
	if err != nil || took > 3*time.Second {
		p.t.Errorf("it ended after %v with %v, stderr %s", took, err, p.stderr.String())
	}
	if strings.Contains(p.stderr.String(), "panic") {
		p.t.Errorf("stderr: %s", p.stderr.String())
	}
	if leaves != "" && runs(leaves) {
		p.t.Errorf("%s still runs", leaves)
	}
}

// runs reports whether a process has these words in its command line.
func runs(words string) bool {
	err := exec.Command("pgrep", "-f", "--", words).Run()
	return err == nil
}

// journal is what was kept of the only session.
func (p *process) journal() string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.home, "projects", "*", "sessions", "*.jsonl"))
	found = withoutIndex(found)
	if err != nil || len(found) != 1 {
		p.t.Fatalf("journals: %v, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

func withoutIndex(paths []string) (journals []string) {
	for _, p := range paths {
		if filepath.Base(p) != "index.jsonl" {
			journals = append(journals, p)
		}
	}
	return journals
}

func (p *process) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

func bash(command string) providertest.Call {
	return providertest.Call{Name: "bash", Arguments: fmt.Sprintf(`{"command":%q}`, command)}
}

// sleeping is a command that nothing else on the machine runs.
func sleeping(t *testing.T) (command, words string) {
	words = fmt.Sprintf("sleep 5%d.5", os.Getpid())
	return "touch started; " + words + " & " + words, words
}
