package wire

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/permission"
	"reasonix/core/tool/shell"
	paths "reasonix/core/workspace"
)

// Policy is what a session in workspace would judge its calls by, each rule with
// the file and line, the variable or the flag it is from. It opens nothing and
// needs no shell: where none is found, commands are read as a POSIX shell would.
// An error is of the configuration.
func (w World) Policy(cfg *config.Config, workspace string) (permission.Policy, error) {
	interpreter, err := shell.Interpreter(w.settings(cfg, "", ""))
	p, failed := policyOf(cfg, userHome(w.Environ), workspace, err == nil && isPowerShell(interpreter))
	p.Places = judgedBy(w.places(cfg, workspace, nil, ""))
	return p, failed
}

// judge is what decides the calls of a session. remote is what is known of the tools of
// its servers.
func (w builder) judge(c choice, b bench, remote func(tool string) permission.Remote) (a engine.Approvals, err error) {
	if a.Policy, err = policyOf(c.cfg, userHome(w.Environ), c.spec.Workspace, isPowerShell(b.interpreter)); err != nil {
		return a, err
	}
	a.Policy.Places, a.Policy.FoldCase, a.Policy.Remote = judgedBy(b.places), b.Files.FoldsCase(), remote
	if a.Posture, err = permission.ParsePosture(cmp.Or(c.spec.Approval, c.cfg.Permissions.Posture)); err != nil {
		return a, &ConfigError{err}
	}
	if a.Unasked, err = permission.ParseDecision(c.cfg.Permissions.Headless); err != nil {
		return a, &ConfigError{err}
	}
	a.Sandbox = heldBy(b.Env)
	a.Keep = keeper(w.Home, filepath.Dir(c.cfg.ProjectFile), w.Now, b.Run)
	return a, nil
}

// policyOf is the rules, without places. How names are compared is as file systems of the machine
// usually do; a session asks the one it is on.
func policyOf(cfg *config.Config, userHome, workspace string, powerShell bool) (permission.Policy, error) {
	p := permission.Policy{
		Root: workspace, Home: userHome, PowerShell: powerShell,
		FoldCase: runtime.GOOS == "windows" || runtime.GOOS == "darwin",
		Resolve:  paths.Real, Repository: paths.Repository, Nested: paths.Nested, ReadOnlyCommands: cfg.Permissions.ReadOnlyCommands,
	}
	var err error
	if p.Mode, err = permission.ParseDecision(cfg.Permissions.Mode); err != nil {
		return p, &ConfigError{err}
	}
	for _, list := range []struct {
		key   string
		texts []string
		rules *[]permission.Rule
	}{
		{"permissions.allow", cfg.Permissions.Allow, &p.Allow},
		{"permissions.ask", askRules(cfg), &p.Ask},
		{"permissions.deny", cfg.Permissions.Deny, &p.Deny},
	} {
		if *list.rules, err = rulesFrom(cfg, list.key, list.texts); err != nil {
			return p, &ConfigError{err}
		}
	}
	return p, nil
}

// rulesFrom reads the rules of one key, each with its place.
func rulesFrom(cfg *config.Config, key string, texts []string) ([]permission.Rule, error) {
	rules := make([]permission.Rule, 0, len(texts))
	for _, text := range texts {
		source := sourceOf(cfg, key, text)
		r, err := permission.ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", source, key, err)
		}
		r.Source = source
		rules = append(rules, r)
	}
	return rules, nil
}

// sourceOf is where a rule stands. Of layers that say the same the weakest is
// named: the rule holds without the others.
func sourceOf(cfg *config.Config, key, text string) string {
	source := key
	for _, o := range cfg.Origins(key) {
		if slices.Contains(rulesOf(o), text) {
			source = filepath.ToSlash(o.String())
		}
	}
	return source
}

// askRules are the rules that force a question. Where the user denies what no
// rule allows, a project's would be milder than its absence, and do not count.
func askRules(cfg *config.Config) []string {
	if cfg.Permissions.Mode != "deny" {
		return cfg.Permissions.Ask
	}
	var rules []string
	for _, o := range cfg.Origins("permissions.ask") {
		if o.Layer != config.LayerProject {
			rules = append(rules, rulesOf(o)...)
		}
	}
	return rules
}
