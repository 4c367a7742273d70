//go:build linux || darwin

package sandbox

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateProfiles = flag.Bool("update-profiles", false, "rewrite the golden Seatbelt profiles")

var profiles = map[string]confinement{
	"plain": {
		Writable:  []string{"/Users/ann/work", "/private/tmp/session"},
		Protected: []string{"/Users/ann/work/.git/config", "/Users/ann/work/.git/hooks", "/Users/ann/work/reasonix.toml"},
		Network:   true,
	},
	"offline": {
		Writable: []string{"/Users/ann/work"},
		Hidden:   []string{"/Users/ann/.reasonix/.env", "/private/var/run/docker.sock"},
	},
	"nested": {
		Writable:  []string{"/Users/ann/private/work", "/Users/ann/work"},
		Protected: []string{"/Users/ann/private/work/a/b/.envrc"},
		Hidden:    []string{"/Users/ann/private", "/Users/ann/work/deep/secrets"},
		Bare:      []string{"/Users/ann/private/docs", "/Users/ann/work/deep/secrets/public"},
		Network:   true,
	},
	"awkward": {
		Writable:  []string{"/Users/ann/with space", "/Users/ann/工作"},
		Protected: []string{"/Users/ann/with space/\") (allow file-write*) (literal \""},
		Hidden:    []string{"/Users/ann/back\\slash", "/Users/ann/line\nbreak\ttab", "/Users/ann/semi;colon #|comment|#"},
		Network:   true,
	},
}

func TestSeatbeltProfiles(t *testing.T) {
	for name, c := range profiles {
		t.Run(name, func(t *testing.T) {
			got := seatbeltProfile(c)
			golden := filepath.Join("testdata", name+".sb")
			if *updateProfiles {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Error(diff)
			}
			balanced(t, got)
		})
	}
}

// balanced expects that no path has left its string: every line is one rule.
func balanced(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		depth, inside := 0, false
		for i := 0; i < len(line); i++ {
			switch b := line[i]; {
			case inside && b == '\\' && !strings.HasPrefix(line[i:], `\]`):
				i++
			case b == '"':
				inside = !inside
			case !inside && b == '(':
				depth++
			case !inside && b == ')':
				depth--
			}
			if !inside && depth == 0 && i < len(line)-2 {
				t.Errorf("the rule ends early: %s", line)
				break
			}
		}
		if depth != 0 || inside {
			t.Errorf("not balanced: %s", line)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"/a b": `"/a b"`, `/"`: `"/\""`, `/\`: `"/\\"`, "/\n": `"/\n"`, "/é": `"/é"`, `/\"`: `"/\\\""`,
	} {
		if got := quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
