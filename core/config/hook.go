package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Hook is a command that runs by itself at an event.
type Hook struct {
	Name           string `toml:"name"`
	Event          string `toml:"event"`
	Match          string `toml:"match"` // regular expression of a tool's whole name; empty: all
	Command        string `toml:"command"`
	Description    string `toml:"description"`
	TimeoutSeconds int    `toml:"timeout_seconds"` // 0: the event's own
	Dir            string `toml:"dir"`             // absolute; empty: the workspace

	// FromProject is as in Plugin. Claude is set for one from a settings.json in
	// the form of Claude Code, whose Match has that program's names of tools.
	FromProject bool   `toml:"-"`
	Claude      bool   `toml:"-"`
	File        string `toml:"-"` // where it is declared
	Line        int    `toml:"-"` // from 1
}

// finishHooks adds the hooks of the settings.json files, puts a project's before
// the user's, and leaves out those that never run. An event has one
// name afterwards, and a match of every tool is empty.
func (c *Config) finishHooks(l *loader) {
	for i := range c.Hooks {
		h := &c.Hooks[i]
		o := c.Origin(JoinPath([]string{"hooks", h.Name, "name"}))
		h.File, h.Line = o.Name, o.Line
	}
	c.Hooks = append(c.Hooks, l.hooks...)
	c.Hooks = slices.DeleteFunc(c.Hooks, func(h Hook) bool {
		why := idle(h)
		if why != "" {
			c.Warnings = append(c.Warnings, Warning{
				Code: WarnHooks, File: h.File, Line: h.Line, Column: min(h.Line, 1), Keys: []string{printable(JoinPath([]string{"hooks", h.Name}))},
				Text: fmt.Sprintf("hook %s never runs: %s", printable(h.Name), why),
			})
		}
		return why != ""
	})
	for i := range c.Hooks {
		h := &c.Hooks[i]
		if h.Event == "Stop" {
			h.Event = "TurnEnd"
		}
		if h.Match == "*" {
			h.Match = ""
		}
	}
	slices.SortStableFunc(c.Hooks, func(a, b Hook) int {
		switch {
		case a.FromProject == b.FromProject:
			return 0
		case a.FromProject:
			return -1
		default:
			return 1
		}
	})
}

// idle says why a hook never runs, "" when it does.
func idle(h Hook) string {
	switch {
	case h.Event == "":
		return "it has no event"
	case slices.Contains(deadEvents, h.Event):
		return "there is no event " + h.Event
	case strings.TrimSpace(h.Command) == "":
		return "it has no command"
	default:
		return ""
	}
}

// checkHooks finds the hooks whose match is none: one that should have stopped
// something must not be passed over in silence.
func (c *Config) checkHooks() []error {
	var errs []error
	for i := range c.Hooks {
		if err := checkMatch(c.Hooks[i].Match); err != nil {
			errs = append(errs, c.broken(err.Error(), []string{JoinPath([]string{"hooks", c.Hooks[i].Name, "match"})}))
		}
	}
	return errs
}

func checkMatch(match string) error {
	if match == "" || match == "*" {
		return nil
	}
	if _, err := regexp.Compile(match); err != nil {
		return fmt.Errorf("want a regular expression: %w", err)
	}
	return nil
}
