//go:build interop && unix

package commands_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// patient waits for servers that nobody has seen the tools of.
const patient = `
[tools]
mcp_start_grace_seconds = 30
`

// The protocol's own servers, declared by the user and by a project, each called by the
// first reply after the start.
func TestInteropServersOfEveryDeclaration(t *testing.T) {
	declared := map[string]func(v *victim) (trust []string){
		"plugins": func(v *victim) []string {
			v.write(filepath.Join(v.home, "config.toml"), v.configText()+patient+`
[[plugins]]
name = "every"
command = "mcp-server-everything"
args = ["stdio"]
[[plugins]]
name = "files"
command = "mcp-server-filesystem"
args = ["${REASONIX_WORKSPACE_ROOT}"]
[[plugins]]
name = "mem"
command = "mcp-server-memory"
env = { MEMORY_FILE_PATH = "${REASONIX_WORKSPACE_ROOT}/graph.jsonl" }
`)
			return nil
		},
		".mcp.json": func(v *victim) []string {
			v.write(filepath.Join(v.workspace, ".mcp.json"), `{"mcpServers": {
				"every": {"command": "mcp-server-everything", "args": ["stdio"]},
				"files": {"command": "mcp-server-filesystem", "args": ["${CLAUDE_PROJECT_DIR}"]},
				"mem": {"command": "mcp-server-memory", "env": {"MEMORY_FILE_PATH": "${CLAUDE_PROJECT_DIR}/graph.jsonl"}}}}`)
			v.write(filepath.Join(v.home, "config.toml"), v.configText()+patient)
			return []string{"--trust", "--on-ask", "allow"}
		},
	}
	for name, declare := range declared {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t, providertest.New(t))
			real, err := filepath.EvalSymlinks(v.workspace)
			if err != nil {
				t.Fatal(err)
			}
			list, _ := json.Marshal(map[string]string{"path": real})
			v.model.Add(providertest.Calls(
				providertest.Call{Name: "mcp__every__echo", Arguments: `{"message":"hear me"}`},
				providertest.Call{Name: "mcp__files__list_directory", Arguments: string(list)},
				providertest.Call{Name: "mcp__mem__create_entities", Arguments: `{"entities":[{"name":"reasonix","entityType":"program","observations":["it is one file"]}]}`},
			), providertest.Text("done"))
			v.write(filepath.Join(v.workspace, "here.txt"), "x")
			args := append([]string{"run"}, append(declare(v), "use the servers")...)
			cmd := v.command(args...)
			cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			body := string(v.model.Requests()[1].Body)
			for _, want := range []string{"hear me", "here.txt", "it is one file"} {
				if !strings.Contains(body, want) {
					t.Errorf("no result says %q: %s", want, body[max(0, len(body)-1000):])
				}
			}
			if _, err := os.Stat(filepath.Join(v.workspace, "graph.jsonl")); err != nil {
				t.Error(err)
			}
			if out, err := exec.Command("pgrep", "-f", "mcp-server-(everything|filesystem|memory).*"+filepath.Base(v.workspace)).Output(); err == nil {
				t.Errorf("still running: %s", out)
			}
		})
	}
}
