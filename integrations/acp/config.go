package acp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/i18n"
	"reasonix/core/protocol"
	"reasonix/core/view"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// Configuration options of a session.
const (
	optionModel    = "model"
	optionEffort   = "effort"
	optionWorkMode = "work_mode"
	optionApproval = "tool_approval"
)

// effortAuto stands for the model's own effort, which has no name.
const effortAuto = "auto"

func effortName(effort string) string {
	if effort == "" {
		return effortAuto
	}
	return effort
}

// meant is the value of an option that a client means: some have other words. Elsewhere
// the effort that is the model's own is called its default.
func meant(id, value string) string {
	switch id + " " + value {
	case optionEffort + " default":
		return effortAuto
	case optionApproval + " read-only":
		return "ask"
	case optionApproval + " workspace-write":
		return "auto"
	case optionApproval + " danger-full-access":
		return "yolo"
	}
	return value
}

// choice is one option with its values and what counts of them.
type choice struct {
	id, category string
	values       []string
	acpwire.Setting
}

// choices are the options of a session; one without values is none.
func choices(v view.State) []choice {
	model, effort, workMode, approval, _ := settings(v)
	all := []choice{
		{optionModel, "model", v.Offered.Models, model},
		{optionEffort, "thought_level", efforts(v.Offered.Efforts), effort},
		{optionWorkMode, "work_mode", v.Offered.WorkModes, workMode},
		{optionApproval, "tool_approval", v.Offered.Approvals, approval},
	}
	return slices.DeleteFunc(all, func(c choice) bool { return len(c.values) == 0 })
}

func efforts(named []string) []string {
	if len(named) == 0 || slices.Contains(named, effortAuto) {
		return named
	}
	return append([]string{effortAuto}, named...)
}

// configOptions are what can be chosen in the session, nil: nothing, and what was chosen
// and counts from the next turn on, nil: nothing.
func configOptions(lang string, v view.State) (options []acpwire.ConfigOption, queued map[string]any) {
	for _, c := range choices(v) {
		o := acpwire.ConfigOption{
			Type: "select", ID: c.id, Name: i18n.T(lang, "acp.option."+c.id), Description: i18n.T(lang, "acp.help."+c.id), Category: c.category,
			Current: c.Effective, Options: []acpwire.ConfigChoice{},
		}
		if !slices.Contains(c.values, c.Effective) { // what is offered changed under the session
			c.values = append(slices.Clip(c.values), c.Effective)
		}
		for _, v := range c.values {
			o.Options = append(o.Options, acpwire.ConfigChoice{Value: v, Name: valueName(lang, c.id, v), Description: valueHelp(lang, c.id, v)})
		}
		if c.Queued != nil {
			if queued == nil {
				queued = map[string]any{}
			}
			queued[c.id] = *c.Queued
			o.Meta = ours(map[string]any{"queued": *c.Queued})
		}
		options = append(options, o)
	}
	return options, queued
}

// queuedMeta is where the protocol has room for what waits for the next turn.
func queuedMeta(queued map[string]any) map[string]any {
	if queued == nil {
		return nil
	}
	return ours(map[string]any{"queued": queued})
}

// ours puts what the protocol has no word for where it wants it.
func ours(values map[string]any) map[string]any { return map[string]any{"reasonix.io": values} }

func valueName(lang, id, value string) string {
	if id == optionModel || value == "" {
		return value
	}
	if name, ok := i18n.Lookup(lang, "acp.value."+id+"."+value); ok {
		return name
	}
	return strings.ToUpper(value[:1]) + value[1:]
}

func valueHelp(lang, id, value string) string {
	help, _ := i18n.Lookup(lang, "acp.help."+id+"."+value)
	return help
}

// modes are the session's, as older and newer clients know them.
func (s *session) modes() *acpwire.Modes {
	v := s.status.now()
	m := acpwire.Modes{Current: v.Configured.Mode}
	if m.Current == "" {
		m.Current = event.ModeNormal
	}
	offered := v.Offered.Modes
	if len(offered) == 0 {
		offered = []string{event.ModeNormal}
	}
	for _, id := range offered {
		one := acpwire.ModeChoice{ID: id, Name: valueName(s.lang, "mode", id), Description: valueHelp(s.lang, "mode", id)}
		m.Available = append(m.Available, one)
	}
	return &m
}

// models are what clients of before version 1 was stable choose from.
func (s *session) models() *acpwire.Models {
	v := s.status.now()
	if len(v.Offered.Models) == 0 {
		return nil
	}
	m := acpwire.Models{Current: v.Configured.Model}
	for _, ref := range v.Offered.Models {
		provider, _, _ := strings.Cut(ref, "/")
		m.Available = append(m.Available, acpwire.Model{ID: ref, Name: ref, Description: provider})
	}
	return &m
}

// setOption serves session/set_config_option: it is answered when the session has told
// of the change, with every option.
func (s *server) setOption(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.SetConfigOption
	if err := req.Bind(&p); err != nil {
		return err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return err
	}
	return s.unready(ses.choose(ctx, req, p.ConfigID, p.Value, func() any {
		options, queued := configOptions(ses.lang, ses.status.now())
		if options == nil {
			options = []acpwire.ConfigOption{}
		}
		return acpwire.ConfigOptions{ConfigOptions: options, Meta: queuedMeta(queued)}
	}))
}

// setModel serves session/set_model, which current clients have no use for.
func (s *server) setModel(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.SetModel
	if err := req.Bind(&p); err != nil {
		return err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return err
	}
	return s.unready(ses.choose(ctx, req, optionModel, p.ModelID, nothing))
}

func nothing() any { return nil }

// setMode serves session/set_mode. Clients that know no tool_approval send default or
// auto for the postures ask and auto.
func (s *server) setMode(ctx context.Context, req *jsonrpc.Request) error {
	var p acpwire.SetMode
	if err := req.Bind(&p); err != nil {
		return err
	}
	ses, err := s.find(req.Method, p.SessionID)
	if err != nil {
		return err
	}
	mode, op := p.ModeID, protocol.Configure{}
	switch mode {
	case "default", "auto":
		posture := map[string]string{"default": "ask", "auto": "auto"}[mode]
		mode, op.Approval = event.ModeNormal, &posture
	}
	var allowed []string
	for _, m := range ses.modes().Available {
		allowed = append(allowed, m.ID)
	}
	if !slices.Contains(allowed, mode) {
		return badOption(req.Method, "mode", p.ModeID, allowed)
	}
	op.Mode = &mode
	err = ses.configure(ctx, req, op, func(v view.State) bool {
		return v.Configured.Mode == mode && (op.Approval == nil || v.Configured.Approval == *op.Approval)
	}, nothing)
	return submitError(req.Method, err)
}

// choose changes one option.
func (s *session) choose(ctx context.Context, req *jsonrpc.Request, id, value string, result func() any) error {
	v := s.status.now()
	all := choices(v)
	i := slices.IndexFunc(all, func(c choice) bool { return c.id == id })
	if i < 0 {
		var ids []string
		for _, c := range all {
			ids = append(ids, c.id)
		}
		e := jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: configId: this session has no option %q", req.Method, id)
		e.Data = map[string]any{"field": "configId", "option": id, "value": value, "allowed": ids}
		return e
	}
	c, sent := all[i], value
	if !slices.Contains(c.values, value) {
		value = meant(id, value)
	}
	otherModel := v.Offered.Deferred != nil && v.Offered.Deferred.Model != v.Configured.Model
	if !slices.Contains(c.values, value) && !(id == optionEffort && otherModel) { // its efforts are not offered yet
		return badOption(req.Method, id, sent, c.values)
	}
	op, is := change(id, value)
	err := s.configure(ctx, req, op, is, result)
	var bad *protocol.BadOp
	if errors.As(err, &bad) {
		others := slices.DeleteFunc(slices.Clone(c.values), func(v string) bool { return v == value })
		e := badOption(req.Method, id, sent, others)
		e.Message += ": " + bad.Reason
		var coded interface{ ExitCode() int }
		if errors.As(err, &coded) && coded.ExitCode() == exitConfig {
			e.Code = codeAuthRequired
		}
		return e
	}
	return submitError(req.Method, err)
}

// change is the op that gives an option a value, and how to tell that it counts or
// waits for the next turn.
func change(id, value string) (op protocol.Configure, is func(view.State) bool) {
	has := func(of func(event.Configured) string) func(view.State) bool {
		return func(v view.State) bool {
			if d := v.Offered.Deferred; d != nil {
				return of(*d) == value
			}
			return of(v.Configured) == value
		}
	}
	switch id {
	case optionModel:
		return protocol.Configure{Model: &value}, has(func(c event.Configured) string { return c.Model })
	case optionEffort:
		effort := value
		if effort == effortAuto {
			effort = ""
		}
		return protocol.Configure{Effort: &effort}, has(func(c event.Configured) string { return effortName(c.Effort) })
	case optionWorkMode:
		return protocol.Configure{WorkMode: &value}, has(func(c event.Configured) string { return c.WorkMode })
	}
	return protocol.Configure{Approval: &value}, func(v view.State) bool { return v.Configured.Approval == value }
}

// badOption refuses a value and says which there are.
func badOption(method, option, value string, allowed []string) *jsonrpc.Error {
	e := jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: %s cannot be %q", method, option, value)
	if allowed == nil {
		allowed = []string{}
	}
	e.Data = map[string]any{"option": option, "value": value, "allowed": allowed}
	return e
}
