package agent

import (
	"fmt"
	"testing"
)

func read(path, content string) []deed {
	return []deed{{name: "read_file", args: `{"path":"` + path + `"}`, result: content, reads: true, ok: true}}
}

func command(text, output string) []deed {
	return []deed{{name: "bash", args: `{"command":"` + text + `"}`, result: output, ok: true}}
}

// feed gives the lease n rounds and returns the first round it nudged and paused
// at, 0 for never.
func feed(n int, openTodo bool, round func(i int) []deed) (nudged, paused int) {
	var l lease
	for i := 1; i <= n; i++ {
		switch l.round(round(i), openTodo) {
		case nudge:
			if nudged == 0 {
				nudged = i
			}
		case pause:
			return nudged, i
		case goOn:
		}
	}
	return nudged, 0
}

func TestLeaseWithAnOpenTodo(t *testing.T) {
	for _, c := range []struct {
		name           string
		round          func(i int) []deed
		nudged, paused int
	}{
		{"the same read again and again", func(int) []deed { return read("a", "x") }, 9, 17},
		{"an alternating pair", func(i int) []deed { return read(fmt.Sprint(i%2), "x") }, 10, 18},
		{"a new file each round", func(i int) []deed { return read(fmt.Sprint(i), "x") }, 0, 0},
		{"one file that changes", func(i int) []deed { return read("a", fmt.Sprint(i)) }, 0, 0},
		{"the same command, other output", func(i int) []deed { return command("date", fmt.Sprint(i)) }, 9, 17},
		{"the same edit that changes the file", func(int) []deed {
			return []deed{{name: "edit_file", args: "{}", ok: true, changed: true}}
		}, 0, 0},
		{"a completed todo", func(int) []deed { return []deed{{name: "todo_write", args: "{}", completed: true}} }, 0, 0},
		{"a new command each round that fails", func(i int) []deed {
			return []deed{{name: "bash", args: fmt.Sprint(i), result: "exit 1"}}
		}, 0, 0},
	} {
		nudged, paused := feed(40, true, c.round)
		if nudged != c.nudged || paused != c.paused {
			t.Errorf("%s: nudged at %d, paused at %d; want %d and %d", c.name, nudged, paused, c.nudged, c.paused)
		}
	}
}

func TestLeaseWithoutTodoPausesOnIdenticalRoundsOnly(t *testing.T) {
	for _, c := range []struct {
		name   string
		round  func(i int) []deed
		paused int
	}{
		{"identical rounds", func(int) []deed { return read("a", "x") }, 16},
		{"polling a command", func(i int) []deed { return command("date", fmt.Sprint(i)) }, 0},
		{"a growing file", func(i int) []deed { return read("log", fmt.Sprint(i)) }, 0},
		{"an alternating pair", func(i int) []deed { return read(fmt.Sprint(i%2), "x") }, 0},
	} {
		nudged, paused := feed(60, false, c.round)
		if nudged != 0 || paused != c.paused {
			t.Errorf("%s: nudged at %d, paused at %d; want 0 and %d", c.name, nudged, paused, c.paused)
		}
	}
}

func TestLeaseNudgesOnceUntilRenewed(t *testing.T) {
	var l lease
	nudges := 0
	for i := range 12 {
		if l.round(read("a", "x"), true) == nudge {
			nudges++
		}
		if i == 11 {
			l.round(read("b", "x"), true)
		}
	}
	for range 12 {
		if l.round(read("a", "x"), true) == nudge {
			nudges++
		}
	}
	if nudges != 2 {
		t.Errorf("%d nudges, want one before and one after the renewal", nudges)
	}
}

func TestEqualArgumentsAreOneCall(t *testing.T) {
	if a, b := normalised(`{"a": 1, "b":[2]}`), normalised(`{"b":[2],"a":1}`); a != b {
		t.Errorf("%s and %s", a, b)
	}
}
