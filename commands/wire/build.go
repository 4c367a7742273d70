package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/tool"
	"reasonix/core/tool/shell"
	"reasonix/core/workspace"
	"reasonix/integrations/mcp"
	"reasonix/sandbox"
)

// build assembles one session's organs.
func (w World) build(ctx context.Context, spec protocol.Spec, s engine.Services) (o engine.Organs, err error) {
	b, err := w.choose(spec, s)
	if err != nil {
		return engine.Organs{}, err
	}
	b.workspace = spec.Workspace
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	b.places = w.places(b.cfg, b.spec.Workspace, b.spec.AddDirs, s.Session)
	files, kept, err := w.watched(b.places.Roots(b.spec.Workspace), overlay(b.spec), filepath.Join(w.checkpointDir(spec.Workspace), string(s.Session)))
	if err != nil {
		return engine.Organs{}, &UsageError{err}
	}
	b.checkpoints = kept
	b.ends(kept.store.Close)
	env, done, err := w.environment(b.cfg, files, b.spec, s)
	if err != nil {
		return engine.Organs{}, errors.Join(err, files.Close())
	}
	b.env = env
	b.ends(done)
	return b.organs(ctx)
}

// ends adds something to be ended with the session, before what was added so far.
func (b *assembly) ends(end func() error) { b.ending = append(b.ending, end) }

// close ends everything, the last begun first.
func (b *assembly) close() error {
	var errs []error
	for _, end := range slices.Backward(b.ending) {
		errs = append(errs, end())
	}
	b.ending = nil
	return errors.Join(errs...)
}

// assembly is what the organs of one session are made from.
type assembly struct {
	World
	cfg         *config.Config
	spec        protocol.Spec
	services    engine.Services
	model       model
	limits      event.Limits
	mode        string // of work
	places      workspace.Places
	env         tool.Env
	checkpoints checkpoints
	ending      []func() error // what close does, in reverse
	interpreter string
	workspace   string // as the store knows it
	toolsets    *toolsets
	extensions  *extensions
	servers     *mcp.Set
	declared    *declared
	hooks       *hooks
	work        *background
	unconfined  sandbox.Runner         // runs what the user declared with the user's rights
	now         *atomic.Pointer[model] // that of the session's configuration; model is what it began with
}

// choose reads the configuration and takes from it, from the wishes of who opens the
// session and from what the session had, what it is about. It opens nothing.
func (w World) choose(spec protocol.Spec, s engine.Services) (*assembly, error) {
	if err := w.checkRules(); err != nil {
		return nil, err
	}
	cfg, err := w.load(spec.Workspace)
	if err != nil {
		return nil, err
	}
	w.warn(cfg)
	spec.Workspace = cmp.Or(cfg.Sandbox.WorkspaceRoot, spec.Workspace)
	named := spec.Model
	spec = inherit(spec, s.Before)
	b := &assembly{World: w, cfg: cfg, spec: spec, services: s, limits: spec.Limits, mode: cmp.Or(spec.WorkMode, cfg.Agent.WorkMode)}
	b.model, err = w.chooseModel(cfg, spec, s)
	switch unusable := (*ConfigError)(nil); {
	case err == nil:
		err = b.model.checkCost(&b.limits)
	case w.Modelless && errors.As(err, &unusable):
		b.model, err = without(cfg, spec.Model, named != "", err)
	}
	b.now = &atomic.Pointer[model]{}
	b.now.Store(&b.model)
	return b, err
}

// organs puts together what the session consists of.
func (b *assembly) organs(ctx context.Context) (engine.Organs, error) {
	var err error
	if b.interpreter, err = shell.Interpreter(b.env.Settings); err != nil {
		return engine.Organs{}, &ConfigError{err}
	}
	o := engine.Organs{
		Roots: b.env.Files.Writable()[1:], Notices: slices.Concat(unsandboxed(b.cfg), foreignEndpoint(b.cfg, b.model.Model)),
		Files:      engine.Files{Checkpoints: b.checkpoints, Lease: b.lease(b.spec.Workspace)},
		Extensions: engine.Extensions{Refresh: b.refresh, Server: b.serveServer, Trust: b.serveTrust},
		Choices:    engine.Choices{AddDirs: b.addDirs, Reconfigure: b.reconfigure, Offered: b.follow},
	}
	b.addExtensions(ctx, &o)
	if err := b.addRules(&o); err != nil {
		return engine.Organs{}, err
	}
	if err := b.addTools(&o); err != nil {
		return engine.Organs{}, err
	}
	o.Configured = event.Configured{
		Model: b.model.Ref, Effort: b.model.Effort, WorkMode: b.mode, Approval: string(o.Posture), Mode: "normal",
		By: configuredBy(b.spec), Limits: b.limits,
	}
	o.Runner = b.runnerOf(o.Tools)
	b.addPlanner(&o)
	b.addGuardian(&o)
	if err := b.addPrompt(ctx, b.cfg, b.spec, b.services, b.interpreter, b.extensions.Index(), &o); err != nil {
		return engine.Organs{}, err
	}
	forget := b.live.add(b)
	b.ends(func() error { forget(); return nil })
	o.Close = b.close
	return o, b.tellUntrusted()
}

// addExtensions adds what people put beside the configuration, and starts what runs by
// itself.
func (b *assembly) addExtensions(ctx context.Context, o *engine.Organs) {
	b.unconfined = sandbox.NewOff()
	b.ends(b.unconfined.Close)
	notices := b.startServers(ctx)
	b.ends(b.servers.Close)
	b.work = &background{}
	b.ends(func() error { b.work.close(); return nil })
	notices = append(notices, b.extend()...)
	o.Notices = slices.Concat(o.Notices, notices)
	o.Command, o.Reload = b.extensions.command, b.extensions.reload
	o.Prepare = append(o.Prepare, b.sayReferences)
	b.addHooks()
	o.Hooks = b.hooks
}

// addRules adds what decides calls and what holds them.
func (b *assembly) addRules(o *engine.Organs) error {
	var err error
	if o.Policy, err = b.policy(b.cfg, b.spec.Workspace, isPowerShell(b.interpreter)); err != nil {
		return err
	}
	o.Policy.Places, o.Policy.FoldCase = judgedBy(b.places), b.env.Files.FoldsCase()
	if b.servers != nil {
		o.Policy.Remote = b.remote
	}
	if o.Posture, err = permission.ParsePosture(cmp.Or(b.spec.Approval, b.cfg.Permissions.Posture)); err != nil {
		return &ConfigError{err}
	}
	if o.Unasked, err = permission.ParseDecision(b.cfg.Permissions.Headless); err != nil {
		return &ConfigError{err}
	}
	o.Sandbox = heldBy(b.env)
	o.Keep = b.keep(filepath.Dir(b.cfg.ProjectFile), b.env.Run)
	return nil
}

// addTools adds what the model can call.
func (b *assembly) addTools(o *engine.Organs) error {
	b.env.Settings.FetchAllow = o.Policy.FetchHosts()
	b.toolsets = &toolsets{extra: b.serverTools(), also: b.serverTool}
	var err error
	o.Tools, err = b.tools()
	return err
}

// shortestSecret is how long a value must be to be taken out of what tools
// return: the "keys" of local servers are words like "none".
const shortestSecret = 12

// redactor replaces the configured keys wherever a tool comes across one; nil
// when there is none.
func redactor(secrets []string) func(string) string {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			pairs = append(pairs, s, "[redacted]")
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return strings.NewReplacer(pairs...).Replace
}

func longest(list []string) int {
	n := 0
	for _, s := range list {
		n = max(n, len(s))
	}
	return n
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

// inherit fills what the user left open with what the session had. The posture is
// kept only where somebody can be asked: a headless resume falls back to the
// configured one.
func inherit(spec protocol.Spec, before event.Configured) protocol.Spec {
	spec.Model = cmp.Or(spec.Model, before.Model)
	spec.WorkMode = cmp.Or(spec.WorkMode, before.WorkMode)
	if spec.Interactive {
		spec.Approval = cmp.Or(spec.Approval, before.Approval)
	}
	return spec
}

func configuredBy(spec protocol.Spec) string {
	if spec.Model != "" || spec.Effort != "" || spec.Approval != "" {
		return "flag"
	}
	return "config"
}

func (w World) warn(cfg *config.Config) {
	if w.Warn == nil {
		return
	}
	for _, warning := range slices.Concat(cfg.Warnings, UnknownTools(cfg)) {
		w.Warn(warning.String())
	}
}

// checkRules tells a rule that was mistyped as a flag from one in a file.
func (w World) checkRules() error {
	for _, key := range []string{"permissions.allow", "permissions.deny"} {
		rules, _ := w.Flags[key].([]string)
		if _, err := permission.ParseRules(key, rules); err != nil {
			return &UsageError{err}
		}
		for _, rule := range rules {
			if err := checkTool(rule); err != nil {
				return &UsageError{err}
			}
		}
	}
	return nil
}

// overlay is the editor that lends its buffers; nil: none does.
func overlay(spec protocol.Spec) workspace.Overlay {
	if spec.Files == nil {
		return nil
	}
	return spec.Files
}

// environment is what the session's tools work with, and what ends it.
func (w World) environment(cfg *config.Config, files *workspace.FS, spec protocol.Spec, s engine.Services) (tool.Env, func() error, error) {
	temp := w.temp(s.Session)
	directory, err := openTemporary(filepath.Dir(temp), filepath.Base(temp))
	if err != nil {
		return tool.Env{}, nil, &ConfigError{fmt.Errorf("%w: reasonix keeps its sessions in %s (REASONIX_HOME), which must be a directory that can be written", err, w.Home)}
	}
	restore(files, s.Seen)
	w.reopen(files, s.AllowWrite)
	run := w.runner(cfg)
	files.Owning(func(paths []string, write func() error) error { return sandbox.Own(run, paths, write) })
	env := tool.NewEnv(tool.Env{
		Files: files, Run: run, Terminal: spec.Terminal, Open: s.Open, Ask: s.Ask, Note: s.Emit, Todos: s.Todos, Jobs: s.Jobs, Dir: filepath.FromSlash(s.Dir), HTTP: http.DefaultClient, Now: w.Now,
		Settings: w.sessionSettings(cfg, spec.Workspace, temp, s.Session),
	})
	return env, func() error { return errors.Join(env.Close(), env.Run.Close(), env.Files.Close(), directory.Close()) }, nil
}

// sessionSettings are settings with where the session's memory is.
func (w World) sessionSettings(cfg *config.Config, workspace, temp string, id event.SessionID) tool.Settings {
	s := w.settings(cfg, temp, id)
	s.MemoryDirs = tool.MemoryDirs(MemoryDirs(w.Home, workspace))
	s.HistoryDirs = historyDirs(w.Home, workspace)
	s.Secrets = cfg.SecretValues()
	return s
}

// settings are the configured limits of tools. A command's environment holds no
// key of the configuration.
func (w World) settings(cfg *config.Config, temp string, id event.SessionID) tool.Settings {
	return tool.Settings{
		Shell: cfg.Tools.Shell.Prefer, ShellPath: cfg.Tools.Shell.Path,
		BashTimeout: time.Duration(cfg.Tools.BashTimeoutSeconds) * time.Second,
		Environ:     withTemp(cfg.Scrub(w.Environ), temp), Caches: sandbox.Caches(w.Environ), Temp: temp, SessionID: string(id), Network: cfg.Sandbox.Network,
	}
}

// userHome is the user's home directory, for rules that begin with "~/". Without a
// variable it is the one that shells expand "~" to; empty when nobody knows.
func userHome(environ []string) string {
	if home := variable(environ, "HOME"); home != "" {
		return home
	}
	if home := variable(environ, "USERPROFILE"); home != "" {
		return home
	}
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}

// withTemp names the session's temporary directory to programs, in place of the
// system's, which a confined command cannot write.
func withTemp(environ []string, temp string) []string {
	if temp == "" {
		return environ
	}
	var all []string
	for _, e := range environ {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "TMPDIR", "TMP", "TEMP":
		default:
			all = append(all, e)
		}
	}
	return append(all, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
}
