package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"reasonix/core/config"
	"reasonix/core/trust"
	"reasonix/sandbox"
)

// WarnGrants is the code of a warning about the list of grants.
const WarnGrants config.WarningCode = "grants"

// Input is the configuration's world with what the user granted to workspace.
// Every command that reads a configuration takes it from here.
func Input(home, workspace string, environ []string) config.Input {
	in := config.Input{Home: home, Workspace: workspace, Environ: environ}
	if home == "" || workspace == "" {
		return in
	}
	store := trust.Open(home)
	in.Granted = func(p config.Part) bool { return store.Granted(workspace, GrantOf(p)) }
	if err := store.Problem(); err != nil {
		in.Warnings = append(in.Warnings, config.Warning{
			Code: WarnGrants, File: store.Path(),
			Text: fmt.Sprintf("%v; what you grant anew makes a new list and keeps this one beside it", err),
		})
	}
	return in
}

// GrantOf is a part of a configuration as the list of grants knows it.
func GrantOf(p config.Part) trust.Part {
	return trust.Part{Name: p.Label(), Kind: string(p.Kind), Hash: p.Hash, What: p.Text}
}

// input is Input with the flags of this run, and everything granted for it when
// the user says so.
func (w World) input(workspace string) config.Input {
	in := Input(w.Home, workspace, w.Environ)
	in.Flags = w.Flags
	if w.Trust {
		in.Granted = func(config.Part) bool { return true }
	}
	return in
}

// keeper stores what a person allowed always, for the session of workspace. run may be
// running commands that are not to write the same file.
func keeper(home, workspace string, now func() time.Time, run sandbox.Runner) func(ctx context.Context, rules []string) (string, error) {
	return func(_ context.Context, rules []string) (file string, err error) {
		err = sandbox.Own(run, []string{filepath.Join(workspace, config.ProjectFileName)}, func() error {
			file, err = AllowAlways(home, workspace, now(), rules...)
			return err
		})
		return file, err
	}
}

// AllowAlways grants allow rules and adds them to the project's file, so that they
// count from the next session on. It returns the file. After an error nothing new
// counts, and the file is as it was.
func AllowAlways(home, workspace string, now time.Time, rules ...string) (file string, err error) {
	file = filepath.Join(workspace, config.ProjectFileName)
	store := trust.Open(home)
	parts := make([]trust.Part, len(rules))
	var added []trust.Part
	for i, rule := range rules {
		parts[i] = GrantOf(config.RulePart(rule))
		if !store.Granted(workspace, parts[i]) {
			added = append(added, parts[i])
		}
	}
	if err := store.Grant(workspace, now, parts...); err != nil {
		return file, err
	}
	if _, err := config.AppendRule(file, "permissions.allow", rules...); err != nil {
		_, undone := store.Revoke(workspace, func(g trust.Grant) bool {
			return slices.ContainsFunc(added, func(p trust.Part) bool { return p.Name == g.Part && p.Hash == g.Hash })
		})
		return file, errors.Join(err, undone)
	}
	return file, nil
}
