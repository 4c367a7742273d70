package demo

import (
	"encoding/json"
	"strings"

	"reasonix/core/message"
)

// The tools the model asks for.
const (
	toolList = "ls"
	toolRead = "read_file"
	toolEdit = "edit_file"
	toolRun  = "bash"
)

// work is what the model knows, all of it from the conversation.
type work struct {
	listed  bool
	suites  []string // files that may be the checks
	refused map[string]bool
	suite   string // the checks; empty: not found yet
	tests   *run   // of the files as they are now; nil: not run since they changed

	files  map[string]string // text as it is now, by path
	closed map[string]bool   // could not be read
	trial  *trial
	tried  map[attempt]outcome
	fixes  []trial
	made   int // changes tried, in all

	failed  int    // calls in a row that did not work
	problem string // what the last of them said
	ideas   map[idea][]candidate
}

// attempt names a change of a file as it was.
type attempt struct {
	file, before string
	change       candidate
}

// outcome is how an attempt ended that did not stay.
type outcome struct {
	judged bool
	left   int  // failing checks
	better bool // fewer than before, and no other
	broken int  // times the edit did not work
}

// trial is an attempt under way.
type trial struct {
	attempt
	function string
	after    string // the file's text with the change
	baseline run    // before it
	known    bool   // the file has the change
	rejected bool   // it did not help and is to be taken back
	settle   bool   // nothing helps wholly: fewer failures will do
}

// idea is the key of the changes worth trying.
type idea struct{ file, text, function string }

// replay reads the conversation.
func replay(conversation []message.Message) *work {
	w := &work{tried: map[attempt]outcome{}, ideas: map[idea][]candidate{}}
	w.begin()
	calls := map[string]message.ToolCall{}
	for _, m := range conversation {
		switch m.Role {
		case message.System:
		case message.User:
			if !strings.HasPrefix(m.Content, "[host]") {
				w.begin()
			}
		case message.Assistant:
			for _, c := range m.ToolCalls {
				calls[c.ID] = c
			}
		case message.ToolRole:
			if c, ok := calls[m.ToolCallID]; ok {
				w.learn(c, m.Content)
			}
		}
	}
	return w
}

// begin is a new task. The directory may have changed since: everything is
// looked at again, but a change that is under way is not forgotten.
func (w *work) begin() {
	if w.tests != nil && w.tests.passed() {
		w.fixes, w.made = nil, 0
	}
	w.listed, w.suites, w.refused, w.suite, w.tests = false, nil, map[string]bool{}, "", nil
	w.files, w.closed = map[string]string{}, map[string]bool{}
	w.failed, w.problem = 0, ""
	if w.trial != nil {
		w.trial.known = false
	}
}

// arguments are those of every tool.
type arguments struct {
	Path    string `json:"path,omitzero"`
	Old     string `json:"old_string,omitzero"`
	New     string `json:"new_string,omitzero"`
	Command string `json:"command,omitzero"`
	Timeout int    `json:"timeout_ms,omitzero"`
}

// learn takes in the result of one call.
func (w *work) learn(c message.ToolCall, result string) {
	var args arguments
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return // not a call of ours
	}
	switch c.Name {
	case toolList:
		w.learnListing(result)
	case toolRead:
		w.learnFile(args.Path, result)
	case toolEdit:
		w.learnEdit(args, result)
	case toolRun:
		w.learnRun(result)
	}
}

func (w *work) worked() { w.failed, w.problem = 0, "" }

func (w *work) didNotWork(result string) {
	w.failed++
	w.problem, _, _ = strings.Cut(strings.TrimSpace(result), "\n")
}

// stuck reports whether asking again is no use.
func (w *work) stuck() bool {
	const patience = 3
	return w.failed >= patience || strings.HasPrefix(w.problem, "denied:")
}

func isError(result string) bool {
	for _, sign := range []string{"error:", "denied:", "interrupted:", "not run:"} {
		if strings.HasPrefix(result, sign) {
			return true
		}
	}
	return false
}

func (w *work) learnListing(result string) {
	if isError(result) {
		w.didNotWork(result)
		return
	}
	w.worked()
	w.listed, w.suites = true, suites(entries(result))
}

func (w *work) learnFile(path, result string) {
	text, ok := content(result)
	switch {
	case !ok && w.trial != nil:
		w.didNotWork(result)
		return
	case !ok:
		if isError(result) {
			w.didNotWork(result)
		}
		w.refused[path], w.closed[path] = true, true
		return
	}
	w.worked()
	w.files[path] = text
	if w.suite == "" {
		if isSuite(text) {
			w.suite = path
		} else {
			w.refused[path] = true
		}
	}
	w.compare(path, text)
}

// compare finds out what became of a change after an edit that was interrupted
// or did not work.
func (w *work) compare(path, text string) {
	t := w.trial
	if t == nil || t.known || t.file != path {
		return
	}
	switch text {
	case t.after:
		t.known = true
	case t.before:
		w.trial = nil
	default: // somebody else was at work
		w.trial, w.tests = nil, nil
	}
}

// edited is how edit_file begins when it has written.
const edited = "edited "

func (w *work) learnEdit(args arguments, result string) {
	ok := strings.HasPrefix(result, edited)
	if w.trial != nil && w.trial.rejected {
		w.learnReversal(ok, result)
		return
	}
	next, found := w.choose()
	if was, now := next.change.blocks(next.before); !found || next.file != args.Path || was != args.Old || now != args.New {
		delete(w.files, args.Path) // not a change this version makes
		w.tests = nil
		return
	}
	w.trial, w.made = &next, w.made+1
	if ok {
		w.worked()
		next.known = true
		w.files[next.file] = next.after
		w.tests = nil
		return
	}
	w.didNotWork(result)
	o := w.tried[next.attempt]
	o.broken++
	w.tried[next.attempt] = o
	delete(w.files, next.file)
}

func (w *work) learnReversal(ok bool, result string) {
	t := w.trial
	if !ok {
		w.didNotWork(result)
		t.known = false
		delete(w.files, t.file)
		return
	}
	w.worked()
	w.files[t.file], w.tests, w.trial = t.before, &t.baseline, nil
}

func (w *work) learnRun(result string) {
	r := parseRun(result)
	hung := strings.Contains(result, "timed out after")
	if !r.ended && (!hung || w.trial == nil) {
		w.didNotWork(result)
		return
	}
	w.worked()
	w.tests = &r
	if w.trial != nil && w.trial.known && !w.trial.rejected {
		w.judge(r)
	}
}

// judge decides whether a change stays. One that mends every check of the
// function and breaks none does.
func (w *work) judge(r run) {
	t := w.trial
	sane := r.ended && r.checks >= t.baseline.checks && r.subset(t.baseline)
	better := sane && len(r.failures) < len(t.baseline.failures)
	if sane && !r.fails(t.file, t.function) || better && t.settle {
		w.fixes = append(w.fixes, *t)
		w.trial = nil
		return
	}
	t.rejected = true
	o := w.tried[t.attempt]
	o.judged, o.left, o.better = true, len(r.failures), better
	w.tried[t.attempt] = o
}
