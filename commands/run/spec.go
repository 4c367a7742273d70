package run

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"reasonix/commands/cmdutil"
	"reasonix/core/event"
	"reasonix/core/protocol"
)

// spec turns flags into what to open and into the flag layer of the
// configuration.
func (o *options) spec(app *cmdutil.App) (protocol.Spec, map[string]any, error) {
	var spec protocol.Spec
	if name := o.emptyFlag(); name != "" {
		return spec, nil, cmdutil.Usagef("--%s: must not be empty", name)
	}
	if o.session != "" && o.resume {
		return spec, nil, cmdutil.Usagef("--session and --continue exclude each other")
	}
	if o.fork && o.session == "" && !o.resume {
		return spec, nil, cmdutil.Usagef("--fork needs --session or --continue: what to copy")
	}
	dir, err := o.workspace(app)
	if err != nil {
		return spec, nil, err
	}
	spec = protocol.Spec{
		Session: event.SessionID(o.session), Workspace: dir, Model: o.model, Effort: o.effort, Approval: *o.posture, WorkMode: *o.mode,
		Interactive: *o.onAsk == "prompt", Client: "run",
	}
	if spec.AddDirs, err = directories(dir, o.addDirs); err != nil {
		return spec, nil, err
	}
	if err := o.limits(&spec.Limits); err != nil {
		return spec, nil, err
	}
	if spec.Interactive && !app.StdinTTY {
		return spec, nil, cmdutil.WithHint(cmdutil.Usagef("--on-ask prompt needs a terminal on standard input"),
			"use --on-ask allow or --on-ask deny in a pipe")
	}
	flags := map[string]any{}
	if *o.onAsk == "allow" || *o.onAsk == "deny" {
		flags["permissions.headless"] = *o.onAsk
	}
	if len(o.allow) > 0 {
		flags["permissions.allow"] = o.allow
	}
	if len(o.deny) > 0 {
		flags["permissions.deny"] = o.deny
	}
	return spec, flags, nil
}

// emptyFlag names a flag that was given nothing: a script's unset variable must
// not silently begin a new session somewhere else.
func (o *options) emptyFlag() string {
	for _, f := range []struct{ name, value string }{
		{"session", o.session}, {"dir", o.dir}, {"model", o.model}, {"effort", o.effort}, {"command", o.command},
	} {
		if f.value == "" && o.given(f.name) {
			return f.name
		}
	}
	return ""
}

func (o *options) workspace(app *cmdutil.App) (string, error) {
	wd, err := app.RequireWorkDir()
	if err != nil {
		return "", err
	}
	if o.dir == "" {
		return wd, nil
	}
	dirs, err := directories(wd, []string{o.dir})
	if err != nil {
		return "", err
	}
	return dirs[0], nil
}

func directories(base string, names []string) ([]string, error) {
	var dirs []string
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(base, name)
		}
		info, err := os.Stat(name)
		if err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("not a directory")}
		}
		if err != nil {
			return nil, cmdutil.Usage(err)
		}
		dirs = append(dirs, filepath.Clean(name))
	}
	return dirs, nil
}

func (o *options) limits(l *protocol.Limits) error {
	switch {
	case o.maxSteps < 0:
		return cmdutil.Usagef("--max-steps %d: must not be negative", o.maxSteps)
	case !(o.maxCost >= 0) || math.IsInf(o.maxCost, 0):
		return cmdutil.Usagef("--max-cost %g: must be a number, 0 or more", o.maxCost)
	case o.maxTime < 0:
		return cmdutil.Usagef("--max-turn-time %s: must not be negative", o.maxTime)
	}
	if o.given("max-steps") {
		l.Steps = &o.maxSteps
	}
	if o.given("max-cost") {
		l.Cost = &o.maxCost
	}
	if o.given("max-turn-time") {
		l.Time = &o.maxTime
	}
	return nil
}
