package doctor_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPM20TheCureIsNamed: a bubblewrap that fails is told from one that is
// missing, and what is used instead is said.
func TestPM20TheCureIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		says         []string
	}{
		{"missing", "", []string{"bwrap is not in PATH", "install the package bubblewrap"}},
		{"broken", "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n", []string{"setting up uid map: Permission denied"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPatient(t, box("http://127.0.0.1:9/v1"))
			bin := t.TempDir()
			if tt.script != "" {
				p.write(filepath.Join(bin, "bwrap"), tt.script)
				if err := os.Chmod(filepath.Join(bin, "bwrap"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			p.environ[0] = "PATH=" + bin
			r, _ := p.report()
			r.want(t, "sandbox", "ok", append(tt.says, "landlock holds commands", healthyWords)...)
		})
	}
}
