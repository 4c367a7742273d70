package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// jsonFields are the members of a server in .mcp.json, by the field of a block
// they mean. Others belong to other programs.
var jsonFields = map[string]string{
	"type": "type", "command": "command", "args": "args", "env": "env", "url": "url", "headers": "headers",
	"headersHelper": "headers_helper",
}

// serverBlock is a server of .mcp.json as a [[plugins]] block has it.
func serverBlock(e server) (map[string]any, error) {
	if e.name == "" || strings.ContainsAny(e.name, "/\x00") {
		return nil, errors.New("want a name without a slash")
	}
	block := map[string]any{"name": e.name}
	for member, field := range jsonFields {
		v, ok := e.value[member]
		if !ok || v == nil {
			continue
		}
		taken, err := takeField(field, texts(v))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
		block[field] = taken
	}
	if off, ok := e.value["disabled"].(bool); ok && off {
		block["enabled"] = false
	}
	if block["command"] == nil && block["url"] == nil {
		return nil, errors.New("want a command or a url")
	}
	return block, oauthOf(e.value["oauth"], block)
}

// oauthOf takes what a server says about logging in.
func oauthOf(v any, block map[string]any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	out := map[string]any{}
	for member, field := range map[string]string{"clientId": "client_id", "callbackPort": "callback_port", "scopes": "scopes"} {
		v, ok := m[member]
		if !ok || v == nil {
			continue
		}
		if n, isNumber := v.(json.Number); isNumber {
			i, err := n.Int64()
			if err != nil {
				return fmt.Errorf("oauth.%s: want a whole number", member)
			}
			v = i
		}
		if s, isText := v.(string); isText && member == "scopes" {
			v = strings.Fields(s)
		}
		taken, err := takeField("oauth."+field, v)
		if err != nil {
			return fmt.Errorf("oauth.%s: %w", member, err)
		}
		out[field] = taken
	}
	if len(out) > 0 {
		block["oauth"] = out
	}
	return nil
}

// takeField checks a value as the file of a block would be checked.
func takeField(field string, v any) (any, error) {
	k, _, err := Lookup("plugins.x." + field)
	if err != nil {
		return nil, err
	}
	return k.accept(v)
}

// texts gives what a table of variables holds the form of texts: other programs
// take numbers and truth values there.
func texts(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(m))
	for name, e := range m {
		switch t := e.(type) {
		case json.Number:
			out[name] = t.String()
		case bool:
			out[name] = fmt.Sprint(t)
		default:
			out[name] = e
		}
	}
	return out
}

// serverPart is the part that a server is. Its hash is over what the server is and
// over what it may do, not over the values of its headers, nor over its limits. The
// names of the variables in those values count, though: they say what of the user's
// environment the server gets. Its own variables count as they are written: PATH, for
// one, decides which program its command is. Where the workspace's .env says
// what a variable of its command, its arguments, its address or those is, that counts, too:
// or a granted server could become another one without a word.
func serverPart(key string, value map[string]any, env projectEnv) Part {
	identity, given := map[string]any{}, map[string]any{}
	for field, v := range value {
		switch field {
		case "headers":
			m, ok := v.(map[string]any)
			if !ok {
				identity[field] = v
				continue
			}
			identity[field] = strings.Join(slices.Sorted(maps.Keys(m)), "\x00")
			if names := variablesOf(valuesOf(m)); len(names) > 0 {
				identity[field+"\x00variables"] = strings.Join(names, "\x00")
			}
		case "call_timeout_seconds", "tool_timeout_seconds", "start_timeout_seconds", "enabled", "disabled":
		default:
			identity[field] = v
		}
	}
	own, _ := value["env"].(map[string]any)
	for _, name := range variablesOf(slices.Concat(reach(value), valuesOf(own))) {
		if text, ok := env.values[name]; ok {
			given[name] = text
		}
	}
	text := shownTable("plugins", value)
	if len(given) > 0 {
		identity["\x00env"] = given
		text += printable("; " + saysOf(given))
	}
	if names := handedOver(value); len(names) > 0 {
		text += printable("; " + sends(value, names))
	}
	p := newPart(key, PartServer, value, text)
	p.Hash = hashOf(key, identity)
	return p
}

// saysOf tells what the workspace's .env says of variables, but for secrets.
func saysOf(given map[string]any) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if secretName(name) {
			said = append(said, "what "+name+" is")
		} else {
			said = append(said, "that "+name+" is "+render(given[name]))
		}
	}
	return "unless your environment does, " + EnvFileName + " says " + strings.Join(said, " and ")
}

// sends says which variables of the user's environment a server gets.
func sends(value map[string]any, names []string) string {
	list := strings.Join(names, ", ") + " of your environment"
	address, _ := value["url"].(string)
	command, _ := value["command"].(string)
	switch {
	case command == "" && address != "":
		return "sends " + list + " to " + shownURL(address)
	case command != "":
		return "gives " + list + " to that program"
	default:
		return "gets " + list
	}
}

// handedOver are the variables of the user's environment that a server refers to,
// wherever it may.
func handedOver(value map[string]any) []string {
	texts := reach(value)
	for _, field := range []string{"env", "headers"} {
		m, _ := value[field].(map[string]any)
		texts = append(texts, valuesOf(m)...)
	}
	oauth, _ := value["oauth"].(map[string]any)
	for _, field := range []string{"client_secret_env", "private_key_env"} {
		if secret, _ := oauth[field].(string); secret != "" {
			texts = append(texts, "${"+secret+"}")
		}
	}
	return slices.DeleteFunc(variablesOf(texts), func(name string) bool { return name == workspaceVariable || name == claudeVariable })
}

// valuesOf are the texts that a table of variables or headers holds.
func valuesOf(m map[string]any) []string {
	var values []string
	for _, v := range m {
		if s, ok := v.(string); ok {
			values = append(values, s)
		}
	}
	return values
}

// variablesOf are the names of the variables in texts, sorted.
func variablesOf(texts []string) []string {
	var names []string
	for _, text := range texts {
		names = append(names, bracedNames(text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reach are the texts of a server that say what runs, and where requests go.
func reach(value map[string]any) []string {
	var all []string
	for _, field := range []string{"command", "url"} {
		if s, ok := value[field].(string); ok {
			all = append(all, s)
		}
	}
	list, _ := value["args"].([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}
