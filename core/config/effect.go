package config

import "fmt"

// effects say in a few words what it means that a key of a project's file counts.
var effects = map[string]string{
	"permissions.allow":              "the calls it matches run without a question",
	"permissions.read_only_commands": "commands that only read run without a question",
	"sandbox.bash":                   "commands run outside the system's sandbox, with all your rights",
	"sandbox.network":                "commands in the sandbox reach the network",
	"sandbox.workspace_root":         "sessions work, and write, in that directory",
	"sandbox.allow_write":            "tools and commands may write to that directory, outside the project",
	"tools.shell.path":               "every command of a session is run by that program",
	"tools.shell.prefer":             "every command of a session is run by that shell",
	"tools.enabled":                  "the model is offered a tool that your own configuration leaves out",
	"tools.mcp_call_timeout_seconds": "a call of a server may hang for longer than your own configuration says",
	"tools.mcp_start_grace_seconds":  "the first prompt may wait longer for servers than your own configuration says",
	"tools.mcp_schema_budget":        "tools of servers may take more of every prompt than your own configuration says",
	"agent.work_mode":                "the model is offered other tools than your own configuration says",
	"agent.plan_mode_allowed_tools":  "tools of servers count as tools that only read",
	"agent.system_prompt":            "it takes the place of what reasonix tells the model about itself and its work, before all else",
	"agent.system_prompt_file":       "what that file says takes the place of what reasonix tells the model about itself and its work, before all else",
	"default_model":                  "whole conversations go to that model of a provider that this project declares, unless you name another",
	"agent.planner_model":            "that model gets what you type, too, at your cost, and the work goes by the plans it makes",
	"skills.paths":                   "skills of that directory, outside the project, are offered to the model",
}

func effect(key string, kind PartKind, value any) string {
	if text, ok := effects[key]; ok {
		return text
	}
	switch kind {
	case PartPermissions:
		return fmt.Sprintf("a call that writes and that no rule matches is: %v", value)
	case PartEnvironment:
		return "that program is named to the model, which may run it"
	case PartModel:
		return "that model does the work of subagents, at your cost"
	case PartHook:
		return "that command runs by itself, in the sandbox, and sees what the session does"
	case PartServer:
		return serverEffect(value)
	case PartProvider:
		return providerEffect(value)
	default:
		return "a run may do or reach more"
	}
}

func serverEffect(value any) string {
	m, _ := value.(map[string]any)
	switch command, _ := m["command"].(string); {
	case command != "":
		return "that program is started, in the sandbox, and the model is offered its tools"
	case m["url"] != nil:
		return "sessions connect to that address, and the model is offered its tools"
	default:
		return "a server is set up differently from what your own configuration says"
	}
}

func providerEffect(value any) string {
	m, _ := value.(map[string]any)
	if key, ok := m["api_key_env"].(string); ok && key != "" {
		return "whole conversations go where it says, with your key " + printable(key)
	}
	if !routes(m) {
		return "costs, and your limit of them, are counted by its prices"
	}
	return "whole conversations go where it says"
}
