package file_test

import (
	"encoding/json"
	"testing"

	"reasonix/core/tool"
)

// A preview reads what is there and leaves no trace, not even in what the model is
// known to have seen; a call that would be refused previews nothing.
func TestPreviewLeavesNoTrace(t *testing.T) {
	b := open(t)
	b.put("a.txt", "one\n")
	b.env.Files.Fresh()
	for name, a := range map[string]args{
		"write_file":   {"path": "a.txt", "content": "two\n"},                            // not read
		"edit_file":    {"path": "a.txt", "old_string": "nowhere", "new_string": "x"},    // not found
		"move_file":    {"source_path": "a.txt", "destination_path": "a.txt"},            // the same
		"multi_edit":   {"path": "../out.txt", "edits": []any{}},                         // no edits
		"delete_range": {"path": "gone.txt", "start_anchor": "one", "end_anchor": "one"}, // not there
	} {
		raw, _ := json.Marshal(a)
		if got := b.tools[name].(tool.Subjecter).Subject(raw).Preview(t.Context()); got != nil {
			t.Errorf("%s: previewed %+v", name, got)
		}
	}
	raw, _ := json.Marshal(args{"path": "a.txt", "old_string": "one", "new_string": "two"})
	got := b.tools["edit_file"].(tool.Subjecter).Subject(raw).Preview(t.Context())
	if len(got) != 1 || got[0].Unified != "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n" {
		t.Errorf("previewed %+v", got)
	}
	b.holds("a.txt", "one\n")
	if fresh := b.env.Files.Fresh(); len(fresh) > 0 {
		t.Errorf("a preview counts as seen: %v", fresh)
	}
}
