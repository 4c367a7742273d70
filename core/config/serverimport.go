package config

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// ImportServers reads the MCP servers of another program's JSON file: the members
// mcpServers (Claude, Cursor, Windsurf, Gemini) or servers (VS Code). How those
// programs write variables becomes ${NAME}. Entries that make no server are in
// left, by name; err is about the whole file.
func ImportServers(text []byte) (list []Plugin, left []ServerError, err error) {
	text = bytes.TrimPrefix(text, bom)
	entries, err := parseServers(append([]byte{}, text...), serversKey, "servers")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		p, err := importServer(e)
		if err != nil {
			left = append(left, ServerError{Name: e.name, Why: printable(err.Error())})
			continue
		}
		list = append(list, p)
	}
	return list, left, nil
}

func importServer(e server) (Plugin, error) {
	for other, field := range map[string]string{"serverUrl": "url", "httpUrl": "url"} {
		if v, ok := e.value[other]; ok && e.value[field] == nil {
			e.value[field] = v
		}
	}
	if e.value["type"] == "local" || e.value["type"] == "remote" {
		delete(e.value, "type")
	}
	e.value = theirVariables(e.value).(map[string]any)
	block, err := serverBlock(e)
	if err != nil {
		return Plugin{}, err
	}
	p := Plugin{Enabled: true, Sandbox: true}
	doc, err := toml.Marshal(block)
	if err != nil {
		return Plugin{}, err
	}
	if err := toml.Unmarshal(doc, &p); err != nil {
		return Plugin{}, err
	}
	if p.Type == "streamable-http" {
		p.Type = "http"
	}
	return p, nil
}

// theirs finds how other programs write a variable.
var theirs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(env|input):([^{}]+)\}|\$\{(workspaceFolder|userHome)\}`)
})

var notInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_]+`) })

// theirVariables writes the variables in every text of v as they are written here.
func theirVariables(v any) any {
	switch t := v.(type) {
	case string:
		return theirs().ReplaceAllStringFunc(t, func(found string) string {
			m := theirs().FindStringSubmatch(found)
			switch {
			case m[1] == "env":
				return "${" + m[2] + "}"
			case m[1] == "input":
				return "${" + strings.ToUpper(notInName().ReplaceAllString(m[2], "_")) + "}"
			case m[3] == "workspaceFolder":
				return "${REASONIX_WORKSPACE_ROOT}"
			default:
				return "${HOME}"
			}
		})
	case []any:
		out := make([]any, len(t))
		for i := range t {
			out[i] = theirVariables(t[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for name, e := range t {
			out[name] = theirVariables(e)
		}
		return out
	default:
		return v
	}
}
