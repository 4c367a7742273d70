//go:build unix

package commands_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// In whatever order servers come up, the prefix has the same bytes, and a tool is
// called by the first reply after the start.
func TestThePrefixDoesNotDependOnWhichServerIsFirst(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "plugin")
	if out, err := exec.Command("go", "build", "-o", plugin, "reasonix/cmd/reasonix-plugin-example").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	call := providertest.Calls(providertest.Call{Name: "mcp__b__wordcount", Arguments: `{"text":"one two three"}`})
	v := newVictim(t, providertest.New(t, call, providertest.Text("3"), call, providertest.Text("3"), call, providertest.Text("3")))
	base := v.configText()
	servers := func(delays ...string) {
		var text strings.Builder
		text.WriteString(base + "[tools]\nmcp_start_grace_seconds = 20\n")
		for i, name := range []string{"a", "b", "c"} {
			fmt.Fprintf(&text, "[[plugins]]\nname = %q\ncommand = \"sh\"\nargs = [\"-c\", \"sleep $0; exec %s\", %q]\n", name, plugin, delays[i])
		}
		v.write(filepath.Join(v.home, "config.toml"), text.String())
	}
	for _, delays := range [][]string{{"0", "0.1", "0.2"}, {"0.2", "0.1", "0"}, {"0.1", "0.2", "0"}} {
		servers(delays...)
		if out, err := v.command("run", "count the words").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var prefixes []string
	for i, r := range v.model.Requests() {
		var body struct {
			Tools    json.RawMessage
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		if last := body.Messages[len(body.Messages)-1]; i%2 == 1 && !strings.Contains(last.Content, "3") {
			t.Errorf("the call answered %q", last.Content)
		}
		prefixes = append(prefixes, string(body.Tools)+body.Messages[0].Content)
	}
	if len(prefixes) != 6 || strings.Count(prefixes[0], "mcp__") != 9 {
		t.Fatalf("%d requests, the first with %d tools of servers", len(prefixes), strings.Count(prefixes[0], "mcp__"))
	}
	for i, p := range prefixes {
		if p != prefixes[0] {
			t.Errorf("request %d begins with other bytes", i)
		}
	}
}
