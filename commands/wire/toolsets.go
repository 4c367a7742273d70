package wire

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"reasonix/core/tool"
)

// toolsets are the registries of one session, one for each work mode it had. They work
// on the same Env, so that jobs and the directory of commands outlive a change. Safe for
// concurrent use.
type toolsets struct {
	env     tool.Env
	enabled []string // that the user names
	servers *servers

	mu     sync.Mutex
	byMode map[string]*tool.Registry
	extra  []tool.Tool // of the servers, as the model knows them
}

// of is the registry of a work mode, made for a model with eyes or without.
func (t *toolsets) of(mode string, vision bool) (*tool.Registry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.byMode[mode]; r != nil {
		return r, nil
	}
	if t.byMode == nil {
		t.byMode, t.extra = map[string]*tool.Registry{}, t.servers.tools()
	}
	r, err := tool.NewRegistry(t.env, t.names(mode, vision), t.extra...)
	if err != nil {
		return nil, &ConfigError{err}
	}
	r.Also(t.servers.find)
	t.byMode[mode] = r
	return r, nil
}

// names are the built-ins of a work mode, but for those that have nothing to work on in
// this session.
func (t *toolsets) names(mode string, vision bool) []string {
	return slices.DeleteFunc(enabledTools(t.enabled, mode, vision), func(name string) bool {
		return name == "run_skill" && t.env.Skills.Index() == ""
	})
}

// renew makes all registries anew when they are asked for next, if the servers offer
// other tools by now.
func (t *toolsets) renew() bool {
	if !t.servers.set.Refresh() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byMode = nil
	return true
}

// economy is what the economy work mode offers beside what the user names.
var economy = []string{"bash", "edit_file", "read_file", "write_file"}

// enabledTools lists the built-ins a session offers. Images are of no use to a
// model without eyes.
func enabledTools(named []string, mode string, vision bool) []string {
	list := named
	switch {
	case mode == "economy":
		list = append(slices.Clone(economy), named...)
	case len(named) == 0:
		for _, t := range tool.Builtins() {
			list = append(list, t.Name())
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return name == "view_image" && !vision })
}

func isPowerShell(interpreter string) bool {
	name := strings.ToLower(filepath.Base(interpreter))
	return strings.HasPrefix(name, "pwsh") || strings.HasPrefix(name, "powershell")
}
