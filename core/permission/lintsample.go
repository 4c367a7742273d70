package permission

import (
	"encoding/json"
	"strings"
)

// Words that stand for anything in the calls a rule is tried with: only a wildcard
// matches them.
const (
	anyWord   = "\ue001\ue002\ue003"
	otherWord = "\ue004"
	anyHost   = "zqj0--zqj1"
)

// sample is a call that a rule is tried with.
type sample struct {
	tool     string
	readOnly bool
	args     json.RawMessage
}

func shellSample(command string) sample {
	args, _ := json.Marshal(map[string]string{"command": command}) // strings always marshal
	return sample{tool: shellTool, args: args}
}

// shellTool is the tool that runs commands.
const shellTool = "bash"

// member returns the tool of a name, nil when there is none.
func (l *linter) member(name string) *Member {
	for i := range l.tools {
		if strings.EqualFold(l.tools[i].Name, name) {
			return &l.tools[i]
		}
	}
	return nil
}

// samples are calls that r is meant to match, such as "go test" and "go test x"
// for Bash(go test:*); for a family those of two of its tools. None are known for the tools of MCP servers with a
// specifier.
func (l *linter) samples(r Rule) []sample {
	switch name := strings.ToLower(r.Tool); {
	case name == shellTool:
		return commandSamples(r)
	case l.member(name) != nil:
		return l.toolSamples(name, r)
	case strings.HasPrefix(name, "mcp__"):
		return serverSamples(r)
	case name == "read":
		return append(l.toolSamples("read_file", r), l.toolSamples("grep", r)...)
	default:
		return append(l.toolSamples("write_file", r), l.toolSamples("edit_file", r)...)
	}
}

func commandSamples(r Rule) []sample {
	if r.Spec == "" {
		return []sample{shellSample(anyWord), shellSample(anyWord + " " + otherWord)}
	}
	if r.Literal {
		return []sample{shellSample(r.Spec)}
	}
	words, prefix := strings.CutSuffix(r.Spec, ":*")
	if strings.Contains(words, "*") {
		return []sample{shellSample(filled(words, anyWord)), shellSample(filled(words, otherWord+" "+anyWord))}
	}
	if !prefix {
		return []sample{shellSample(r.Spec)}
	}
	return []sample{shellSample(words), shellSample(words + " " + anyWord)}
}

func filled(pattern, word string) string { return strings.ReplaceAll(pattern, "*", word) }

func serverSamples(r Rule) []sample {
	if r.Spec != "" {
		return nil
	}
	name := strings.TrimSuffix(r.Tool, "__*")
	if strings.Count(name, "__") == 1 {
		name += "__" + anyWord
	}
	return []sample{{tool: name, args: json.RawMessage("{}")}}
}

// toolSamples are calls of one built-in tool with the subject of r in each
// argument that a rule is compared with.
func (l *linter) toolSamples(name string, r Rule) []sample {
	t := l.member(name)
	if t == nil {
		return nil
	}
	one := func(key, value string) sample {
		args, _ := json.Marshal(map[string]string{key: value})
		return sample{tool: name, readOnly: t.ReadOnly, args: args}
	}
	if host, ok := strings.CutPrefix(r.Spec, "domain:"); ok {
		return []sample{one("url", "https://"+filled(strings.TrimSpace(host), anyHost)+"/")}
	}
	var calls []sample
	for _, key := range t.Keys {
		for _, value := range pathSamples(r) {
			calls = append(calls, one(key, value))
		}
	}
	if len(calls) == 0 && r.Spec == "" {
		calls = append(calls, sample{tool: name, readOnly: t.ReadOnly, args: json.RawMessage("{}")})
	}
	return calls
}

// pathSamples are two paths that the pattern of r matches.
func pathSamples(r Rule) []string {
	switch {
	case r.Spec == "":
		return []string{anyWord, otherWord + "/" + anyWord}
	case r.Literal:
		return []string{r.Spec}
	}
	return []string{instance(r.Spec, anyWord, anyWord), instance(r.Spec, otherWord+"/"+anyWord, otherWord)}
}

// instance is a path that a glob matches: deep stands for "**", flat for "*".
func instance(glob, deep, flat string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch rest := glob[i:]; {
		case rest[0] == '\\' && len(rest) > 1:
			i++
			b.WriteByte(glob[i])
		case strings.HasPrefix(rest, "**"):
			i++
			b.WriteString(deep)
		case rest[0] == '*':
			b.WriteString(flat)
		case rest[0] == '?':
			b.WriteString(otherWord)
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 2 {
				return glob
			}
			b.WriteByte(rest[1])
			i += end
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return glob
			}
			first, _, _ := strings.Cut(rest[1:end], ",")
			b.WriteString(instance(first, deep, flat))
			i += end
		default:
			b.WriteByte(rest[0])
		}
	}
	if strings.HasSuffix(glob, "/") {
		b.WriteString(flat)
	}
	return b.String()
}
