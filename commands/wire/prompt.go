package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"reasonix/core/config"
	"reasonix/core/durable"
	"reasonix/core/engine"
	"reasonix/core/environment"
	"reasonix/core/event"
	"reasonix/core/instruction"
	"reasonix/core/prompt"
	"reasonix/core/protocol"
)

// maxPromptFile is the largest agent.system_prompt_file, in bytes. What is longer
// fits no model.
const maxPromptFile = 4 << 20

// addPrompt assembles the system text of a new session, with the list of skills where
// a tool can load them. A resumed one keeps the
// stored bytes and is told in its first turn what changed since.
func (w World) addPrompt(ctx context.Context, cfg *config.Config, spec protocol.Spec, s engine.Services, interpreter, skills string, o *engine.Organs) error {
	parts := prompt.Parts{
		Prompt: cfg.Agent.SystemPrompt, ReasoningLanguage: cfg.Agent.ReasoningLanguage,
		Dir: filepath.ToSlash(spec.Workspace), Date: w.Now(),
	}
	if file := cfg.Agent.SystemPromptFile; file != "" {
		text, err := durable.ReadFile(file, maxPromptFile)
		if err != nil {
			return &ConfigError{fmt.Errorf("agent.system_prompt_file: %w", err)}
		}
		parts.Prompt = string(text)
	}
	found := instruction.Load(instruction.Options{Home: w.Home, Dir: spec.Workspace})
	parts.Instructions = found.Files
	for _, n := range found.Notes {
		o.Notices = append(o.Notices, event.Notice{Level: event.LevelWarning, Code: "instruction_" + n.Code, Args: []string{n.Path}, Text: n.Text})
	}
	if _, ok := o.Tools.Get("run_skill"); ok {
		parts.Skills = skills
	}
	if cfg.Environment.Enabled {
		parts.Environment = w.probe(ctx, cfg, spec.Workspace, interpreter).Text()
	}
	o.System = prompt.System(parts)
	if s.Stored != nil {
		o.Prepare = append(o.Prepare, sayChanges(prompt.Changed(s.Stored.System, o.System), s.Told))
	}
	o.Prepare = append(o.Prepare, w.sayFacts(cfg, spec.Workspace, s))
	return nil
}

// probe looks at the machine. Programs that a project names are listed and never
// run.
func (w World) probe(ctx context.Context, cfg *config.Config, workspace, interpreter string) environment.Report {
	o := environment.Options{
		Home: w.Home, Environ: w.Environ, Shell: interpreter, Workspace: workspace,
		Tools: map[string]string{}, ProjectTools: map[string]string{},
	}
	for name, path := range cfg.Environment.Tools {
		if cfg.Origin("environment.tools."+name).Layer == config.LayerProject {
			o.ProjectTools[name] = path
		} else {
			o.Tools[name] = path
		}
	}
	return environment.Probe(ctx, o)
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
