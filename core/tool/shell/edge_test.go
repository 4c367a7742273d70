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
	shut   string // one that nobody opens
}

func openBoxed(t *testing.T, o sandbox.Options, hide ...string) *boxed {
	t.Helper()
	b := &boxed{out: realDir(t), shut: realDir(t), answer: func(event.Question) (event.Answer, error) { return event.Answer{}, tool.ErrNobody }}
	dir := realDir(t)
	runner := sandbox.New(o)
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Errorf("close runner: %v", err)
		}
	})
	files, err := workspace.Open(workspace.Roots{Dir: dir, Names: []string{".envrc"}, Hide: hide, Shut: []string{b.shut}}, nil)
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

// recorded runs a command and returns what the call recorded of itself.
func (b *boxed) recorded(command string) (*tool.Call, string, []event.Payload) {
	b.t.Helper()
	var noted []event.Payload
	call := &tool.Call{ID: "c1", Note: func(p event.Payload) error { noted = append(noted, p); return nil }}
	raw, _ := json.Marshal(args{"command": command})
	text, err := b.tool.Execute(tool.WithCall(b.t.Context(), call), raw)
	if err != nil {
		b.t.Fatal(err)
	}
	return call, text, noted
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

// A command can print what it likes: the question says that the path is from there,
// and what must stay closed is not offered.
func TestADenialThatIsPrintedOpensNothing(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	b.answer = choose("allow_write", "")
	for _, dir := range []string{b.shut, "/etc", "/usr/local/bin"} {
		n := len(b.asked)
		r := b.run("echo \"touch: cannot touch '" + dir + "/keys': Read-only file system\"; exit 1")
		if len(b.asked) == n {
			continue // nobody but root could write there
		}
		if got := b.optionIDs(); got != "unconfined_once reject_once" || len(b.noted) > 0 {
			t.Errorf("%s: offered %s, granted %v: %q", dir, got, b.noted, r.text)
		}
		if q := b.asked[n]; !strings.Contains(q.Why, "what the command printed: writing "+dir) {
			t.Errorf("asked because %q", q.Why)
		}
	}
	if len(b.asked) == 0 {
		t.Error("nothing was asked")
	}
}

// A second run is recorded as what it is, and is told to be of what is on disk now.
func TestASecondRunIsRecorded(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	path := filepath.Join(b.dir, ".envrc")
	if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		choice, command string
		want            event.ToolStarted
	}{
		{"unconfined_once", "touch " + b.out + "/f", event.ToolStarted{Held: "not sandboxed", Rule: "allowed once without the sandbox"}},
		{"release_once", "echo new > .envrc", event.ToolStarted{Rule: "allowed once to change " + path}},
		{"allow_write", "touch " + b.out + "/g", event.ToolStarted{Rule: "sandbox.allow_write=" + b.out}},
	} {
		b.answer = choose(c.choice, "")
		call, text, noted := b.recorded(c.command)
		c.want.Call, c.want.Title, c.want.Kind = "c1", c.command, "execute"
		if d := cmp.Diff([]event.Payload{c.want}, noted); d != "" || *call.Exit != 0 {
			t.Errorf("%s: exit %d, %q, -want +got\n%s", c.choice, *call.Exit, text, d)
		}
		if o := b.asked[len(b.asked)-1].Options[0]; !strings.Contains(o.Detail, "it runs what is on disk now") {
			t.Errorf("%s: the option says %q", c.choice, o.Detail)
		}
		if c.choice == "unconfined_once" && !strings.Contains(text, "allowed this one without it") {
			t.Errorf("the model reads %q", text)
		}
	}
}

// What was put back counts although the command did not notice.
func TestWhatWasPutBackIsAskedAboutAtExitZero(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	path := filepath.Join(b.dir, ".envrc")
	const command = "f=.env; echo new > ${f}rc"
	r := b.run(command) // nobody is there
	if exists(path) || *r.call.Exit != 0 || strings.Count(r.text, path) != 1 || !strings.Contains(r.text, "put back, because a person must allow it first") {
		t.Errorf("headless: exit %d, %q", *r.call.Exit, r.text)
	}
	b.answer = choose("release_once", "")
	if r = b.run(command); !exists(path) || *r.call.Exit != 0 {
		t.Errorf("released: exit %d, %q", *r.call.Exit, r.text)
	}
	q := b.asked[len(b.asked)-1]
	if got := b.optionIDs(); got != "release_once reject_once" || q.Why != "the sandbox put back what it changed: "+path {
		t.Errorf("offered %s because %q", got, q.Why)
	}
}

// A job that ended says what was put back as a call does.
func TestAJobSaysWhatWasPutBack(t *testing.T) {
	b := openBoxed(t, sandbox.Options{Path: os.Getenv("PATH")})
	r := b.call(t.Context(), args{"command": "f=.env; echo new > ${f}rc; sleep 0.5", "run_in_background": true})
	wait := tooltest.Bind(t, named(t, "wait"), b.env)
	if text, err := wait.Execute(t.Context(), json.RawMessage(`{}`)); r.err != nil || err != nil {
		t.Fatalf("%v, %v: %q", r.err, err, text)
	}
	look := tooltest.Bind(t, named(t, "bash_output"), b.env)
	text, err := look.Execute(t.Context(), json.RawMessage(`{"job_id":"bash-1"}`))
	if err != nil || !strings.Contains(text, "put back, because a person must allow it first: "+filepath.Join(b.dir, ".envrc")) {
		t.Errorf("%v: %q", err, text)
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
