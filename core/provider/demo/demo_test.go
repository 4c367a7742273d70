package demo_test

import (
	"os"
	"strings"
	"testing"

	"reasonix/core/message"
)

const prompt = "The tests fail. Find out why and fix it."

// TestItRepairsWhatIsBroken breaks the project in many ways that the model
// cannot know of. The first change is the one the project is made with.
func TestItRepairsWhatIsBroken(t *testing.T) {
	const fixed = "+ 1) / $2"
	for _, tt := range []struct {
		name  string
		pairs []string
	}{
		{"as it is made", nil},
		{"another file name", []string{"numbers.sh", "sums.sh"}},
		{"another directory", []string{"lib/", "src/shell/"}},
		{"another function name", []string{"pages", "sheets_of"}},
		{"other function syntax", []string{"pages() {\n", "pages ( )\n{\n"}},
		{"a one-line function", []string{"pages() {\n\techo \"$((($1 + $2 + 1) / $2))\"\n}", "pages() { echo \"$((($1 + $2 + 1) / $2))\"; }"}},
		{"a second broken function", []string{`"$1" -gt "$2"`, `"$1" -lt "$2"`}},
		{"a second broken file", []string{`"$n" -lt "$2"`, `"$n" -le "$2"`}},
		{"a third one", []string{`"$n" -lt "$2"`, `"$n" -le "$2"`, `"$1" -gt "$2"`, `"$1" -lt "$2"`, "##*.", "#*."}},
		{"a comparison in the middle of a function", []string{fixed, "- 1) / $2", `"$1" -gt "$3"`, `"$1" -lt "$3"`}},
		{"another argument", []string{fixed, "- 1) / $2", "elif [ \"$1\" -gt \"$3\" ]; then\n\t\techo \"$3\"", "elif [ \"$1\" -gt \"$3\" ]; then\n\t\techo \"$2\""}},
		{"a count", []string{fixed, "- 1) / $2", "n=0", "n=1"}},
		{"a sum without its one", []string{"+ 1) / $2))", ") / $2))", "1 pages 1 5", "0 pages 1 5", "2 pages 10 5", "2 pages 10 5", "3 pages 11 5", "2 pages 11 5"}},
		{"two lines of one function", []string{fixed, "- 1) / $2", `"$1" -lt "$2"`, `"$1" -gt "$2"`, `"$1" -gt "$3"`, `"$1" -lt "$3"`}},
		{"an endless loop on the way", []string{fixed, "- 1) / $2", "n=$((n + 1))", "n=$((n + 2))"}},
		{"single quotes", []string{fixed, "- 1) / $2", `echo "$1 $2"`, `echo '$1 $2'`}},
		{"a helper that is wrong", []string{fixed, "- 1) / $2", "plural() {", "one() {\n\t[ \"$1\" -ne 1 ]\n}\n\nplural() {", `if [ "$1" -eq 1 ]`, `if one "$1"`}},
		{"the same line in two functions", []string{fixed, "- 1) / $2", "repeat() {", "again() {\n\tn=0\n\techo \"$n\"\n}\n\nrepeat() {", "\tn=0\n\twhile", "\tn=1\n\twhile"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.pairs...)
			w.rename(tt.pairs)
			if w.passes("test.sh") {
				t.Fatal("nothing is broken")
			}
			text := w.turn(prompt)
			if !w.passes("test.sh") || !strings.Contains(text, "checks pass now") || !strings.Contains(text, "demo model") {
				t.Errorf("after %d edits it says %q and the checks say\n%s", w.called("edit_file"), text, w.run("sh test.sh"))
			}
		})
	}
}

// rename moves the files whose names pairs change.
func (w *world) rename(pairs []string) {
	w.Helper()
	r := strings.NewReplacer(pairs...)
	for _, name := range []string{"lib/numbers.sh", "lib/text.sh"} {
		if to := r.Replace(name); to != name {
			text := w.read(name)
			noErr(w, os.Remove(w.path(name)))
			w.write(to, text)
		}
	}
}

func TestItDeclinesElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
	}{
		{"an empty directory", nil},
		{"a project of another kind", map[string]string{"main.go": "package main\n", "go.mod": "module m\n"}},
		{"checks of another kind", map[string]string{"test.sh": "#!/bin/sh\necho reasonix demo project\ntouch ran\n"}},
		{"an empty file", map[string]string{"test.sh": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{T: t, dir: t.TempDir()}
			for name, text := range tt.files {
				w.write(name, text)
			}
			text := w.turn("Fix the bug.")
			for _, want := range []string{"not a reasonix demo project", "I am the demo model", "not a language model", "reasonix setup"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q does not say %q", text, want)
				}
			}
			if w.called("bash")+w.called("edit_file") > 0 {
				t.Errorf("it ran or changed something: %+v", w.said)
			}
		})
	}
}

func TestItFindsTheChecksUnderAnotherName(t *testing.T) {
	w := newWorld(t)
	w.write("run checks.sh", w.read("test.sh"))
	w.write("test.sh", "#!/bin/sh\ntouch ran\n")
	w.turn(prompt)
	if !w.passes("'run checks.sh'") {
		t.Error("not repaired")
	}
	if _, err := os.Stat(w.path("ran")); err == nil {
		t.Error("it ran what is not its own")
	}
}

func TestItSaysWhichToolsItLacks(t *testing.T) {
	w := newWorld(t)
	w.user(prompt)
	m := collect(t, w.request(tools[2:4]))
	if want := "read_file, edit_file, bash"; len(m.ToolCalls) > 0 || !strings.Contains(m.Content, want) {
		t.Errorf("got %+v, want text with %q", m, want)
	}
}

// TestItLeavesWhatItCannotRepair changes what is expected to what no small
// change gives.
func TestItLeavesWhatItCannotRepair(t *testing.T) {
	w := newWorld(t, "2 pages 10 5", "17 pages 10 5")
	before := w.read("lib/numbers.sh")
	text := w.turn(prompt)
	for _, want := range []string{"I found no repair", "one check fails, `pages 10 5`", "demo model"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	if w.read("lib/numbers.sh") != before {
		t.Errorf("it left the file as\n%s", w.read("lib/numbers.sh"))
	}
}

func TestItRepairsOneFunctionBesideOneItCannot(t *testing.T) {
	w := newWorld(t, "9 larger", "4 larger")
	text := w.turn(prompt)
	if !strings.Contains(text, "I found no repair") || !strings.Contains(text, "These changes helped and stay:\n- lib/numbers.sh, line 25, in `pages`") {
		t.Errorf("it says %q", text)
	}
	if out := w.run("sh test.sh"); !strings.Contains(out, "ok   pages 10 5") || strings.Count(out, "FAIL") != 1 {
		t.Errorf("the checks say\n%s", out)
	}
}

func TestItNeverChangesALineThatCouldDoHarm(t *testing.T) {
	w := newWorld(t, `echo "$((($1 + $2 + 1) / $2))"`, `rm -f "$1$2$((1 + 1))" && echo $1 > "$3" || exec "$1"`)
	before := w.read("lib/numbers.sh")
	w.before = func(c message.ToolCall) (string, bool) {
		return "FAIL pages 10 5 (lib/numbers.sh): expected 2, got\nexit code 1\n", c.Name == "bash"
	}
	text := w.turn(prompt)
	if w.called("edit_file") > 0 || w.read("lib/numbers.sh") != before || !strings.Contains(text, "I found no repair") {
		t.Errorf("%d edits, and it says %q", w.called("edit_file"), text)
	}
}

func TestItDoesNotGoRoundADenial(t *testing.T) {
	for _, tool := range []string{"ls", "read_file", "bash", "edit_file"} {
		w := newWorld(t)
		w.before = func(c message.ToolCall) (string, bool) {
			return "denied: rule Deny(" + tool + ")\nDo not try to reach the same effect another way.", c.Name == tool
		}
		text := w.turn(prompt)
		if want := "denied: rule Deny(" + tool + ")"; w.called(tool) != 1 || !strings.Contains(text, want) {
			t.Errorf("%s: called %d times, and it says %q", tool, w.called(tool), text)
		}
	}
}

func TestItGivesUpOnAToolThatNeverWorks(t *testing.T) {
	for _, tool := range []string{"ls", "bash"} {
		w := newWorld(t)
		w.before = func(c message.ToolCall) (string, bool) { return "error: out of order", c.Name == tool }
		if text := w.turn(prompt); !strings.Contains(text, "error: out of order") || w.called(tool) > 3 {
			t.Errorf("%s: called %d times, and it says %q", tool, w.called(tool), text)
		}
	}
}

func TestItExplainsChecksItCannotRead(t *testing.T) {
	w := newWorld(t)
	w.before = func(c message.ToolCall) (string, bool) { return "sh: not found\nexit code 127\n", c.Name == "bash" }
	if text := w.turn(prompt); !strings.Contains(text, "cannot read its output") || !strings.Contains(text, "sh: not found") {
		t.Errorf("it says %q", text)
	}
}

// TestItGoesOnAfterAnInterruption stops the session at every call: before the
// call ran, and after it ran without its result being kept. A fresh provider goes
// on from the conversation.
func TestItGoesOnAfterAnInterruption(t *testing.T) {
	whole := newWorld(t)
	whole.turn(prompt)
	calls := 0
	for _, m := range whole.said {
		calls += len(m.ToolCalls)
	}
	for stop := range calls {
		for _, ran := range []bool{false, true} {
			w := newWorld(t)
			w.interrupt(stop, ran)
			text := w.turn("go on")
			if !w.passes("test.sh") || !strings.Contains(text, "checks pass now") && !strings.Contains(text, "nothing to repair") {
				t.Errorf("stopped at call %d, which ran: %v; then it says %q", stop, ran, text)
			}
			if w.read("lib/numbers.sh") != whole.read("lib/numbers.sh") || w.read("lib/text.sh") != whole.read("lib/text.sh") {
				t.Errorf("stopped at call %d, which ran: %v; the repair is another one", stop, ran)
			}
		}
	}
}

// interrupt plays a turn up to call number stop.
func (w *world) interrupt(stop int, ran bool) {
	w.Helper()
	w.user(prompt)
	for n := 0; ; n++ {
		m := w.ask()
		w.said = append(w.said, m)
		if n < stop {
			w.answer(m.ToolCalls)
			continue
		}
		c := m.ToolCalls[0]
		if ran {
			w.result(c)
		}
		w.said = append(w.said, message.Message{
			Role: message.ToolRole, ToolCallID: c.ID, Name: c.Name,
			Content: "interrupted: reasonix was stopped while this call ran; it may have had effects. Check before you go on.",
		})
		return
	}
}

func TestASecondTaskIsANewOne(t *testing.T) {
	w := newWorld(t)
	w.turn(prompt)
	if text := w.turn("And now?"); !strings.Contains(text, "nothing to repair") {
		t.Errorf("it says %q", text)
	}
	w.replace(`"$1" -gt "$2"`, `"$1" -lt "$2"`)
	text := w.turn("Another test fails.")
	if !w.passes("test.sh") || !strings.Contains(text, "`larger`") || strings.Contains(text, "`pages`") {
		t.Errorf("it says %q", text)
	}
}

func TestItCopesWithAChangeBySomebodyElse(t *testing.T) {
	w := newWorld(t)
	edits := 0
	w.before = func(c message.ToolCall) (string, bool) {
		if c.Name != "edit_file" {
			return "", false
		}
		if edits++; edits != 1 {
			return "", false
		}
		w.replace("# Whole numbers.", "# Numbers.")
		return "error: lib/numbers.sh changed since it was read. Nothing was written.", true
	}
	w.turn(prompt)
	if !w.passes("test.sh") || !strings.HasPrefix(w.read("lib/numbers.sh"), "# Numbers.") {
		t.Errorf("not repaired:\n%s", w.read("lib/numbers.sh"))
	}
}

func TestAHostsNoteIsNoNewTask(t *testing.T) {
	w := newWorld(t)
	w.before = func(message.ToolCall) (string, bool) {
		if len(w.said) == 8 {
			w.user("[host] Say what blocks you.")
		}
		return "", false
	}
	w.turn(prompt)
	if w.called("ls") != 1 || !w.passes("test.sh") {
		t.Errorf("ls was called %d times", w.called("ls"))
	}
}
