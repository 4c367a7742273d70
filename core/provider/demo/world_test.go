package demo_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
	_ "reasonix/core/provider/demo"
)

// project is what `reasonix demo` makes.
const project = "../../../commands/demo/project"

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB) provider.Provider {
	t.Helper()
	p, err := provider.New("demo", provider.Config{Name: "demo", Model: "demo"})
	noErr(t, err)
	return p
}

var tools = []message.ToolSchema{{Name: "bash"}, {Name: "edit_file"}, {Name: "grep"}, {Name: "ls"}, {Name: "read_file"}}

// world is a directory, the tools as the model sees them, and a conversation.
type world struct {
	*testing.T
	dir  string
	said []message.Message
	// before may answer a call instead of the tool.
	before func(c message.ToolCall) (string, bool)
}

// newWorld copies the demo project, with the texts in pairs replaced in every
// file of it.
func newWorld(t *testing.T, pairs ...string) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir()}
	noErr(t, os.CopyFS(w.dir, os.DirFS(project)))
	w.replace(pairs...)
	return w
}

func (w *world) replace(pairs ...string) {
	w.Helper()
	r := strings.NewReplacer(pairs...)
	hits := 0
	for _, name := range []string{"test.sh", "lib/numbers.sh", "lib/text.sh"} {
		old := w.read(name)
		if text := r.Replace(old); text != old {
			hits++
			w.write(name, text)
		}
	}
	if hits == 0 && len(pairs) > 0 {
		w.Fatalf("nothing to replace: %q", pairs)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) read(name string) string {
	w.Helper()
	data, err := os.ReadFile(w.path(name))
	noErr(w, err)
	return string(data)
}

func (w *world) write(name, text string) {
	w.Helper()
	noErr(w, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	noErr(w, os.WriteFile(w.path(name), []byte(text), 0o644))
}

// user says something.
func (w *world) user(text string) {
	w.said = append(w.said, message.Message{Role: message.User, Content: text})
}

// ask gets one reply, from a provider that has never seen the conversation.
func (w *world) ask() message.Message {
	w.Helper()
	return collect(w, w.request(tools))
}

func (w *world) request(tools []message.ToolSchema) <-chan provider.Chunk {
	w.Helper()
	chunks, err := open(w).Stream(w.Context(), provider.Request{Messages: slices.Clone(w.said), Tools: tools})
	noErr(w, err)
	return chunks
}

// collect reads a stream to its one end.
func collect(t testing.TB, chunks <-chan provider.Chunk) message.Message {
	t.Helper()
	m := message.Message{Role: message.Assistant}
	var ends []provider.Chunk
	for c := range chunks {
		switch c.Type {
		case provider.ChunkText:
			m.Content += c.Text
		case provider.ChunkCall:
			m.ToolCalls = append(m.ToolCalls, *c.Call)
		case provider.ChunkDone, provider.ChunkError:
			ends = append(ends, c)
		default:
			t.Errorf("unexpected chunk %+v", c)
		}
	}
	if len(ends) != 1 || ends[0].Err != nil {
		t.Fatalf("the stream ended in %+v, want one Done", ends)
	}
	return m
}

// turn goes on until the model answers without a call, and returns that text. No
// call may have the id of an earlier one.
func (w *world) turn(prompt string) string {
	w.Helper()
	w.user(prompt)
	for range 2000 {
		m := w.ask()
		w.said = append(w.said, m)
		if len(m.ToolCalls) == 0 {
			return m.Content
		}
		w.answer(m.ToolCalls)
	}
	w.Fatal("the turn does not end")
	return ""
}

func (w *world) answer(calls []message.ToolCall) {
	w.Helper()
	for _, c := range calls {
		w.said = append(w.said, message.Message{Role: message.ToolRole, ToolCallID: c.ID, Name: c.Name, Content: w.result(c)})
	}
}

func (w *world) result(c message.ToolCall) string {
	w.Helper()
	if w.before != nil {
		if text, ok := w.before(c); ok {
			return text
		}
	}
	var in struct {
		Path, Command string
		Old           string `json:"old_string"`
		New           string `json:"new_string"`
	}
	noErr(w, json.Unmarshal([]byte(c.Arguments), &in))
	switch c.Name {
	case "ls":
		return w.list(in.Path)
	case "read_file":
		return w.show(in.Path)
	case "edit_file":
		return w.edit(in.Path, in.Old, in.New)
	case "bash":
		return w.run(in.Command)
	}
	w.Fatalf("call of %s", c.Name)
	return ""
}

func (w *world) list(path string) string {
	entries, err := os.ReadDir(w.path(path))
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			b.WriteString(e.Name() + "/\n")
		} else if err == nil {
			fmt.Fprintf(&b, "%s\t%d\n", e.Name(), info.Size())
		}
	}
	if b.Len() == 0 {
		return "[. is empty]"
	}
	return b.String()
}

func (w *world) show(path string) string {
	data, err := os.ReadFile(w.path(path))
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		fmt.Fprintf(&b, "%d\t%s\n", n, strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}

func (w *world) edit(path, old, new string) string {
	data, err := os.ReadFile(w.path(path))
	if err != nil {
		return "error: " + err.Error()
	}
	if n := strings.Count(string(data), old); n != 1 || old == new {
		w.Errorf("an edit whose text occurs %d times: %q", n, old)
		return fmt.Sprintf("error: old_string occurs %d times", n)
	}
	w.write(path, strings.Replace(string(data), old, new, 1))
	return "edited " + path + " at line 1"
}

func (w *world) run(command string) string {
	cmd := exec.Command("sh", "-c", "ulimit -t 1; "+command)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 128 {
		return "error: timed out after 1s; the next call starts in the same directory\noutput so far:\n" + string(out)
	}
	return fmt.Sprintf("%sexit code %d\n", out, cmd.ProcessState.ExitCode())
}

// passes reports whether the project's checks do.
func (w *world) passes(suite string) bool {
	return strings.HasSuffix(w.run("sh "+suite), "\nexit code 0\n")
}

// called counts the calls of one tool.
func (w *world) called(name string) int {
	n := 0
	for _, m := range w.said {
		for _, c := range m.ToolCalls {
			if c.Name == name {
				n++
			}
		}
	}
	return n
}
