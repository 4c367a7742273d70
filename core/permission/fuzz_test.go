package permission_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// A script that an allow rule covers stays covered by no rule when a denied
// command is added in any of these ways, and nothing panics.
func FuzzShell(f *testing.F) {
	for _, s := range []string{"git status", "a | b", "x $(y)", "bash -c 'a b'", `$'\x41\u0042'`, "eval 'rm x'", "<<E\nx\nE", "{a,b} c"} {
		f.Add(s)
	}
	p := policy(f, "allow Bash(git:*); deny Bash(rm:*); ask Bash(git push:*)")
	f.Fuzz(func(t *testing.T, s string) {
		got := p.Explain("bash", false, bash(s))
		if d := p.Decide("bash", false, bash(s)); d != got.Decision {
			t.Errorf("%q: Decide %v, Explain %v", s, d, got.Decision)
		}
		if got.Decision != allow {
			return
		}
		for _, sep := range []string{"; ", " && ", " | ", "\n"} {
			if d := p.Decide("bash", false, bash("rm x"+sep+s)); d != deny {
				t.Errorf("%q after a denied command: %v", s, d)
			}
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"path":"docs/a"}`)
	f.Add(`{"a":{"path":"x"},"path":"docs/\u0061"}`)
	p := policy(f, "allow Edit(docs/**)")
	f.Fuzz(func(t *testing.T, args string) {
		if p.Decide("write_file", false, json.RawMessage(args)) != allow {
			return
		}
		var got struct{ Path *string }
		if json.Unmarshal([]byte(args), &got) == nil && got.Path != nil && !strings.HasPrefix(strings.TrimPrefix(*got.Path, "/work/"), "docs") {
			if rel, err := filepath.Rel("/work", filepath.Join("/work", *got.Path)); err != nil || !strings.HasPrefix(rel, "docs") {
				t.Errorf("allowed although the tool would write %q", *got.Path)
			}
		}
	})
}
