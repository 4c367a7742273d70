package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/config"
	"reasonix/core/doctor"
)

// files is the state of the configuration's files: where they are, what cannot be
// read, which keys are unknown or do nothing.
func (x *examination) files(context.Context) doctor.Finding {
	f := doctor.Finding{Status: doctor.OK}
	var lines []string
	for _, path := range []string{x.cfg.UserFile, x.cfg.ProjectFile, x.cfg.EnvFile} {
		if path != "" {
			lines = append(lines, slash(path)+presence(path))
		}
	}
	var retired []string
	for _, w := range x.cfg.Warnings {
		f.Status = doctor.Warn
		f.Fix = "reasonix config check"
		if w.Code == config.WarnRetired {
			retired = append(retired, w.Keys...)
		}
		lines = append(lines, "warning: "+slash(w.String()))
	}
	if len(retired) > 0 {
		f.Fix = "remove what does nothing with: reasonix config migrate"
	}
	if x.broken != nil {
		f.Status, f.Fix = doctor.Fail, "mend the file; until then doctor goes on without it"
		for _, e := range problems(x.broken) {
			lines = append(lines, "error: "+slash(e))
		}
	}
	f.Detail = strings.Join(lines, "\n")
	return f
}

func presence(path string) string {
	if _, err := os.Stat(path); err != nil {
		return " (not there)"
	}
	return ""
}

// problems lists every error in err.
func problems(err error) []string {
	var list []string
	for _, e := range config.Errors(err) {
		list = append(list, e.Error())
	}
	if len(list) == 0 {
		list = append(list, err.Error())
	}
	return list
}

// important are the keys whose origin people ask for.
func important() []string {
	return []string{
		"default_model", "language", "permissions.mode", "permissions.posture", "permissions.headless",
		"tools.shell.prefer", "tools.bash_timeout_seconds", "sandbox.bash", "secrets.from_env",
	}
}

// settings says which layer won for the important keys, and over which others.
func (x *examination) settings(context.Context) doctor.Finding {
	var lines []string
	for _, key := range important() {
		v := x.cfg.Value(key)
		if v == nil || v == "" {
			continue
		}
		line := fmt.Sprintf("%s = %s, %s", key, config.Render(v), slash(x.cfg.Origin(key).String()))
		origins := x.cfg.Origins(key)
		for _, o := range origins[min(1, len(origins)):] {
			if o.Layer != config.LayerDefault {
				line += ", over " + slash(o.String())
			}
		}
		lines = append(lines, line)
	}
	return doctor.Finding{Status: doctor.OK, Detail: strings.Join(lines, "\n")}
}

// instructions names the instruction files that are read, and near misses.
func (x *examination) instructions(context.Context) doctor.Finding {
	if x.app.WorkDir == "" {
		return doctor.Finding{Status: doctor.Warn, Detail: "the working directory no longer exists", Fix: "change to a directory that exists"}
	}
	files, notes := x.world.InstructionNotes(x.app.WorkDir)
	f := doctor.Finding{Status: doctor.OK, Detail: "none"}
	if len(files) > 0 {
		f.Detail = strings.Join(files, ", ")
	}
	if len(notes) > 0 {
		f.Status = doctor.Warn
		f.Detail += "\n" + strings.Join(notes, "\n")
		f.Fix = "the names that are read are REASONIX.md, AGENTS.md and CLAUDE.md"
	}
	return f
}

// defaultModel resolves default_model.
func (x *examination) defaultModel(context.Context) doctor.Finding {
	m, err := x.cfg.ResolveModel("")
	if err != nil {
		return doctor.Finding{Status: doctor.Fail, Detail: slash(err.Error()), Fix: "choose one: reasonix setup, or reasonix config set default_model PROVIDER/MODEL"}
	}
	f := doctor.Finding{Status: doctor.OK, Detail: m.Ref}
	if m.ContextWindow == 0 {
		f.Status = doctor.Warn
		f.Detail += "; its context window is not known, so the conversation is not compacted"
		f.Fix = "reasonix config set " + config.JoinPath([]string{"providers", m.Provider.Name, "context_window"}) + " TOKENS"
	}
	return f
}

// slash shows a path with forward slashes, on every system.
func slash(s string) string { return filepath.ToSlash(s) }

// isDefault reports whether default_model means p or one of its models, also
// when p's block is incomplete.
func isDefault(cfg *config.Config, p *config.Provider) bool {
	own := func(m config.Model) bool { return m.Default && m.Provider.Name == p.Name }
	return cfg.DefaultModel == p.Name || slices.ContainsFunc(cfg.Models(), own)
}

func hasProvider(cfg *config.Config) bool {
	return slices.ContainsFunc(cfg.Providers, func(p config.Provider) bool { return p.Kind != "demo" })
}
