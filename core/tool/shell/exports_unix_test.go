//go:build unix

package shell

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzExportsOfRealShells has the shells themselves quote a value.
func FuzzExportsOfRealShells(f *testing.F) {
	for _, v := range []string{"", "x", "a b", "it's", "\"$`\\", "\n\t\x1b\x01\xff", "中文\u00a0", "$'x'", "a\nexport B=1"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if strings.ContainsRune(value, 0) || len(value) > 1000 {
			return
		}
		for _, shell := range []string{"bash", "sh"} {
			for _, lang := range []string{"C", "C.UTF-8"} {
				cmd := exec.CommandContext(t.Context(), shell, "-c", "export -p")
				cmd.Env = []string{"VALUE=" + value, "LC_ALL=" + lang}
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				list, ok := parseExports(string(out))
				for _, kv := range list {
					if name(kv) == "VALUE" {
						got = append(got, kv)
					}
				}
				if !ok || !cmp.Equal(got, cmd.Env[:1]) {
					t.Errorf("%s, %s: %q read as %q, %v", shell, lang, out, got, ok)
				}
			}
		}
	})
}
