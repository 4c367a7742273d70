package repocheck_test

import (
	"strings"
	"testing"
)

// A fence keeps one library in the packages that are about it, so that replacing
// it, or leaving it out of a build, stays a local change.
type fence struct{ library, pkgs, why string }

var fences = []fence{
	{"github.com/spf13/cobra", "commands commands/...", "the command line is one layer"},
	{"github.com/spf13/pflag", "commands commands/... core/config", "flags are a layer of the configuration"},
	{"github.com/spf13/viper", "core/config", "one place decides which setting wins"},
	{"charm.land/", "commands/chat commands/chat/...", "only the chat draws"},
	{"github.com/modelcontextprotocol/go-sdk", "integrations/mcp integrations/mcp/... integrations/bridge cmd/reasonix-plugin-example", "the rest sees tools, not a protocol"},
	{"text/template", "", "it links every exported method of the program"},
	{"html/template", "", "it brings text/template"},
}

func TestFences(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, imp := range f.imports() {
			for _, fence := range fences {
				if under(imp, fence.library) && !matchAny(fence.pkgs, f.pkg) {
					t.Errorf("%s may not import %s: %s", f.path, imp, fence.why)
				}
			}
		}
	}
}

// Only a package of test helpers may import testing outside of a test.
func TestTestingStaysInTests(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || strings.HasSuffix(f.pkg, "test") {
			continue
		}
		for _, imp := range f.imports() {
			if imp == "testing" || under(imp, "testing/") || imp == "github.com/google/go-cmp/cmp" {
				t.Errorf("%s imports %s outside of a test", f.path, imp)
			}
		}
	}
}

// under reports whether imp is library or below it.
func under(imp, library string) bool {
	return imp == library || strings.HasPrefix(imp, strings.TrimSuffix(library, "/")+"/")
}
