package permissions

import (
	"encoding/json"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/tool"
)

// shellTool is the tool that runs commands.
const shellTool = "bash"

// call is what is judged.
type call struct {
	tool     string
	readOnly bool
	command  string // of the shell tool
	args     json.RawMessage
}

// call reads the command line.
func (q *question) call(words []string) (call, error) {
	if q.tool == "" || q.tool == shellTool && q.args == "" && len(q.paths) == 0 {
		if q.args != "" || len(q.paths) > 0 {
			return call{}, cmdutil.Usagef("--path and --args belong to --tool")
		}
		command, err := q.command(words)
		return shellCall(command), err
	}
	c := call{tool: q.tool}
	built := builtin(q.tool)
	if built != nil {
		c.readOnly = built.ReadOnly()
	} else if !strings.HasPrefix(q.tool, "mcp__") {
		return call{}, unknownTool("--tool", q.tool, cmdutil.Nearest(strings.ToLower(q.tool), toolNames()))
	}
	switch {
	case len(words) > 0:
		return call{}, cmdutil.WithHint(cmdutil.Usagef("a command is for the tool %s", shellTool), "give the call of another tool by --path or --args")
	case q.args != "" && len(q.paths) > 0:
		return call{}, cmdutil.Usagef("--path and --args exclude each other")
	case q.args != "":
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(q.args), &members); err != nil {
			return call{}, cmdutil.Usagef("--args: want a JSON object: %w", err)
		}
		c.args = json.RawMessage(q.args)
		return c, nil
	}
	return c.withPaths(q.paths, pathKeys(built))
}

func shellCall(command string) call {
	args, _ := json.Marshal(map[string]string{"command": command}) // strings always marshal
	return call{tool: shellTool, command: command, args: args}
}

func (c call) withPaths(paths, keys []string) (call, error) {
	if len(paths) > len(keys) {
		if len(keys) == 0 {
			return c, cmdutil.Usagef("--path: %s takes no path", c.tool)
		}
		return c, cmdutil.Usagef("--path: %s takes %s", c.tool, cmdutil.Count(len(keys), "path"))
	}
	members := map[string]string{}
	for i, p := range paths {
		members[keys[i]] = p
	}
	c.args, _ = json.Marshal(members)
	return c, nil
}

// pathKeys are the arguments of a tool that are paths, in the order a person
// gives them. Of a tool that is not built in nothing is known.
func pathKeys(t tool.Tool) []string {
	if t == nil {
		return []string{"path"}
	}
	return keysOf(t, "path", "file_path", "source_path", "destination_path")
}

// keysOf are those of names that are arguments of t.
func keysOf(t tool.Tool, names ...string) []string {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(t.Schema(), &schema) != nil {
		return nil
	}
	var keys []string
	for _, key := range names {
		if _, ok := schema.Properties[key]; ok {
			keys = append(keys, key)
		}
	}
	return keys
}

func builtin(name string) tool.Tool {
	for _, t := range tool.Builtins() {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

func toolNames() []string {
	var names []string
	for _, t := range tool.Builtins() {
		names = append(names, t.Name())
	}
	return names
}
