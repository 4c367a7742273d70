package mcp

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"reasonix/core/config"
)

// States of an entry.
const (
	stateOn        = "on"
	stateOff       = "off"       // enabled = false
	stateProblem   = "problem"   // it cannot be started
	stateUntrusted = "untrusted" // a project's, not granted
)

// An entry is one server as list and get show it: as the files say it, without
// what may be a secret.
type entry struct {
	Name     string   `json:"name"`
	State    string   `json:"state"`
	Problem  string   `json:"problem,omitempty"`
	Type     string   `json:"type,omitempty"`
	Command  string   `json:"command,omitempty"`
	Args     []string `json:"args,omitempty"`
	URL      string   `json:"url,omitempty"`
	Env      []string `json:"env,omitempty"`     // names
	Headers  []string `json:"headers,omitempty"` // names
	Says     string   `json:"says,omitempty"`    // of an untrusted one
	Declared string   `json:"declared"`          // by user or project
	File     string   `json:"file"`
	Line     int      `json:"line,omitempty"`
	server   *config.Server
	part     *config.Part
}

// entries lists the servers of a configuration by name: also those that are off,
// cannot be started or are not trusted.
func entries(cfg *config.Config) []entry {
	var all []entry
	for _, s := range cfg.Servers() {
		i := slices.IndexFunc(cfg.Plugins, func(p config.Plugin) bool { return p.Name == s.Name })
		all = append(all, entryOf(s, cfg.Plugins[i]))
	}
	for i := range cfg.Ungranted {
		if name := partServer(cfg.Ungranted[i]); name != "" {
			p := &cfg.Ungranted[i]
			state := stateUntrusted
			if cfg.ServerOff(name) {
				state = stateOff
			}
			e := entry{Name: name, State: state, Says: p.Text, Declared: scopeProject, File: slash(p.File), Line: p.Line, part: p}
			all = append(all, e)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// entryOf is a server; p is what the files say of it.
func entryOf(s config.Server, p config.Plugin) entry {
	e := entry{
		Name: s.Name, State: stateOn, Type: s.Type, Declared: scopeUser, File: slash(s.File), Line: s.Line,
		Env: slices.Sorted(maps.Keys(p.Env)), Headers: slices.Sorted(maps.Keys(p.Headers)), server: &s,
	}
	if s.Type == "stdio" {
		e.Command, e.Args = p.Command, p.Args
	} else {
		e.URL = config.ShownURL(p.URL)
	}
	if s.FromProject {
		e.Declared = scopeProject
	}
	switch {
	case !s.Enabled:
		e.State = stateOff
	case s.Problem != "":
		e.State, e.Problem = stateProblem, slash(s.Problem)
	}
	return e
}

// target is what is started or connected to, on one line.
func (e entry) target() string {
	switch {
	case e.part != nil:
		return e.Says
	case e.URL != "":
		return e.URL
	}
	words := []string{word(e.Command)}
	for _, arg := range e.Args {
		words = append(words, word(arg))
	}
	return strings.Join(words, " ")
}

// word is a word of a command line, quoted where a shell would take it for another.
func word(s string) string {
	shown := config.Printable(s)
	if s == "" || strings.ContainsAny(s, " \t\n\"'\\$`|&;<>()*?[]{}#~!") {
		return "'" + strings.ReplaceAll(shown, "'", `'\''`) + "'"
	}
	return shown
}

// place is where it is declared.
func (e entry) place() string {
	if e.Line == 0 {
		return e.File
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(e.File), e.Line)
}

// find is the entry of that name.
func find(cfg *config.Config, name string) (entry, error) {
	all := entries(cfg)
	i := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
	if i < 0 {
		return entry{}, unknown(cfg, name)
	}
	return all[i], nil
}
