// Package skill holds run_skill, by which the model loads a skill: the text that
// says how a kind of task is done. Which skills there are, and what the model is
// told of them from the start, is the business of the tool.SkillSource in its
// surroundings; description and schema are the same in every session, so that
// skills come and go without a change of the tools.
//
// The tool hands out text and runs nothing. It registers itself; the composition
// root leaves it out of a session without skills.
package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/core/tool"
)

func init() { tool.RegisterBuiltin(run{}) }

// Name is the tool's name: the composition root leaves it out of a session without
// skills.
const Name = "run_skill"

const schema = `{"properties":{"arguments":{"type":"string"},"name":{"type":"string"}},"required":["name"],"type":"object"}`

// defaultCap is how many bytes of a skill the model sees at once when
// tool.Settings.OutputCap is not set.
const defaultCap = 2 * 16000

// run is run_skill. The zero value describes; Bind returns the one that runs.
type run struct {
	skills tool.SkillSource
	bound  bool
	cap    int // bytes of a result
}

func (run) Name() string { return Name }

func (run) Description() string {
	return "Load a skill: instructions for a kind of task, and where its files are. Then follow them."
}
func (run) Schema() json.RawMessage { return json.RawMessage(schema) }
func (run) ReadOnly() bool          { return true }

func (run) Bind(env tool.Env) (tool.Tool, error) {
	r := run{skills: env.Skills, bound: true, cap: defaultCap}
	if env.Settings.OutputCap > 0 {
		r.cap = 2 * env.Settings.OutputCap
	}
	return r, nil
}

type arguments struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Subject names the skill.
func (run) Subject(raw json.RawMessage) tool.Subject {
	var in arguments
	_ = json.Unmarshal(raw, &in) // a call that cannot be decoded is refused later
	return tool.Subject{Title: "Skill " + oneLine(in.Name), Kind: "read"}
}

// Execute returns what the skill says.
func (t run) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if !t.bound {
		return "", tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var in arguments
	if err := tool.Decode(raw, json.RawMessage(schema), &in); err != nil {
		return "", err
	}
	if t.skills == nil {
		return "", fmt.Errorf("there is no skill %q: this session has none", oneLine(in.Name))
	}
	text, err := t.skills.Run(in.Name, in.Arguments)
	if err != nil {
		return "", err
	}
	return t.shown(text), nil
}

// shown is text, or whole lines from its beginning when it is too long.
func (t run) shown(text string) string {
	if len(text) <= t.cap {
		return text
	}
	head := text[:t.cap]
	if at := strings.LastIndexByte(head, '\n'); at > 0 {
		head = head[:at+1]
	}
	head = strings.ToValidUTF8(head, "")
	return fmt.Sprintf("%s\n[%d bytes are left out here; read the rest in the file named above]\n", head, len(text)-len(head))
}

const maxTitle = 80

// oneLine is a name as a title shows it.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if utf8.RuneCountInString(text) > maxTitle {
		text = string([]rune(text)[:maxTitle-1]) + "…"
	}
	return text
}
