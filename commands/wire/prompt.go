package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"time"

	"reasonix/core/config"
	"reasonix/core/engine"
	"reasonix/core/environment"
	"reasonix/core/event"
	"reasonix/core/instruction"
	"reasonix/core/prompt"
)

// prefix is what the system text of a session is made from.
type prefix struct {
	cfg         *config.Config
	home        home
	environ     []string
	workspace   string
	interpreter string
	skills      string // the list of them, where a tool can load them
	today       time.Time
}

// prompt adds the system text, with the list of skills where a tool can load them, and
// what the host says beside what is typed.
func (w builder) prompt(ctx context.Context, o *engine.Organs, c choice, b bench, s engine.Services, x *extensions) error {
	p := w.prefix(c, b)
	if _, ok := o.Tools.Get("run_skill"); ok {
		p.skills = x.Index()
	}
	text, notices, err := p.text(ctx)
	o.System, o.Notices = text, append(o.Notices, notices...)
	o.Prepare = append(o.Prepare, w.preparing(c, s, text)...)
	return err
}

func (w builder) prefix(c choice, b bench) prefix {
	return prefix{cfg: c.cfg, home: home(w.Home), environ: w.Environ, workspace: c.spec.Workspace, interpreter: b.interpreter, today: w.Now()}
}

// text is the system text. The notices are about instructions that it lacks.
func (p prefix) text(ctx context.Context) (string, []event.Notice, error) {
	own, err := p.cfg.Agent.Prompt()
	if err != nil {
		return "", nil, &ConfigError{err}
	}
	parts := prompt.Parts{
		Prompt: own, ReasoningLanguage: p.cfg.Agent.ReasoningLanguage,
		Dir: filepath.ToSlash(p.workspace), Date: p.today, Skills: p.skills,
	}
	found := instruction.Load(instruction.Options{Home: string(p.home), Dir: p.workspace})
	parts.Instructions = found.Files
	var notices []event.Notice
	for _, n := range found.Notes {
		notices = append(notices, event.Notice{Level: event.LevelWarning, Code: "instruction_" + n.Code, Args: []string{n.Path}, Text: n.Text})
	}
	if p.cfg.Environment.Enabled {
		parts.Environment = p.probe(ctx).Text()
	}
	return prompt.System(parts), notices, nil
}

// preparing is what a prompt is given of the host's own accord: what changed since the
// stored system text was made, which a resumed session keeps, and facts.
func (w builder) preparing(c choice, s engine.Services, system string) []engine.Prepare {
	var all []engine.Prepare
	if s.Stored != nil {
		all = append(all, sayChanges(prompt.Changed(s.Stored.System, system), s.Told))
	}
	return append(all, sayFacts(factsOf(w.Home, c.spec.Workspace, c.cfg, w.Now), s))
}

// probe looks at the machine.
func (p prefix) probe(ctx context.Context) environment.Report {
	return environment.Probe(ctx, p.programs())
}

// programs says what to look for. Programs that a project names are listed and never
// run.
func (p prefix) programs() environment.Options {
	o := environment.Options{
		Home: string(p.home), Environ: p.environ, Shell: p.interpreter, Workspace: p.workspace,
		Tools: map[string]string{}, ProjectTools: map[string]string{},
	}
	for name, path := range p.cfg.Environment.Tools {
		if p.cfg.Origin(config.JoinPath([]string{"environment", "tools", name})).Layer == config.LayerProject {
			o.ProjectTools[name] = path
		} else {
			o.Tools[name] = path
		}
	}
	return o
}

const (
	sourceChanged = "changed"
	backAsItWas   = "[host] Instructions, environment and date are again as they were stated at the beginning."
)

// sayChanges adds to a prompt what is different from the stored system text,
// unless that is what the model was told last.
func sayChanges(note string, told func(kind string) []string) engine.Prepare {
	return func(_ context.Context, said *event.UserSaid) error {
		last := ""
		if refs := told(sourceChanged); len(refs) > 0 {
			last = refs[len(refs)-1]
		}
		if note == "" && last != "" {
			note = backAsItWas
		}
		ref := digest(note)
		if note == "" || ref == last {
			return nil
		}
		said.Message.Content += "\n\n" + note
		said.Sources = append(said.Sources, event.Source{Kind: sourceChanged, Ref: ref, Bytes: len(note)})
		return nil
	}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
