package mcp

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// notes are what there is to say about a server that was just stored: why it cannot
// start now, and what is better written otherwise.
func (d *desk) notes(name string) []string {
	cfg, broken := d.load(false)
	var notes []string
	for _, e := range config.Errors(broken) {
		notes = append(notes, "the configuration is broken: "+slash(e.Error()))
	}
	all := entries(cfg)
	i := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
	if i < 0 {
		return notes
	}
	s := all[i].server
	if s == nil {
		return append(notes, "it is this project's, and off until you let it start: "+all[i].part.TrustCommand())
	}
	if why := d.cannotStart(*s); why != "" {
		notes = append(notes, "it cannot start now: "+why)
	}
	if s.Type == "sse" {
		notes = append(notes, "the transport sse is deprecated: ask for an address of type http")
	}
	for _, p := range cfg.Plugins {
		if p.Name == name {
			notes = append(notes, plainSecrets(p)...)
		}
	}
	return notes
}

// cannotStart says why a server could not be started now, "" when nothing is known
// against it. It runs nothing and connects to nothing.
func (d *desk) cannotStart(s config.Server) string {
	switch {
	case s.Problem != "":
		return problem(s)
	case s.Type != "stdio" || d.found(s.Command):
		return ""
	case strings.ContainsAny(s.Command, `/\`):
		return fmt.Sprintf("there is no program %s", slash(config.Printable(s.Command)))
	default:
		return fmt.Sprintf("program %s was not found on PATH", config.Printable(s.Command))
	}
}

// problem says why a server is not even tried, where its name and its place are said
// already.
func problem(s config.Server) string {
	place := s.File
	if s.Line > 0 {
		place = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return slash(strings.TrimPrefix(s.Problem, config.Printable(fmt.Sprintf("server %s (%s): ", s.Name, place))))
}

// found reports whether a command names a program: on PATH, or by its path from
// the working directory.
func (d *desk) found(command string) bool {
	if strings.ContainsAny(command, `/`) || filepath.IsAbs(command) || runtime.GOOS == "windows" && strings.Contains(command, `\`) {
		if !filepath.IsAbs(command) {
			command = filepath.Join(d.app.WorkDir, command)
		}
		return d.runs(command)
	}
	return slices.ContainsFunc(filepath.SplitList(d.app.Getenv("PATH")), func(dir string) bool {
		return filepath.IsAbs(dir) && d.runs(filepath.Join(dir, command))
	})
}

// runs reports whether path is a file that can be run.
func (d *desk) runs(path string) bool {
	for _, ending := range d.endings(path) {
		info, err := os.Stat(path + ending)
		if err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return true
		}
	}
	return false
}

func (d *desk) endings(path string) []string {
	if runtime.GOOS != "windows" || filepath.Ext(path) != "" {
		return []string{""}
	}
	return append([]string{""}, strings.Split(strings.ToLower(cmdutil.Getenv(append([]string{"PATHEXT=.com;.exe;.bat;.cmd"}, d.app.Environ...), "PATHEXT")), ";")...)
}

// plainSecrets names what is likely a secret and stands in the file as it is.
func plainSecrets(p config.Plugin) []string {
	var names []string
	for table, m := range map[string]map[string]string{"env": p.Env, "headers": p.Headers} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			key := config.JoinPath([]string{"plugins", p.Name, table, name})
			if config.Mask(key, m[name]) == config.Hidden && !strings.Contains(m[name], "${") {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []string{fmt.Sprintf("the value of %s stands in the file as it is; ${VAR} keeps it out, with the value stored by: reasonix setup key VAR", strings.Join(names, ", "))}
}
