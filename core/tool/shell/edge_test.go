//go:build linux

package shell_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// boxed is a bash held by a sandbox, with a person beside it.
type boxed struct {
	*shell
	asked  []event.Question
	noted  []event.Payload
	answer func(event.Question) (event.Answer, error)
	out    string // a directory it may not write
}

func openBoxed(t *testing.T, o sandbox.Options, hide ...string) *boxed {
	t.Helper()
	b := &boxed{out: realDir(t), answer: func(event.Question) (event.Answer, error) { return event.Answer{}, tool.ErrNobody }}
	dir := realDir(t)
	runner := sandbox.New(o)
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Errorf("close runner: %v", err)
		}
	})
	files, err := workspace.Open(workspace.Roots{Dir: dir, Names: []string{".envrc"}, Hide: hide}, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := tool.NewEnv(tool.Env{
		Files: files, Run: runner, Now: time.Now, Settings: tool.Settings{Environ: os.Environ(), Temp: realDir(t), Network: true},
		Ask: func(_ context.Context, q event.Question) (event.Answer, error) {
			b.asked = append(b.asked, q)
			return b.answer(q)
		},
		Note: func(p event.Payload) error { b.noted = append(b.noted, p); return nil },
	})
	t.Cleanup(func() { env.Close() })
	b.shell = &shell{t: t, tool: tooltest.Bind(t, builtin(t), env), env: env, dir: dir}
	return b
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func choose(id, word string) func(event.Question) (event.Answer, error) {
	return func(event.Question) (event.Answer, error) { return event.Answer{Choice: []string{id}, Text: word}, nil }
}

func (b *boxed) optionIDs() string {
	var ids []string
	for _, o := range b.asked[len(b.asked)-1].Options {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// A command that the sandbox stopped just fails where nobody can be asked, and the
// model is told what stopped it.
func TestHeadlessACommandStoppedBySandboxFails(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	r := b.run("echo x > " + b.out + "/f")
	if *r.call.Exit == 0 || exists(b.out+"/f") || !strings.Contains(r.text, "stopped by the sandbox: ") || !strings.Contains(r.text, b.out) {
		t.Errorf("exit %d, %q", *r.call.Exit, r.text)
	}
	n := len(b.asked)
	for _, command := range []string{"false", "cat nowhere", "echo Permission denied; exit 1", "echo x > inside"} {
		if r := b.run(command); strings.Contains(r.text, "stopped by the sandbox") || len(b.asked) > n {
			t.Errorf("%s: taken for a denial: %q", command, r.text)
		}
	}
}

func TestAPersonLetsACommandOutOnce(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	b.answer = choose("unconfined_once", "")
	r := b.call(t.Context(), args{"command": "cd /; echo x >> " + b.out + "/f", "description": "to write"})
	if r.err != nil || *r.call.Exit != 0 || !exists(b.out+"/f") || !strings.Contains(r.text, "this once") {
		t.Errorf("%v, exit %v, %q", r.err, r.call.Exit, r.text)
	}
	q := b.asked[0]
	if q.Kind != event.AskUnconfined || !q.Fresh || !strings.Contains(q.Body, "echo x") || q.Reason != "to write" || q.Dir != b.dir || q.Why == "" {
		t.Errorf("asked %+v", q)
	}
	if got := b.optionIDs(); got != "unconfined_once allow_write reject_once" {
		t.Errorf("offered %s", got)
	}
	// The next one is held again.
	b.answer = choose("reject_once", "use the workspace")
	if r := b.run("echo y >> " + b.out + "/f"); *r.call.Exit == 0 || !strings.Contains(r.text, "the user leaves the sandbox as it is: use the workspace") || len(b.asked) != 2 {
		t.Errorf("exit %d, %q", *r.call.Exit, r.text)
	}
}

func TestAPersonOpensADirectoryForTheSession(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	b.answer = choose("allow_write", "")
	for _, name := range []string{"/new/f", "/g"} {
		if r := b.run("mkdir -p " + b.out + "/new && echo x > " + b.out + name); *r.call.Exit != 0 || !exists(b.out+name) {
			t.Errorf("%s: exit %d, %q", name, *r.call.Exit, r.text)
		}
	}
	if len(b.asked) != 1 {
		t.Errorf("asked %d times", len(b.asked))
	}
	want := []event.Payload{event.Granted{Rule: "sandbox.allow_write=" + b.out, Scope: "session"}}
	if d := cmp.Diff(want, b.noted); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if _, err := b.env.Files.WritePath(b.out + "/h"); err != nil {
		t.Errorf("file tools may not write there: %v", err)
	}
}

// The root, the home and what holds the workspace are not opened by one letter.
func TestWhatIsTooWideIsNotOffered(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	b.answer = choose("reject_once", "")
	for _, place := range []string{filepath.Dir(b.dir), "/"} {
		n := len(b.asked)
		b.run("echo x > " + filepath.Join(place, "file-of-a-test"))
		if len(b.asked) > n && b.optionIDs() != "unconfined_once reject_once" {
			t.Errorf("%s: offered %s", place, b.optionIDs())
		}
	}
}

// A protected path is written by the one call that a person let do so.
func TestAReleaseIsForOneCall(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	path := filepath.Join(b.dir, ".envrc")
	if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(release ...string) {
		raw, _ := json.Marshal(args{"command": "echo new > .envrc"})
		_, _ = b.tool.Execute(tool.WithCall(t.Context(), &tool.Call{Release: release}), raw)
	}
	for _, c := range []struct {
		release []string
		holds   string
	}{{nil, "old\n"}, {[]string{path}, "new\n"}} {
		write(c.release...)
		if got, _ := os.ReadFile(path); string(got) != c.holds {
			t.Errorf("released %v: the file holds %q", c.release, got)
		}
	}
}

// A background job is held as a call is.
func TestABackgroundJobIsHeld(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	r := b.call(t.Context(), args{"command": "touch " + b.out + "/f; touch inside; sleep 0.5", "run_in_background": true})
	wait := tooltest.Bind(t, named(t, "wait"), b.env)
	text, err := wait.Execute(t.Context(), json.RawMessage(`{}`))
	if r.err != nil || err != nil || exists(b.out+"/f") || !exists(filepath.Join(b.dir, "inside")) {
		t.Errorf("%v, %v: %q, %q", r.err, err, r.text, text)
	}
}

// What policy did not see the sandbox stops, and a person lets it change that path
// this once, still inside the sandbox.
func TestAPersonReleasesAProtectedPath(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	path := filepath.Join(b.dir, ".envrc")
	if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.answer = choose("release_once", "")
	r := b.run("f=.env; echo new > ${f}rc; touch " + b.out + "/f 2>/dev/null")
	if got, _ := os.ReadFile(path); string(got) != "new\n" || exists(b.out+"/f") {
		t.Errorf("the file holds %q, outside written %v: %q", got, exists(b.out+"/f"), r.text)
	}
	if got := b.optionIDs(); got != "release_once reject_once" || len(b.asked) != 1 {
		t.Errorf("offered %s, asked %d times", got, len(b.asked))
	}
}

// Nobody opens with a letter what is hidden.
func TestWhatIsHiddenIsNotAskedAbout(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")}, filepath.Join(realDir(t), "secret"))
	hidden := b.env.Files.HiddenRoots()[0]
	if err := os.WriteFile(hidden, []byte("key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := b.run("cat " + hidden); *r.call.Exit == 0 || strings.Contains(r.text, "key") || len(b.asked) > 0 {
		t.Errorf("asked %d times: %q", len(b.asked), r.text)
	}
}

// PM-20: without a sandbox commands are refused with what was tried, and the user
// is told once.
func TestPM20WithoutASandboxBashIsRefused(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Ways: []string{sandbox.WayBwrap}, Path: t.TempDir()})
	for range 2 {
		r := b.call(t.Context(), args{"command": "touch ran"})
		if r.err == nil || !strings.Contains(r.err.Error(), "bash is refused") || !strings.Contains(r.err.Error(), "bwrap") {
			t.Errorf("refused with %v", r.err)
		}
	}
	if exists(filepath.Join(b.dir, "ran")) {
		t.Error("it ran")
	}
	if len(b.noted) != 1 || b.noted[0].(event.Notice).Code != "sandbox_unavailable" {
		t.Errorf("told %+v", b.noted)
	}
}

func TestASubjectSaysWhereTheCommandWillRun(t *testing.T) {
	s := open(t)
	s.run("mkdir sub && cd sub")
	subject := func() string {
		return s.tool.(tool.Subjecter).Subject(json.RawMessage(`{"command":"ls"}`)).Dir
	}
	if got := subject(); got != filepath.Join(s.dir, "sub") {
		t.Errorf("it runs in %s", got)
	}
	if err := os.Remove(filepath.Join(s.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	if got := subject(); got != s.dir {
		t.Errorf("the directory is gone: it runs in %s", got)
	}
}
