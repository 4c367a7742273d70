package event

import (
	"time"

	"reasonix/core/message"
)

// Status of a finished call.
type Status string

// The five ways a call can finish.
const (
	StatusOK          Status = "ok"
	StatusFailed      Status = "failed"
	StatusDenied      Status = "denied"
	StatusCancelled   Status = "cancelled"
	StatusInterrupted Status = "interrupted"
)

// ToolStarted is written before a call has any effect. A second one of the same call
// says that it runs once more: its Rule is why, its Held what confines it now, where
// that is something else. It is no call of its own.
type ToolStarted struct {
	Call  string   `json:"call,omitzero"`
	Title string   `json:"title,omitzero"`
	Kind  string   `json:"kind,omitzero"` // read, edit, search, execute, other
	Rule  string   `json:"rule,omitzero"` // why it ran unasked
	Held  string   `json:"held,omitzero"` // what confines it, in words; empty: it is no command
	Paths []string `json:"paths,omitzero"`
}

// ToolOutput is live output of a running call.
type ToolOutput struct {
	Call   string `json:"call,omitzero"`
	Offset int    `json:"offset,omitzero"`
	Text   string `json:"text,omitzero"`
}

// ToolProgress is how far a running call is, by its own account. Total 0: unknown.
type ToolProgress struct {
	Call  string  `json:"call,omitzero"`
	Done  float64 `json:"done,omitzero"`
	Total float64 `json:"total,omitzero"`
	Text  string  `json:"text,omitzero"`
}

// ToolFinished is the only home of a call's result.
type ToolFinished struct {
	Call    string          `json:"call,omitzero"`
	Title   string          `json:"title,omitzero"` // also when it never started
	Status  Status          `json:"status,omitzero"`
	Rule    string          `json:"rule,omitzero"`
	Reason  string          `json:"reason,omitzero"` // of a denial
	Message message.Message `json:"message,omitzero"`
	Exit    *int            `json:"exit,omitzero"`
	Diffs   []Diff          `json:"diffs,omitzero"`
	Full    string          `json:"full,omitzero"`    // hash of the whole output
	Seen    []Sight         `json:"seen,omitzero"`    // what the model knows of files since
	Dir     string          `json:"dir,omitzero"`     // of a command: where the next one starts
	Started time.Time       `json:"started,omitzero"` // UTC; zero when it never began
	Took    time.Duration   `json:"took,omitzero"`
	// Reads and Writes are the files that it named or was seen to change, absolute and
	// sorted, MaxPaths of each at most. What a command reads is not known.
	Reads  []string `json:"reads,omitzero"`
	Writes []string `json:"writes,omitzero"`
}

// MaxPaths is how many paths a ToolFinished names of a kind; FilesChanged has all.
const MaxPaths = 200

// Sight is what the model has seen of one file: the hash of the content, and
// whether it was all of it. An empty hash is a file nothing is known of any more.
type Sight struct {
	Path    string `json:"path,omitzero"` // absolute
	Hash    string `json:"hash,omitzero"`
	Partial bool   `json:"partial,omitzero"`
}

// Diff is one file's change as a unified diff.
type Diff struct {
	Path    string  `json:"path,omitzero"`
	Unified string  `json:"unified,omitzero"`
	Old     *string `json:"old,omitzero"`
	New     *string `json:"new,omitzero"`
}

// Planned is the whole todo list after a change.
type Planned struct {
	Todos []Todo `json:"todos,omitzero"`
}

// Todo is one step. Level 1 is a sub-step of the level-0 phase before it.
type Todo struct {
	Text   string `json:"text,omitzero"`
	Status string `json:"status,omitzero"` // pending, in_progress, completed
	Level  int    `json:"level,omitzero"`
}

// How a background job ended (JobEnded.Status).
const (
	JobDone   = "done"
	JobFailed = "failed"
	JobKilled = "killed"
	// JobInterrupted is a job that reasonix left without an end.
	JobInterrupted = "interrupted"
)

// JobStarted says that a call goes on in the background.
type JobStarted struct {
	Job   JobID  `json:"job,omitzero"`
	Call  string `json:"call,omitzero"`
	Title string `json:"title,omitzero"`
}

// JobEnded says that a background job is over.
type JobEnded struct {
	Job    JobID  `json:"job,omitzero"`
	Status string `json:"status,omitzero"`
	Exit   *int   `json:"exit,omitzero"`
	Full   string `json:"full,omitzero"` // hash of the whole output
	Told   bool   `json:"told,omitzero"` // a call's result reports the end
}

func (Planned) payload()      {}
func (JobStarted) payload()   {}
func (JobEnded) payload()     {}
func (ToolStarted) payload()  {}
func (ToolOutput) payload()   {}
func (ToolProgress) payload() {}
func (ToolFinished) payload() {}
