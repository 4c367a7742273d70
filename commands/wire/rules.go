package wire

import (
	"fmt"

	"reasonix/core/config"
	"reasonix/core/permission"
	"reasonix/core/tool"
)

// WarnUnknownTool is the code of a warning about a rule that speaks of no tool.
const WarnUnknownTool config.WarningCode = "unknown_tool"

// UnknownTools are warnings about rules of the configuration that no call can
// match, because there is no tool of that name. Rules of flags are not among
// them: there they are errors.
func UnknownTools(cfg *config.Config) []config.Warning {
	var warnings []config.Warning
	for _, key := range []string{"permissions.allow", "permissions.ask", "permissions.deny"} {
		for _, o := range cfg.Origins(key) {
			if o.Layer == config.LayerFlag || o.Layer == config.LayerDefault {
				continue
			}
			for _, rule := range rulesOf(o) {
				if err := checkTool(rule); err != nil {
					warnings = append(warnings, config.Warning{
						Code: WarnUnknownTool, File: o.Name, Line: o.Line, Column: o.Column, Keys: []string{key},
						Text: fmt.Sprintf("%s: %v", key, err),
					})
				}
			}
		}
	}
	return warnings
}

// rulesOf is a list of rules as one layer has it: a file's is of no particular
// type.
func rulesOf(o config.Origin) []string {
	if list, ok := o.Value.([]string); ok {
		return list
	}
	var rules []string
	list, _ := o.Value.([]any)
	for _, v := range list {
		if rule, ok := v.(string); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

// checkTool is an error when rule can be read and speaks of no tool. A program
// without any built-in tool cannot tell.
func checkTool(rule string) error {
	r, err := permission.ParseRule(rule)
	all := tool.Builtins()
	if err != nil || len(all) == 0 {
		return nil
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name()
	}
	nearest, ok := permission.Known(r, names)
	switch {
	case ok:
		return nil
	case nearest == "":
		return fmt.Errorf("rule %s: there is no tool %s", rule, r.Tool)
	}
	return fmt.Errorf("rule %s: there is no tool %s (did you mean %s?)", rule, r.Tool, nearest)
}
