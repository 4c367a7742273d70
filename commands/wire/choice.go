package wire

import (
	"cmp"
	"errors"
	"slices"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
)

// choice is what a session is to be: what its configuration, whoever opens it and what
// it was before come to. Nothing is open yet.
type choice struct {
	cfg    *config.Config
	spec   protocol.Spec // with what it left open
	kept   string        // the workspace that the store keeps the session for
	limits event.Limits
	mode   string // of work
	models *models
	// notices are what is odd about it.
	notices []event.Notice
}

// choose reads the configuration and takes from it, from the wishes of who opens the
// session and from what the session had, what it is about.
func (w builder) choose(spec protocol.Spec, s engine.Services) (choice, error) {
	if err := checkRules(w.Flags); err != nil {
		return choice{}, err
	}
	cfg, err := w.load(spec.Workspace)
	if err != nil {
		return choice{}, err
	}
	warnOf(cfg, w.Warn)
	c := choice{cfg: cfg, kept: spec.Workspace}
	named, limited := spec.Model, spec.Limits.Cost != nil
	spec.Workspace = cmp.Or(cfg.Sandbox.WorkspaceRoot, spec.Workspace)
	c.spec = inherit(spec, s.Before)
	c.mode, c.limits = cmp.Or(c.spec.WorkMode, cfg.Agent.WorkMode), spec.Limits.Over(s.Before.Limits)
	ends := endpoints{cfg: cfg, http: w.HTTP, blob: s.Load}
	first, err := ends.choose(c.spec.Model, c.spec.Effort, s.Before)
	switch unusable := (*ConfigError)(nil); {
	case err == nil:
		err = c.keepable(first, limited)
	case w.Modelless && errors.As(err, &unusable):
		first, err = without(cfg, c.spec.Model, named != "", err)
	}
	c.models = newModels(ends, first)
	return c, err
}

// keepable refuses a cost limit that nobody could keep. One that the session had and that
// cannot be kept with the model it has now is given up, which is told.
func (c *choice) keepable(m model, wished bool) error {
	err := m.checkCost(&c.limits)
	if err == nil || wished {
		return err
	}
	c.limits.Cost = nil
	c.notices = append(c.notices, event.Notice{
		Level: event.LevelWarning, Code: "cost_limit_lost", Args: []string{m.Ref},
		Text: "the cost limit of this session counts no more: the price of " + m.Ref + " is not known",
	})
	return nil
}

// inherit fills what the user left open with what the session had. The posture is kept only where somebody can be asked: a headless resume falls
// back to the configured one.
func inherit(spec protocol.Spec, before event.Configured) protocol.Spec {
	spec.Model = cmp.Or(spec.Model, before.Model)
	spec.WorkMode = cmp.Or(spec.WorkMode, before.WorkMode)
	if spec.Interactive {
		spec.Approval = cmp.Or(spec.Approval, before.Approval)
	}
	return spec
}

// configured is what the session begins with.
func (c choice) configured(posture permission.Posture, by string) event.Configured {
	m := c.models.first
	return event.Configured{
		Model: m.Ref, Effort: m.Effort, WorkMode: c.mode, Approval: string(posture), Mode: event.ModeNormal, By: by, Limits: c.limits,
	}
}

func configuredBy(spec protocol.Spec) string {
	if spec.Model != "" || spec.Effort != "" || spec.Approval != "" {
		return "flag"
	}
	return "config"
}

// warnOf tells what is odd about a configuration; tell may be nil.
func warnOf(cfg *config.Config, tell func(string)) {
	if tell == nil {
		return
	}
	for _, warning := range slices.Concat(cfg.Warnings, UnknownTools(cfg)) {
		tell(warning.String())
	}
}

// checkRules tells a rule that was mistyped as a flag from one in a file.
func checkRules(flags map[string]any) error {
	for _, key := range []string{"permissions.allow", "permissions.deny"} {
		rules, _ := flags[key].([]string)
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
