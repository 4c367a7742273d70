package hook

import (
	"encoding/json"
	"path/filepath"
)

// claudeTurnEnd is what Claude Code calls TurnEnd.
const claudeTurnEnd = "Stop"

// named is a tool as Claude Code knows it: its name there, and by which names
// arguments go there that we call differently.
type named struct {
	ours, claude string
	args         map[string]string // ours to Claude's
}

// tools is the table of names. Of several of ours that go by one name the first is
// the one that the name means.
func tools() []named {
	path := map[string]string{"path": "file_path"}
	return []named{
		{"bash", "Bash", map[string]string{"timeout_ms": "timeout"}},
		{"bash_output", "BashOutput", nil},
		{"kill_shell", "KillShell", nil},
		{"read_file", "Read", path},
		{"view_image", "Read", path},
		{"write_file", "Write", path},
		{"edit_file", "Edit", path},
		{"delete_range", "Edit", path},
		{"delete_symbol", "Edit", path},
		{"move_file", "Edit", map[string]string{"destination_path": "file_path"}},
		{"multi_edit", "MultiEdit", path},
		{"notebook_edit", "NotebookEdit", map[string]string{"path": "notebook_path"}},
		{"glob", "Glob", nil},
		{"grep", "Grep", nil},
		{"ls", "LS", nil},
		{"web_fetch", "WebFetch", nil},
		{"todo_write", "TodoWrite", nil},
		{"ask", "AskUserQuestion", nil},
		{"task", "Task", nil},
		{"run_skill", "Skill", nil},
	}
}

// inClaude is how Claude Code knows one of our tools. Tools of MCP servers have the
// same names here and there.
func inClaude(tool string) named {
	for _, n := range tools() {
		if n.ours == tool {
			return n
		}
	}
	return named{ours: tool, claude: tool}
}

// ClaudeName is the name Claude Code has for one of our tools.
func ClaudeName(tool string) string { return inClaude(tool).claude }

// toClaude renames the arguments of a call. Paths of files are absolute there.
func (n named) toClaude(args json.RawMessage, dir string) json.RawMessage {
	return rename(args, n.args, func(name string, value json.RawMessage) json.RawMessage {
		var path string
		if (name != "file_path" && name != "notebook_path") || json.Unmarshal(value, &path) != nil || path == "" || filepath.IsAbs(path) {
			return value
		}
		absolute, err := json.Marshal(filepath.Join(dir, path))
		if err != nil {
			return value
		}
		return absolute
	})
}

// fromClaude is the reverse of toClaude.
func (n named) fromClaude(args json.RawMessage) json.RawMessage {
	back := make(map[string]string, len(n.args))
	for ours, claude := range n.args {
		back[claude] = ours
	}
	return rename(args, back, func(_ string, value json.RawMessage) json.RawMessage { return value })
}

// rename gives members of an object other names. What is no object stays as it is.
func rename(args json.RawMessage, names map[string]string, value func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if len(names) == 0 || json.Unmarshal(args, &object) != nil || object == nil {
		return args
	}
	for from, to := range names {
		if v, ok := object[from]; ok {
			delete(object, from)
			object[to] = value(to, v)
		}
	}
	renamed, err := json.Marshal(object)
	if err != nil {
		return args
	}
	return renamed
}
