package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// SettingsFileName is a file that may declare hooks, in <home>, in .reasonix and
// in .claude of the workspace.
const SettingsFileName = "settings.json"

// settings takes the hooks of the settings.json files: the user's, and of the
// project's, each of which is a part, those that the user granted. The files
// belong to other programs, too: what is wrong in them is a warning.
func (l *loader) settings() {
	l.settingsFile(under(l.in.Home, SettingsFileName), SettingsFileName, false)
	for _, dir := range []string{".reasonix", ".claude"} {
		if l.in.Workspace != "" {
			name := filepath.Join(dir, SettingsFileName)
			path := filepath.Join(l.in.Workspace, name)
			if path != under(l.in.Home, SettingsFileName) {
				l.settingsFile(path, filepath.ToSlash(name), true)
			}
		}
	}
}

func (l *loader) settingsFile(path, name string, project bool) {
	share := &l.layers[len(l.layers)-1]
	warn := func(line int, text string) {
		share.warnings = append(share.warnings, Warning{Code: WarnHooks, File: path, Line: line, Column: min(line, 1), Text: printable(text)})
	}
	text, err := l.settingsText(path, project)
	if err != nil {
		warn(0, err.Error())
	}
	if text == nil {
		return
	}
	list, problems, err := parseSettings(text, name)
	if err != nil {
		warn(0, "ignored: "+err.Error())
		return
	}
	d := &document{file: path, body: text}
	for _, p := range problems {
		line, _ := d.position(p.offset)
		warn(line, p.text)
	}
	for _, e := range list {
		h := e.hook
		h.File, h.FromProject = path, project
		h.Line, _ = d.position(e.offset)
		if h.Dir != "" && !filepath.IsAbs(h.Dir) && l.in.Workspace != "" {
			h.Dir = filepath.Join(l.in.Workspace, h.Dir)
		}
		if !project || l.grantedHook(d, name, e) {
			l.hooks = append(l.hooks, h)
		}
	}
}

func (l *loader) settingsText(path string, project bool) ([]byte, error) {
	if project {
		dir := filepath.Dir(path)
		if _, given := l.in.Texts[path]; !given && leadsOut(dir) {
			return nil, fmt.Errorf("ignored: %w", errLink)
		}
		return l.foreign(path)
	}
	if path == "" || l.skip[path] {
		return nil, nil
	}
	text, err := l.in.read(path)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, errors.New("cannot be read: " + rootCause(err))
	}
	return append([]byte{}, bytes.TrimPrefix(text, bom)...), nil
}

// grantedHook makes a part of a project's hook and reports whether it counts. The
// hash has no place in the file: a hook that is moved is the same.
func (l *loader) grantedHook(d *document, file string, e settingsHook) bool {
	h := e.hook
	value := map[string]any{"event": h.Event, "command": h.Command, "file": file}
	if h.Match != "" {
		value["match"] = h.Match
	}
	if h.TimeoutSeconds > 0 {
		value["timeout_seconds"] = int64(h.TimeoutSeconds)
	}
	if h.Dir != "" {
		value["dir"] = h.Dir
	}
	s := splitter{doc: d, granted: l.in.Granted}
	on := s.counts(newPart(JoinPath([]string{"hooks", h.Name}), PartHook, value, shownTable("hooks", value)), e.offset)
	l.granted, l.ungranted = append(l.granted, s.on...), append(l.ungranted, s.off...)
	return on
}

// A settingsHook is a hook and where its event's list begins; a settingsProblem is
// what is left out, and why.
type settingsHook struct {
	hook   Hook
	offset int
}

type settingsProblem struct {
	text   string
	offset int
}

// A settingsEntry is an element of an event's list: in the form of Claude Code it
// holds hooks, otherwise it is one.
type settingsEntry struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
	settingsCommand
}

type settingsCommand struct {
	Type        string   `json:"type"`
	Match       string   `json:"match"`
	Command     string   `json:"command"`
	Description string   `json:"description"`
	Timeout     *float64 `json:"timeout"`
	Cwd         string   `json:"cwd"`
}

// parseSettings reads the hooks of a settings file. Names are of the file, the
// event and a number in it.
func parseSettings(text []byte, file string) (hooks []settingsHook, problems []settingsProblem, err error) {
	if !json.Valid(text) {
		var v any
		return nil, nil, fmt.Errorf("it is no JSON: %w", json.Unmarshal(text, &v))
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	err = members(dec, text, func(key string, _ int64) error {
		if key != "hooks" {
			var skip json.RawMessage
			return dec.Decode(&skip)
		}
		return members(dec, text, func(event string, at int64) error {
			var list []json.RawMessage
			if err := dec.Decode(&list); err != nil {
				return fmt.Errorf("hooks.%s: want a list", quoteKey(event))
			}
			leave := func(format string, args ...any) {
				problems = append(problems, settingsProblem{fmt.Sprintf("hooks.%s: ", quoteKey(event)) + fmt.Sprintf(format, args...), int(at)})
			}
			if !slices.Contains(hookEvents, event) || slices.Contains(deadEvents, event) {
				leave("there is no such event: its hooks never run")
				return nil
			}
			n := 0
			for _, raw := range list {
				for _, h := range entryHooks(raw, event, leave) {
					n++
					h.Name = fmt.Sprintf("%s:%s:%d", file, event, n)
					hooks = append(hooks, settingsHook{h, int(at)})
				}
			}
			return nil
		})
	})
	return hooks, problems, err
}

// entryHooks are the hooks of one element of an event's list.
func entryHooks(raw json.RawMessage, event string, leave func(string, ...any)) []Hook {
	var e settingsEntry
	if err := json.Unmarshal(raw, &e); err != nil {
		leave("left out: want an object with a command, or with a matcher and hooks")
		return nil
	}
	if e.Hooks == nil {
		// Here a time is in milliseconds.
		return commandHook(e.settingsCommand, Hook{Event: event, Match: e.Match}, 1000, leave)
	}
	var hooks []Hook
	for _, inner := range e.Hooks {
		var c settingsCommand
		if err := json.Unmarshal(inner, &c); err != nil {
			leave("left out: want an object with a command")
			continue
		}
		hooks = append(hooks, commandHook(c, Hook{Event: event, Match: e.Matcher, Claude: true}, 1, leave)...)
	}
	return hooks
}

// commandHook is h with what c says, nothing when it cannot run. A time counts in
// units of which so many make a second.
func commandHook(c settingsCommand, h Hook, perSecond float64, leave func(string, ...any)) []Hook {
	switch {
	case c.Type != "" && c.Type != "command":
		leave("left out: a hook of type %s is not supported", c.Type)
		return nil
	case strings.TrimSpace(c.Command) == "":
		leave("left out: want a command")
		return nil
	}
	if err := checkMatch(h.Match); err != nil {
		leave("left out: %s: %v", h.Match, err)
		return nil
	}
	h.Command, h.Description, h.Dir = c.Command, c.Description, c.Cwd
	if c.Timeout != nil && *c.Timeout > 0 {
		h.TimeoutSeconds = int(min(max(*c.Timeout/perSecond, 1), maxSeconds))
	}
	return []Hook{h}
}
