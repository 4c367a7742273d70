package shell

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/sandbox"
)

// The ids of the answers to a command that the sandbox stopped.
const (
	optionUnconfined = "unconfined_once"
	optionRelease    = "release_once"
	optionWrite      = "allow_write"
	optionReject     = "reject_once"
)

// decision is how a command that the sandbox stopped runs once more; the zero one
// is that it does not.
type decision struct {
	again      bool
	unconfined bool
	release    []string // protected paths it may write
	rule       string   // why it runs so, for the journal
	notes      []string // for the model
}

// atTheEdge asks a person what to do about a command that the sandbox stopped.
// Where nobody can be asked the command has just failed; and so it has where it
// wanted to see what is hidden, which nobody opens by a letter.
func (b bash) atTheEdge(ctx context.Context, args arguments, at place, first ran) (decision, error) {
	stopped := first.stopped
	if b.env.Ask == nil || slices.ContainsFunc(stopped, isKind(sandbox.DeniedRead)) {
		return decision{}, nil
	}
	dir := b.opening(stopped)
	q := b.edgeQuestion(ctx, args, at, first, dir)
	answer, err := b.env.Ask(ctx, q)
	switch {
	case errors.Is(err, tool.ErrNobody):
		return decision{}, nil
	case err != nil:
		return decision{}, err
	}
	return b.decided(q, answer, stopped, dir)
}

// decided is what an answer means. What was not offered is a denial.
func (b bash) decided(q event.Question, answer event.Answer, stopped []sandbox.Denial, dir string) (decision, error) {
	choice := optionReject
	for _, o := range q.Options {
		if !answer.Cancelled && len(answer.Choice) == 1 && answer.Choice[0] == o.ID {
			choice = o.ID
		}
	}
	switch choice {
	case optionUnconfined:
		return decision{again: true, unconfined: true, rule: "allowed once without the sandbox", notes: []string{
			"the sandbox stopped the first run; the user allowed this one without it, this once",
		}}, nil
	case optionRelease:
		paths := clean(slashed(strings.Join(pathsOf(stopped), ", ")))
		return decision{again: true, release: pathsOf(stopped), rule: "allowed once to change " + paths, notes: []string{
			"the sandbox stopped the first run; the user allowed this one to change " + paths + ", this once",
		}}, nil
	case optionWrite:
		return b.open(dir)
	}
	note := "the user leaves the sandbox as it is"
	if word := strings.TrimSpace(answer.Text); word != "" {
		note += ": " + word
	}
	return decision{notes: []string{note}}, nil
}

func (b bash) edgeQuestion(ctx context.Context, args arguments, at place, first ran, dir string) event.Question {
	stopped := first.stopped
	q := event.Question{
		Kind: event.AskUnconfined, Call: tool.CallFrom(ctx).ID, Tool: b.Name(), Title: b.title(args),
		Reason: strings.TrimSpace(clean(args.Description)), Dir: at.dir, Body: args.Command,
		Why: first.why(), Fresh: true,
	}
	if !slices.ContainsFunc(stopped, isNotKind(sandbox.DeniedProtected)) {
		q.Options = []event.Option{{
			ID: optionRelease, Label: "Let it change this once", Kind: event.AllowOnce,
			Detail: clean(strings.Join(pathsOf(stopped), ", ")) + "\n" + fromDisk,
		}}
	} else {
		q.Options = []event.Option{{
			ID: optionUnconfined, Label: "Run it once without the sandbox", Kind: event.AllowOnce, Detail: fromDisk,
		}}
	}
	if dir != "" {
		rule := event.GrantWrite + slashed(dir)
		q.Options = append(q.Options, event.Option{
			ID: optionWrite, Label: "Allow writing there for this session and run it again", Kind: event.AllowAlways,
			Detail: rule, Rules: []string{rule}, Example: "whatever commands and file tools write below " + slashed(dir),
		})
	}
	q.Options = append(q.Options, event.Option{ID: optionReject, Label: "Deny", Kind: event.RejectOnce})
	return q
}

// fromDisk says what a second run is of: the first one may have written what this
// one runs.
const fromDisk = "the whole command again; it runs what is on disk now"

// why says what was stopped and how that is known: what was put back was seen to
// change, the rest is as the command printed it, which can print anything.
func (r ran) why() string {
	var seen, unclear, printed []sandbox.Denial
	for _, d := range r.stopped {
		switch {
		case slices.Contains(r.unclear, d.Path):
			unclear = append(unclear, d)
		case slices.Contains(r.putBack, d.Path):
			seen = append(seen, d)
		default:
			printed = append(printed, d)
		}
	}
	var texts []string
	if len(seen) > 0 {
		texts = append(texts, "the sandbox put back what it changed: "+clean(slashed(strings.Join(pathsOf(seen), ", "))))
	}
	if len(unclear) > 0 {
		texts = append(texts, "the sandbox put back what it or another command that was running changed: "+clean(slashed(strings.Join(pathsOf(unclear), ", "))))
	}
	if len(printed) > 0 {
		texts = append(texts, "the sandbox stopped it, going by what the command printed: "+strings.Join(inWords(printed), "; "))
	}
	return strings.Join(texts, "; ")
}

func isKind(kind sandbox.DenialKind) func(sandbox.Denial) bool {
	return func(d sandbox.Denial) bool { return d.Kind == kind }
}

func isNotKind(kind sandbox.DenialKind) func(sandbox.Denial) bool {
	return func(d sandbox.Denial) bool { return d.Kind != kind }
}

func pathsOf(stopped []sandbox.Denial) []string {
	var paths []string
	for _, d := range stopped {
		paths = append(paths, d.Path)
	}
	return paths
}

// open lets the session write a directory from now on.
func (b bash) open(dir string) (decision, error) {
	if err := b.env.Files.AddWritable(dir); err != nil {
		return decision{notes: []string{"the directory cannot be opened: " + err.Error()}}, nil
	}
	if b.env.Note != nil {
		if err := b.env.Note(event.Granted{Rule: event.GrantWrite + slashed(dir), Scope: "session"}); err != nil {
			return decision{}, err
		}
	}
	return decision{again: true, rule: event.GrantWrite + slashed(dir), notes: []string{
		"the sandbox stopped the first run; the user allowed writing " + slashed(dir) + " for this session",
	}}, nil
}

// unsandboxed is what holds a command that runs without the sandbox.
const unsandboxed = "not sandboxed"

// again records that the call runs once more, why, and when nothing holds it now,
// that. It is no call of its own.
func (b bash) again(ctx context.Context, args arguments, how decision) error {
	call := tool.CallFrom(ctx)
	if call.Note == nil {
		return nil
	}
	started := event.ToolStarted{Call: call.ID, Title: b.title(args), Kind: "execute", Rule: how.rule}
	if how.unconfined {
		started.Held = unsandboxed
	}
	return call.Note(started)
}

// opening is the one directory whose opening would let the command through, empty
// when there is none that is safe to offer.
func (b bash) opening(stopped []sandbox.Denial) string {
	dir := ""
	for _, d := range stopped {
		near := nearestDir(d.Path)
		switch {
		case d.Kind != sandbox.DeniedWrite || near == "" || b.env.Files.Openable(near) != nil:
			return ""
		case dir == "" || within(near, dir):
			dir = near
		case !within(dir, near):
			return ""
		}
	}
	return dir
}

// nearestDir is path itself or the nearest directory above it that exists.
func nearestDir(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if isDir(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// within reports whether path is dir or below it; both are clean.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// denials are what the sandbox stopped of a command: what was put back counts
// whether the command failed or not.
func denials(cmd sandbox.Cmd, exit sandbox.Exit, out *output) []sandbox.Denial {
	text, _ := out.last(maxJudged)
	return sandbox.Denials(cmd, exit, []byte(text))
}

// maxJudged bounds, in bytes, what is looked at to see why a command failed.
const maxJudged = 16 << 10

// inWords says what was stopped.
func inWords(stopped []sandbox.Denial) []string {
	var texts []string
	for _, d := range stopped {
		what := map[sandbox.DenialKind]string{
			sandbox.DeniedWrite: "writing", sandbox.DeniedRead: "reading", sandbox.DeniedProtected: "changing", sandbox.DeniedNetwork: "the network",
		}[d.Kind]
		texts = append(texts, strings.TrimSpace(what+" "+clean(slashed(d.Path))))
	}
	return texts
}

// stoppedNotes tell the model that it was the sandbox. What was put back the report
// says.
func stoppedNotes(stopped []sandbox.Denial, putBack []string) []string {
	stopped = slices.DeleteFunc(slices.Clone(stopped), func(d sandbox.Denial) bool { return slices.Contains(putBack, d.Path) })
	if len(stopped) == 0 {
		return nil
	}
	return []string{"stopped by the sandbox: " + strings.Join(inWords(stopped), "; ") + ". Do it inside the writable directories, or say what you need"}
}

// refuse is the error of a command that did not run because nothing can hold it.
// The user is told once.
func (b bash) refuse(err *sandbox.UnavailableError) error {
	if b.env.Note != nil && b.state.firstRefusal() {
		// Not told is not run either: the result says the same.
		_ = b.env.Note(event.Notice{
			Level: event.LevelError, Code: "sandbox_unavailable", Args: []string{err.Error()},
			Text: "commands are refused, because no sandbox works here: " + err.Error(),
		})
	}
	return fmt.Errorf("bash is refused in this session: %w\nDo not try another way to run commands; use the other tools, and tell the user", err)
}
