package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/tool"
)

// A small call can ask for a file of any size: it is refused before memory is
// taken for it, and the file stays as it is.
func TestAnEditThatWouldGrowWithoutBoundIsRefused(t *testing.T) {
	for _, c := range []struct{ name, tool, text, args string }{
		{"one edit", "edit_file", strings.Repeat("a", 20_000), `{"path":"f","old_string":"a","new_string":"` + strings.Repeat("b", 60_000) + `","replace_all":true}`},
		{"edits that multiply", "multi_edit", "a", fmt.Sprintf(`{"path":"f","edits":[%[1]s,%[1]s,%[1]s]}`,
			`{"old_string":"a","new_string":"`+strings.Repeat("a", 4000)+`","replace_all":true}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t)
			path := filepath.Join(b.dir, "f")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := b.tools[c.tool].Execute(tool.WithCall(t.Context(), &tool.Call{ID: "c1"}), []byte(c.args))
			if err == nil || !strings.Contains(err.Error(), "over the limit") && !strings.Contains(err.Error(), "more than the") {
				t.Errorf("error %v", err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != c.text {
				t.Errorf("the file has %d bytes now, %v", len(got), err)
			}
		})
	}
}
