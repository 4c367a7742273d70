package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"

	"reasonix/core/durable"
	"reasonix/core/tool"
)

const outputSchema = `{"properties":{` +
	`"filter":{"type":"string"},"job_id":{"type":"string"}},"type":"object"}`

// bashOutput shows what a job wrote since it was asked last. The zero value
// describes; Bind returns the one that runs.
type bashOutput struct {
	env  tool.Env
	jobs *jobs
}

func (bashOutput) Name() string            { return "bash_output" }
func (bashOutput) Schema() json.RawMessage { return json.RawMessage(outputSchema) }
func (bashOutput) ReadOnly() bool          { return true }
func (bashOutput) Description() string {
	return "New output of a background job, or the list of jobs."
}

func (bashOutput) Bind(env tool.Env) (tool.Tool, error) {
	js, err := sharedJobs(env)
	if err != nil {
		return nil, err
	}
	return bashOutput{env: env, jobs: js}, nil
}

// Subject names the job.
func (bashOutput) Subject(raw json.RawMessage) tool.Subject {
	return tool.Subject{Title: "Output of " + jobNames(raw, "background jobs"), Kind: "read"}
}

func (t bashOutput) Execute(ctx context.Context, raw json.RawMessage) (string, error) {
	if t.jobs == nil {
		return "", tool.ErrUnbound
	}
	var args struct {
		Job    string `json:"job_id"`
		Filter string `json:"filter"`
	}
	if err := tool.Decode(raw, json.RawMessage(outputSchema), &args); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if args.Job == "" {
		return list(t.jobs.known()), nil
	}
	j, err := t.jobs.find(args.Job)
	if err != nil {
		return "", err
	}
	var filter *regexp.Regexp
	if args.Filter != "" {
		if filter, err = regexp.Compile(args.Filter); err != nil {
			return "", fmt.Errorf("filter: %w", err)
		}
	}
	changed := others(t.env.Run)
	text, err := j.news(ctx, filter, newExcerpt(t.env.Settings))
	return remarks(changed) + text, err
}

// reading is how far a job's output was read.
type reading struct {
	mu    sync.Mutex
	at    int64 // bytes of the file
	clean cleaner
}

// news is the text since the last call of news, as an excerpt, and the status.
// With a filter it is the lines that match; the others count as read too.
func (j *job) news(ctx context.Context, filter *regexp.Regexp, text excerpt) (string, error) {
	j.read.mu.Lock()
	defer j.read.mu.Unlock()
	over := j.over() // first: what is over writes no more
	size, lost := j.out.kept()
	sieve := sieve{filter: filter, text: &text}
	next := j.read.clean.fork(sieve.add)
	if err := copyRange(ctx, j.path, j.read.at, size, next); err != nil {
		return "", err
	}
	if over {
		next.end()
	}
	j.read.at, j.read.clean = size, *next

	notes := sieve.notes(j.path)
	if line := next.line; len(line) > 0 && (filter == nil || filter.Match(line)) {
		notes = append(notes, "unfinished line: "+string(cutStart(bytes.Clone(line), maxTail)))
	} else if text.text == 0 && sieve.hidden == 0 {
		notes = append(notes, "no new output")
	}
	if lost != "" {
		notes = append(notes, lost)
	}
	if over {
		notes = append(notes, undone(j.exit, "job")...)
	}
	notes = append(notes, "status: "+j.status())
	return text.show(remarks(notes), func(left int64) string {
		return fmt.Sprintf("[... %d bytes left out here; all output: %s]", left, slashed(j.path))
	}), nil
}

// kept is how much output the file has, and what is wrong with the rest.
func (o *output) kept() (size int64, lost string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.spool.err != nil:
		lost = "not all output could be kept: " + o.spool.err.Error()
	case o.spool.cut:
		lost = fmt.Sprintf("output after the first %d bytes was not kept", o.spool.size)
	}
	return o.spool.size, lost
}

// copyRange cleans a part of a file.
func copyRange(ctx context.Context, path string, from, to int64, c *cleaner) error {
	if from >= to {
		return nil
	}
	f, err := durable.Open(path)
	if err != nil {
		return fmt.Errorf("read output: %w", err)
	}
	defer f.Close()
	part := io.NewSectionReader(f, from, to-from)
	buf := make([]byte, 64<<10)
	for {
		n, err := part.Read(buf)
		c.write(buf[:n])
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read output: %w", err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

// sieve passes the lines that match on to an excerpt.
type sieve struct {
	filter *regexp.Regexp // nil: all
	text   *excerpt
	hidden int64 // lines
}

func (s *sieve) add(p []byte) {
	if s.filter == nil {
		s.text.add(p)
		return
	}
	for line := range bytes.Lines(p) {
		if s.filter.Match(bytes.TrimSuffix(line, []byte("\n"))) {
			s.text.add(line)
		} else {
			s.hidden++
		}
	}
}

func (s *sieve) notes(path string) []string {
	if s.hidden == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d new lines do not match; all output: %s", s.hidden, slashed(path))}
}
