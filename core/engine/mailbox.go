package engine

import (
	"fmt"
	"sync"

	"reasonix/core/event"
	"reasonix/core/protocol"
)

// sourceJob is the kind of a user message that tells of a job's end.
const sourceJob = "job"

// mailbox is what waits for the model's next step: words of the user, jobs that
// ended, and the wish that the conversation be compacted. Safe for concurrent use.
type mailbox struct {
	mu     sync.Mutex
	steers []event.PromptQueued
	jobs   []event.JobEnded
	fold   *protocol.Compact
}

func (m *mailbox) steer(said ...event.PromptQueued) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steers = append(m.steers, said...)
}

// follow takes in what was recorded.
func (m *mailbox) follow(p event.Payload) {
	if j, ok := p.(event.JobEnded); ok && untold(j) {
		m.jobEnded(j)
	}
}

func (m *mailbox) jobEnded(j event.JobEnded) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = append(m.jobs, j)
}

// takeSteers empties the box of the user's words.
func (m *mailbox) takeSteers() []event.PromptQueued {
	m.mu.Lock()
	defer m.mu.Unlock()
	steers := m.steers
	m.steers = nil
	return steers
}

func (m *mailbox) takeJobs() []event.JobEnded {
	m.mu.Lock()
	defer m.mu.Unlock()
	jobs := m.jobs
	m.jobs = nil
	return jobs
}

func (m *mailbox) compact(op protocol.Compact) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fold = &op
}

func (m *mailbox) takeCompact() (focus string, asked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fold == nil {
		return "", false
	}
	focus = m.fold.Focus
	m.fold = nil
	return focus, true
}

func (j *journal) jobTitle(id event.JobID) (title string) {
	j.with(func(h *history) { title = h.jobs[id].Title })
	return title
}

// untold reports whether the model must still be told of a job's end: a failed
// one needs attention even when a result showed that it ended.
func untold(j event.JobEnded) bool { return !j.Told || j.Status == event.JobFailed }

// jobNote is what the model reads about a job that ended.
func jobNote(j event.JobEnded, title string) string {
	switch j.Status {
	case event.JobDone:
		return fmt.Sprintf("[host] background job %s is done: %s", j.Job, title)
	case event.JobInterrupted:
		return fmt.Sprintf("[host] background job %s ended when reasonix was stopped: %s", j.Job, title)
	case event.JobKilled:
		return fmt.Sprintf("[host] background job %s was killed: %s", j.Job, title)
	}
	exit := ""
	if j.Exit != nil {
		exit = fmt.Sprintf(", exit code %d", *j.Exit)
	}
	return fmt.Sprintf("[host] background bash failed: needs attention (job %s%s): %s", j.Job, exit, title)
}
