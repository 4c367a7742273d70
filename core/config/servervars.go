package config

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// projectEnv is what the workspace's .env says: values for the variables of MCP
// servers and nothing else.
type projectEnv struct {
	file   string
	values map[string]string
	broken string // why it could not be read; "" when it could
}

// readProjectEnv reads the workspace's .env, which belongs to other programs: what is
// wrong in it is told only to whoever misses a variable.
func (l *loader) readProjectEnv() projectEnv {
	p := projectEnv{file: under(l.in.Workspace, EnvFileName), values: map[string]string{}}
	if p.file == "" || p.file == envFile(l.in) {
		return p
	}
	if _, given := l.in.Texts[p.file]; !given && leadsOut(p.file) {
		p.broken = errLink.Error()
		return p
	}
	text, err := l.in.read(p.file)
	if absent(err) {
		return p
	}
	if err != nil {
		p.broken = rootCause(err)
		return p
	}
	lines, _ := parseEnv(p.file, text)
	for _, line := range lines {
		p.values[line.name] = line.value
	}
	return p
}

// Variables whose value is the workspace.
const (
	workspaceVariable = "REASONIX_WORKSPACE_ROOT"
	claudeVariable    = "CLAUDE_PROJECT_DIR"
)

// A serverField is where a text of a server stands, for what may go into it.
type serverField int

const (
	fieldData  serverField = iota // arguments, variables, headers
	fieldReach                    // command and URL: what runs, and where requests go
)

// expandServer gives the variables of s their values, and says what is wrong.
func (c *Config) expandServer(s *Server) {
	missing := map[string]string{}
	expand := func(text string, field serverField) string {
		return expandBraces(text, func(name string, fallback bool) string {
			value, ok, why := c.serverVariable(s, name, field)
			if !ok && !fallback {
				missing[name] = why
			}
			return value
		})
	}
	s.Command, s.URL = expand(s.Command, fieldReach), expand(s.URL, fieldReach)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = expand(s.Args[i], fieldData)
	}
	s.Env, s.Headers = expandValues(s.Env, expand), expandValues(s.Headers, expand)
	s.expandLogin(expand)
	for name := range missing {
		s.Missing = append(s.Missing, name)
	}
	slices.Sort(s.Missing)
	s.Problem = s.problem(missing)
}

func expandValues(m map[string]string, expand func(string, serverField) string) map[string]string {
	out := make(map[string]string, len(m))
	for name, text := range m {
		out[name] = expand(text, fieldData)
	}
	return out
}

// problem says why s cannot be started; missing holds a reason by variable.
func (s *Server) problem(missing map[string]string) string {
	place := s.File
	if s.Line > 0 {
		place = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	say := func(text string) string {
		return printable(fmt.Sprintf("server %s (%s): %s", s.Name, place, text))
	}
	if len(s.Missing) > 0 {
		name := s.Missing[0]
		text := fmt.Sprintf("variable %s %s", name, missing[name])
		if more := s.Missing[1:]; len(more) > 0 {
			text += "; also missing: " + strings.Join(more, ", ")
		}
		return say(text + fmt.Sprintf("; set it, or write ${%s:-default}", name))
	}
	if why := s.loginProblem(); why != "" {
		return say(why)
	}
	if s.Type == "stdio" {
		if s.Command == "" {
			return say(`want command = "..." for a server of type stdio`)
		}
		return ""
	}
	if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return say("want a url that starts with http:// or https:// for a server of type " + s.Type)
	}
	return ""
}

// serverVariable is the value of a variable for a server, or why it has none. The
// process environment comes first, then, for a server of the user's own, the
// user's .env, then the workspace's. No key of a provider and no REASONIX_*
// variable reaches a server that a project had a hand in, and what the workspace's
// .env says neither names a program nor an address for a server of the user's.
func (c *Config) serverVariable(s *Server, name string, field serverField) (value string, ok bool, why string) {
	if name == workspaceVariable || name == claudeVariable {
		return c.workspace, c.workspace != "", "has no value: there is no workspace"
	}
	ours := fold(name, "REASONIX_")
	secret := slices.ContainsFunc(c.SecretNames(), func(n string) bool { return strings.EqualFold(n, name) })
	if s.FromProject && (ours || secret) {
		return "", false, "is one of your keys or of reasonix's own, which no server of a project gets"
	}
	if value, ok := c.environ[name]; ok {
		return value, true, ""
	}
	if value, ok := c.secrets.file[name]; ok && !s.FromProject {
		return value, true, ""
	}
	value, ok = c.project.values[name]
	switch {
	case ok && (ours || secret):
		return "", false, "is not set, and is never taken from " + c.project.file
	case ok && field == fieldReach && !s.FromProject:
		return "", false, "is not set: " + c.project.file + " does not say what program your own server is, or where"
	case ok:
		return value, true, ""
	case c.project.broken != "":
		return "", false, "is not set (" + c.project.file + ": " + c.project.broken + ")"
	default:
		return "", false, "is not set"
	}
}

func fold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// expandBraces replaces ${NAME} and ${NAME:-default}; everything else stays as it
// is, $NAME and a lone $ too, because arguments are passed as they are given. A
// default counts where there is no value or an empty one.
func expandBraces(text string, value func(name string, fallback bool) string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inner, rest, closed := strings.Cut(after, "}")
		name, fallback, has := strings.Cut(inner, ":-")
		if !closed || !variableName(name) {
			b.WriteString("${")
			text = after
			continue
		}
		b.WriteString(cmp.Or(value(name, has), fallback))
		text = rest
	}
}

// bracedNames are the variables that a text refers to.
func bracedNames(text string) []string {
	var names []string
	expandBraces(text, func(name string, _ bool) string {
		names = append(names, name)
		return ""
	})
	return names
}

// ServerEnviron is environ for a server's process: without what holds a secret and
// without the variables of reasonix itself.
func (c *Config) ServerEnviron(environ []string) []string {
	return slices.DeleteFunc(c.Scrub(environ), func(kv string) bool { return fold(kv, "REASONIX_") })
}
