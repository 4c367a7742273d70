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
	for i := range reflect.TypeFor[acpwire.Status]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[acpwire.Status]().Field(i).Tag.Get("json"), ",")
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("no word of %s", name)
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
