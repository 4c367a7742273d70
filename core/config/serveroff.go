package config

import (
	"path/filepath"
	"slices"
)

// ServerOff reports whether the user turned a server that the workspace declares off, in
// this directory or in every one (tools.mcp_disabled). The file that declares it stays
// as it is: it is others' too.
func (c *Config) ServerOff(name string) bool {
	if len(c.Tools.MCPDisabled) == 0 {
		return false
	}
	for _, entry := range offEntries(c.workspace, name) {
		if slices.Contains(c.Tools.MCPDisabled, entry) {
			return true
		}
	}
	return false
}

// offEntries are what may stand in tools.mcp_disabled for a server of a workspace, the
// one that is written first. No name has a slash, so that none is a directory's.
func offEntries(workspace, name string) []string {
	entries := []string{name}
	if workspace == "" {
		return entries
	}
	entries = slices.Insert(entries, 0, filepath.ToSlash(filepath.Clean(workspace))+"/"+name)
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		entries = slices.Insert(entries, 0, filepath.ToSlash(real)+"/"+name)
	}
	return slices.Compact(entries)
}

// TurnServer turns a server that a workspace declares on or off for the user whose TOML
// file is at path, as Edit does. It is turned on for this directory and, where it was off
// in every one, for all.
func TurnServer(path, workspace, name string, on bool) (Change, error) {
	const key = "tools.mcp_disabled"
	entries := offEntries(workspace, name)
	return write(path, func(text []byte) ([]byte, error) {
		d, err := parse("", text)
		if err != nil {
			return nil, err
		}
		had, _ := at(d.values, []string{"tools", "mcp_disabled"})
		list, _ := had.([]any)
		isIt := func(v any) bool { s, ok := v.(string); return ok && slices.Contains(entries, s) }
		switch left := slices.DeleteFunc(slices.Clone(list), isIt); {
		case !on && len(left) < len(list), on && len(left) == len(list):
			return text, nil
		case !on:
			return Append(text, key, entries[0])
		case len(left) == 0:
			return Unset(text, key)
		default:
			return Set(text, key, left)
		}
	})
}
