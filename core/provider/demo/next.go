package demo

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// step is one reply: what is said, and the call that is made, if any.
type step struct {
	text, tool, arguments string
}

func (w *work) call(tool string, args arguments, format string, values ...any) step {
	text, err := json.Marshal(args)
	if err != nil { // strings and a number
		panic("demo: encode arguments: " + err.Error())
	}
	return step{text: fmt.Sprintf(format, values...), tool: tool, arguments: string(text)}
}

func say(format string, values ...any) step { return step{text: fmt.Sprintf(format, values...)} }

// next is the model's reply to what it knows.
func (w *work) next() step {
	switch {
	case w.stuck():
		return w.giveUp()
	case !w.listed:
		return w.call(toolList, arguments{Path: "."}, sayHello)
	case w.suite == "":
		return w.findSuite()
	case w.trial != nil && !w.trial.known:
		return w.call(toolRead, arguments{Path: w.trial.file}, sayReread, w.trial.file)
	case w.trial != nil && w.trial.rejected:
		return w.takeBack()
	case w.tests == nil:
		return w.runTests()
	case w.tests.passed():
		return w.done()
	case len(w.tests.failures) == 0:
		return say(sayUnreadable, w.suite, tail(w.tests.text))
	}
	return w.repair()
}

func (w *work) findSuite() step {
	for _, name := range w.suites {
		if !w.refused[name] {
			return w.call(toolRead, arguments{Path: name}, sayLook, name)
		}
	}
	return say(sayDecline)
}

// runTimeout bounds one run of the checks, in milliseconds: a change can make a
// loop endless.
const runTimeout = 10_000

func (w *work) runTests() step {
	text := sayRun
	if w.trial != nil {
		text = sayRerun
	}
	return w.call(toolRun, arguments{Command: "sh " + quoted(w.suite), Timeout: runTimeout}, "%s", text)
}

// quoted is the path as a word of a shell's that is no option.
func quoted(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if !strings.ContainsAny(path, " \t'\"\\$`&|;<>()*?[]#~!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// repair takes the first failing check for which something is left to try.
func (w *work) repair() step {
	for _, f := range w.tests.failures {
		if _, read := w.files[f.file]; !read && !w.closed[f.file] {
			return w.call(toolRead, arguments{Path: f.file}, sayRead, failing(w.tests.failures), f.function, f.expected, f.got, f.file)
		}
		if t, ok := w.chooseFor(f); ok {
			was, now := t.change.blocks(t.before)
			return w.call(toolEdit, arguments{Path: t.file, Old: was, New: now}, w.sayTry(t), f.function, f.file, t.change.line+1,
				strings.TrimSpace(t.change.was), strings.TrimSpace(t.change.now))
		}
	}
	return w.giveUp()
}

func (w *work) sayTry(t trial) string {
	switch {
	case t.settle:
		return sayTryPartial
	case w.made == 0:
		return sayTryFirst
	}
	return sayTryNext
}

// choose is the change that repair would try next.
func (w *work) choose() (trial, bool) {
	if w.tests == nil {
		return trial{}, false
	}
	for _, f := range w.tests.failures {
		if t, ok := w.chooseFor(f); ok {
			return t, true
		}
	}
	return trial{}, false
}

// chooseFor is the next change for one failing check: one not tried yet, else
// the one that came nearest.
func (w *work) chooseFor(f failure) (trial, bool) {
	text, ok := w.files[f.file]
	if !ok {
		return trial{}, false
	}
	best := trial{function: f.function, baseline: *w.tests}
	left := math.MaxInt
	for _, c := range w.candidatesFor(idea{f.file, text, f.function}) {
		a := attempt{file: f.file, before: text, change: c}
		o := w.tried[a]
		const twice = 2
		switch {
		case o.broken >= twice:
		case !o.judged:
			best.attempt, best.settle, best.after = a, false, c.apply(text)
			return best, true
		case o.better && o.left < left:
			left = o.left
			best.attempt, best.settle, best.after = a, true, c.apply(text)
		}
	}
	return best, left < math.MaxInt
}

func (w *work) candidatesFor(i idea) []candidate {
	found, ok := w.ideas[i]
	if !ok {
		found = candidates(i.text, i.function)
		w.ideas[i] = found
	}
	return found
}

func (w *work) takeBack() step {
	t := w.trial
	was, now := t.change.blocks(t.before)
	return w.call(toolEdit, arguments{Path: t.file, Old: now, New: was}, sayTakeBack, w.verdict())
}

// verdict is what the last run says of the change under trial.
func (w *work) verdict() string {
	if w.tests == nil || !w.tests.ended {
		return "the checks did not end"
	}
	for _, f := range w.tests.failures {
		if f.file == w.trial.file && f.function == w.trial.function {
			return fmt.Sprintf("`%s` now gives %s instead of %s", f.check, f.got, f.expected)
		}
	}
	return failing(w.tests.failures)
}

// failing names the failing checks.
func failing(all []failure) string {
	var names []string
	for _, f := range all {
		names = append(names, "`"+f.check+"`")
	}
	if len(names) == 1 {
		return "one check fails, " + names[0]
	}
	const most = 5
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "...")
	}
	return fmt.Sprintf("%d checks fail, %s", len(all), strings.Join(names, ", "))
}

func (w *work) done() step {
	if len(w.fixes) == 0 {
		return say(sayNothing, w.tests.checks)
	}
	tried := ""
	if w.made > len(w.fixes) {
		tried = fmt.Sprintf(sayTried, w.made)
	}
	return say(sayDone, w.tests.checks, w.changes(), tried)
}

// changes lists what was changed for good.
func (w *work) changes() string {
	var b strings.Builder
	for _, t := range w.fixes {
		fmt.Fprintf(&b, "- %s, line %d, in `%s`: `%s` became `%s`\n", t.file, t.change.line+1, t.function,
			strings.TrimSpace(t.change.was), strings.TrimSpace(t.change.now))
	}
	return b.String()
}

// giveUp says how far the work came.
func (w *work) giveUp() step {
	text := sayExhausted
	if w.stuck() {
		text = fmt.Sprintf(sayStuck, w.problem)
	} else if w.tests != nil {
		text = fmt.Sprintf(text, failing(w.tests.failures), w.made)
	}
	if len(w.fixes) > 0 {
		text += fmt.Sprintf(sayKept, w.changes())
	}
	if w.trial != nil {
		text += fmt.Sprintf(sayLeft, w.trial.file, w.trial.change.line+1)
	}
	return step{text: text}
}

// tail is the end of an output.
func tail(text string) string {
	const most = 400
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = "..." + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}
