package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"reasonix/core/tool"
)

const killSchema = `{"properties":{"job_id":{"type":"string"}},"required":["job_id"],"type":"object"}`

// killShell ends a job. The zero value describes; Bind returns the one that runs.
type killShell struct{ jobs *jobs }

func (killShell) Name() string            { return "kill_shell" }
func (killShell) Description() string     { return "End a background job." }
func (killShell) Schema() json.RawMessage { return json.RawMessage(killSchema) }
func (killShell) ReadOnly() bool          { return false }

func (killShell) Bind(env tool.Env) (tool.Tool, error) {
	js, err := sharedJobs(env)
	if err != nil {
		return nil, err
	}
	return killShell{jobs: js}, nil
}

// Subject names the job and what it runs.
func (t killShell) Subject(raw json.RawMessage) tool.Subject {
	title := "Kill " + jobNames(raw, "a background job")
	if t.jobs != nil {
		if j, err := t.jobs.find(idsOf(raw)[0]); err == nil {
			title += ": " + j.title
		}
	}
	return tool.Subject{Title: title, Kind: "other"}
}

// Execute returns when the job is over, at most two seconds later.
func (t killShell) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if t.jobs == nil {
		return "", tool.ErrUnbound
	}
	var args struct {
		Job string `json:"job_id"`
	}
	if err := tool.Decode(raw, json.RawMessage(killSchema), &args); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	j, err := t.jobs.find(args.Job)
	if err != nil {
		return "", err
	}
	if j.over() {
		return fmt.Sprintf("%s was over already: %s", j.id, j.status()), nil
	}
	j.watch()
	j.stop(errKilled)
	select {
	case <-j.done:
	case <-ctx.Done():
		if !j.leave() {
			return "", context.Cause(ctx)
		}
	}
	return fmt.Sprintf("%s: %s", j.id, j.status()), nil
}

// idsOf are the job ids of a call's arguments, at least one, which may be "".
func idsOf(raw json.RawMessage) []string {
	var args struct {
		Job  string   `json:"job_id"`
		Jobs []string `json:"job_ids"`
	}
	_ = json.Unmarshal(raw, &args) // a call that cannot be decoded is refused later
	if len(args.Jobs) > 0 {
		return args.Jobs
	}
	return []string{args.Job}
}

// jobNames is a call's job ids on one line, or other when it names none.
func jobNames(raw json.RawMessage, other string) string {
	names := strings.Join(strings.Fields(clean(strings.Join(idsOf(raw), ", "))), " ")
	if names == "" {
		return other
	}
	if runes := []rune(names); len(runes) > maxTitle {
		names = string(runes[:maxTitle-1]) + "…"
	}
	return names
}
