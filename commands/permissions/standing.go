package permissions

import (
	"os"
	"path/filepath"
	"strconv"

	"reasonix/core/config"
	"reasonix/core/permission"
)

// ruleKeys are the lists of rules in the order in which they count.
var ruleKeys = []struct {
	key      string
	decision permission.Decision
}{
	{"permissions.deny", permission.Deny},
	{"permissions.ask", permission.Ask},
	{"permissions.allow", permission.Allow},
}

// standing is a rule of the configuration with the place where it stands.
type standing struct {
	permission.Rule
	decision permission.Decision
	text     string // as written
	err      error  // why it is no rule
	layer    config.Layer
	file     string // or the variable's name; empty for a flag
	line     int    // 0 outside of files
	off      string // why it does not count; empty when it does
	granted  bool   // it is a project's and counts because the user granted it
}

// place is where the rule stands, as other commands write it.
func (r standing) place() string {
	switch {
	case r.line > 0:
		return r.file + ":" + strconv.Itoa(r.line)
	case r.layer == config.LayerEnv:
		return "env " + r.file
	case r.file != "":
		return r.file
	}
	return string(r.layer)
}

// standings lists the rules of every layer, those of deny first. texts are the
// files that were read already.
func standings(cfg *config.Config, texts map[string][]byte) []standing {
	var all []standing
	for _, list := range ruleKeys {
		for _, o := range cfg.Origins(list.key) {
			lines := linesOf(o, list.key, texts)
			for i, text := range listOf(o.Value) {
				r := standing{decision: list.decision, text: text, layer: o.Layer, file: filepath.ToSlash(o.Name), line: o.Line}
				if i < len(lines) {
					r.line = lines[i]
				}
				r.Rule, r.err = permission.ParseRule(text)
				r.Source = r.place()
				r.granted = list.decision == permission.Allow && r.layer == config.LayerProject
				if r.layer == config.LayerProject && r.decision == permission.Ask && cfg.Permissions.Mode == "deny" {
					r.off = "a project's ask rule is milder than mode = \"deny\""
				}
				all = append(all, r)
			}
		}
	}
	return append(all, ungranted(cfg)...)
}

// ungranted are a project's allow rules that wait for a grant.
func ungranted(cfg *config.Config) []standing {
	var all []standing
	for _, p := range cfg.Ungranted {
		if p.Kind == config.PartRule {
			r := standing{
				decision: permission.Allow, text: p.Text, layer: config.LayerProject,
				file: filepath.ToSlash(p.File), line: p.Line, off: "not granted: reasonix permissions trust",
			}
			r.Rule, r.err = permission.ParseRule(p.Text)
			r.Source = r.place()
			all = append(all, r)
		}
	}
	return all
}

// linesOf are the lines of a list's elements in its file; nil when they are not
// to be found. texts keeps what was read.
func linesOf(o config.Origin, key string, texts map[string][]byte) []int {
	if o.Line == 0 {
		return nil
	}
	text, ok := texts[o.Name]
	if !ok {
		text, _ = os.ReadFile(o.Name) // the line of the key is good enough
		texts[o.Name] = text
	}
	lines := elementLines(text, key)
	if len(lines) != len(listOf(o.Value)) {
		return nil
	}
	return lines
}

// listOf is a list of texts as a layer has it: a file's is of no particular type.
func listOf(value any) []string {
	if list, ok := value.([]string); ok {
		return list
	}
	var texts []string
	list, _ := value.([]any)
	for _, v := range list {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
