//go:build linux

package shell_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/tool/tooltest"
	"reasonix/sandbox"
)

// boxes are the ways of confinement that this machine has, as openBoxed takes them.
func boxes() map[string]sandbox.Options {
	return map[string]sandbox.Options{
		"first":    {Path: os.Getenv("PATH")},
		"landlock": {Ways: []string{sandbox.WayLandlock}},
	}
}

// background starts a job and waits until it has made a file.
func (b *boxed) background(command, file string) {
	b.t.Helper()
	if r := b.call(b.t.Context(), args{"command": command, "run_in_background": true}); r.err != nil {
		b.t.Fatal(r.err)
	}
	path := filepath.Join(b.dir, file)
	until(b.t, "the job makes "+file, func() bool { return exists(path) })
}

// What a job has changed is not laid to the command that notices it, and nobody is
// asked to let that do it.
func TestACommandIsNotBlamedForAJob(t *testing.T) {
	for name, o := range boxes() {
		t.Run(name, func(t *testing.T) {
			b := openBoxed(t, o)
			b.answer = choose("release_once", "")
			envrc := filepath.Join(b.dir, ".envrc")
			b.background("f=.env; echo new > ${f}rc; touch made; sleep 60", "made")
			r := b.run("true")
			if exists(envrc) || len(b.asked) > 0 {
				t.Errorf("it is there: %v; asked %v", exists(envrc), b.asked)
			}
			if !strings.Contains(r.text, "[changed by another command that is running, a background job or a server, and put back") || strings.Contains(r.text, "[changed by the command") {
				t.Errorf("the model reads %q", r.text)
			}
			kill := tooltest.Bind(t, named(t, "kill_shell"), b.env)
			if _, err := kill.Execute(t.Context(), json.RawMessage(`{"job_id":"bash-1"}`)); err != nil {
				t.Error(err)
			}
			text, err := tooltest.Bind(t, named(t, "bash_output"), b.env).Execute(t.Context(), json.RawMessage(`{"job_id":"bash-1"}`))
			if err != nil || !strings.Contains(text, "[changed by the command and put back, because a person must allow it first: "+envrc) {
				t.Errorf("the job: %q, %v", text, err)
			}
		})
	}
}

// A look at a job puts back what it has changed so far.
func TestALookAtAJobPutsBack(t *testing.T) {
	for name, o := range boxes() {
		for tool, look := range map[string]string{"bash_output": `{"job_id":"bash-1"}`, "wait": `{"timeout_ms":1}`} {
			t.Run(name+" "+tool, func(t *testing.T) {
				b := openBoxed(t, o)
				b.background("f=.env; echo new > ${f}rc; touch made; sleep 60", "made")
				text, err := tooltest.Bind(t, named(t, tool), b.env).Execute(t.Context(), json.RawMessage(look))
				if envrc := filepath.Join(b.dir, ".envrc"); err != nil || exists(envrc) || !strings.Contains(text, "and put back, because a person must allow it first: "+envrc) {
					t.Errorf("%q, %v", text, err)
				}
			})
		}
	}
}

// Beside a job a command that changes what it may not is still asked about, with what
// is known.
func TestBesideAJobTheQuestionSaysWhatIsKnown(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	b.background("touch made; sleep 60", "made")
	envrc := filepath.Join(b.dir, ".envrc")
	b.answer = choose("release_once", "")
	if r := b.run("f=.env; echo new > ${f}rc"); !exists(envrc) || *r.call.Exit != 0 {
		t.Errorf("released: %q", r.text)
	}
	if len(b.asked) != 1 || b.asked[0].Why != "the sandbox put back what it or another command that was running changed: "+envrc {
		t.Errorf("asked %+v", b.asked)
	}
	if r := b.run("true"); !exists(envrc) {
		t.Errorf("what was let is gone: %q", r.text)
	}
}

// A cache in the workspace leads nowhere once a command has put a link in its place.
func TestACacheReplacedByALinkIsNotFollowed(t *testing.T) {
	for name, o := range boxes() {
		t.Run(name, func(t *testing.T) {
			b := openBoxed(t, o)
			cache := filepath.Join(b.dir, ".npm")
			if err := os.Mkdir(cache, 0o755); err != nil {
				t.Fatal(err)
			}
			env := b.env
			env.Settings.Caches = []string{cache}
			b.tool = tooltest.Bind(t, builtin(t), env)
			b.run("touch .npm/a; rm -r .npm; ln -s " + b.out + " .npm")
			for _, told := range []bool{true, false} {
				r := b.run("touch .npm/b " + b.out + "/c; true")
				if entries, err := os.ReadDir(b.out); err != nil || len(entries) > 0 {
					t.Errorf("written: %v, %v", entries, err)
				}
				if strings.Contains(r.text, "[not writable, because a link that a command can have made leads to another place: "+cache) != told {
					t.Errorf("the model reads %q", r.text)
				}
			}
		})
	}
}
