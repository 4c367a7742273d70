package acp_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"reasonix/integrations/internal/acpwire"
)

// docs/acp.md names every member of the status and every method of ours.
func TestThePageNamesWhatIsServed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "acp.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, table, _ := strings.Cut(page, "### `"+acpwire.StatusMethod+"`")
	table, _, _ = strings.Cut(table, "\n###")
	members := map[string]bool{}
	for _, row := range strings.Split(table, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, name := range strings.Split(cells[1], ",") {
				members[strings.TrimSpace(name)] = true
			}
		}
	}
	for i := range reflect.TypeFor[acpwire.Status]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[acpwire.Status]().Field(i).Tag.Get("json"), ",")
		if !members["`"+name+"`"] {
			t.Errorf("the table of the status has no row of %s", name)
		}
	}
	for _, method := range []string{
		acpwire.SteerMethod, acpwire.StatusMethod, acpwire.StatusUpdateMethod, acpwire.CompactMethod, acpwire.RewindMethod, acpwire.ForkMethod,
	} {
		if !strings.Contains(page, "`"+method+"`") && !strings.Contains(page, "`"+strings.TrimPrefix(method, "_reasonix.io/session/")+"`") {
			t.Errorf("no word of %s", method)
		}
	}
}
