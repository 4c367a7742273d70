package run

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/i18n"
)

// maxTries bounds how often a question is asked of somebody who types none of its
// answers.
const maxTries = 3

// asker asks a person on the terminal, one question at a time. Safe for concurrent
// use.
type asker struct {
	in    io.Reader
	out   io.Writer
	lang  string
	paint painter

	mu sync.Mutex
}

// newAsker speaks the configured language. A configuration that cannot be read
// fails the session, not this.
func newAsker(app *cmdutil.App, workspace string) *asker {
	a := &asker{in: app.In, out: app.Err, paint: painter(app.ColorErr())}
	if cfg, err := config.Load(config.Input{Home: app.Home, Workspace: workspace, Environ: app.Environ}); err == nil {
		a.lang = cfg.Language
	}
	return a
}

// ask shows all of the question and reads a line. What is no answer is no consent.
func (a *asker) ask(q event.Question) event.Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show(q)
	if q.Kind == event.AskQuestion {
		return a.pick(q)
	}
	return a.decide(q)
}

// decide reads a letter, and behind one that denies a word for the model.
func (a *asker) decide(q event.Question) event.Answer {
	keys := letters(q.Options)
	var line []string
	for i, o := range q.Options {
		line = append(line, keys[i]+" "+a.say("letter."+o.ID, o.Label))
	}
	menu := strings.Join(line, " · ")
	for range maxTries {
		fmt.Fprintf(a.out, "%s ? ", menu)
		typed, ok := a.line()
		if !ok {
			return event.Answer{Cancelled: true}
		}
		key, word, _ := strings.Cut(typed, " ")
		if i := slices.Index(keys, key); i >= 0 {
			return event.Answer{Choice: []string{q.Options[i].ID}, Text: strings.TrimSpace(word)}
		}
		menu = i18n.T(a.lang, "question.again", strings.Join(line, " · "))
	}
	return event.Answer{Cancelled: true}
}

// pick reads the numbers of options, or an answer in words.
func (a *asker) pick(q event.Question) event.Answer {
	for i, o := range q.Options {
		a.item(fmt.Sprint(i+1), o.Label, o.Detail)
	}
	fmt.Fprint(a.out, i18n.T(a.lang, "question.type_number"))
	typed, ok := a.line()
	if !ok || typed == "" {
		return event.Answer{Cancelled: true}
	}
	var choice []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(typed, ",", " ")) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(q.Options) {
			return event.Answer{Text: typed}
		}
		choice = append(choice, q.Options[n-1].ID)
	}
	if len(choice) > 1 && !q.Multi {
		return event.Answer{Text: typed}
	}
	return event.Answer{Choice: choice}
}

// line reads one line and nothing behind it; false at the end of the input.
func (a *asker) line() (string, bool) {
	line, err := bufio.NewReader(oneByte{a.in}).ReadString('\n')
	return strings.TrimSpace(line), err == nil || line != ""
}

// oneByte reads byte by byte, so that nothing behind the line is taken.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

// show prints everything a person needs to decide.
func (a *asker) show(q event.Question) {
	title := q.Tool
	if title == "" {
		title = a.say("question."+q.Kind, q.Title)
	}
	fmt.Fprintf(a.out, "\n%s  %s\n", visible(title), i18n.T(a.lang, "question.directory", visible(q.Dir)))
	a.block(q.Body)
	for _, d := range q.Diffs {
		a.diff(d)
	}
	a.note("question.reason", q.Reason)
	a.note("question.why", q.Why)
	a.note("question.held", q.Sandbox)
	if q.Fresh {
		fmt.Fprintf(a.out, "  %s\n", i18n.T(a.lang, "question.fresh"))
	}
	a.parts(q.Parts)
	if q.Kind == event.AskQuestion {
		return
	}
	keys := letters(q.Options)
	for i, o := range q.Options {
		if len(o.Rules) > 0 || o.Detail != "" {
			a.item(keys[i], a.say("option."+o.ID, o.Label), a.stores(o))
		}
	}
}

// stores is what an option stores, exactly, and what else that would allow.
func (a *asker) stores(o event.Option) string {
	text := o.Detail
	if len(o.Rules) > 0 {
		text = strings.Join(o.Rules, "\n")
	}
	if o.Example != "" {
		text += "\n" + i18n.T(a.lang, "question.example", o.Example)
	}
	return text
}

func (a *asker) block(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(a.out, "  | %s\n", visible(strings.TrimSuffix(line, "\n")))
	}
}

func (a *asker) diff(d event.Diff) {
	for line := range strings.Lines(d.Unified) {
		fmt.Fprintf(a.out, "  %s\n", a.paint.diff(visible(strings.TrimSuffix(line, "\n"))))
	}
}

func (a *asker) note(key, text string) {
	if text != "" {
		fmt.Fprintf(a.out, "  %s\n", i18n.T(a.lang, key, visible(text)))
	}
}

func (a *asker) parts(parts []event.Part) {
	if len(parts) == 0 {
		return
	}
	fmt.Fprintf(a.out, "  %s\n", i18n.T(a.lang, "question.parts"))
	for _, p := range parts {
		why := p.Rule
		if p.Why != "" {
			why = strings.TrimPrefix(why+", "+p.Why, ", ")
		}
		if why != "" {
			why = "  (" + visible(why) + ")"
		}
		fmt.Fprintf(a.out, "    %s: %s%s\n", a.say("verdict."+p.Verdict, p.Verdict), visible(p.Text), why)
	}
}

// item is one option and what it stores, a line each.
func (a *asker) item(key, label, detail string) {
	fmt.Fprintf(a.out, "  %s  %s\n", key, visible(label))
	for line := range strings.Lines(detail) {
		fmt.Fprintf(a.out, "       %s\n", visible(strings.TrimSuffix(line, "\n")))
	}
}

// say is a sentence in the person's language, or the English of the question.
func (a *asker) say(key, english string) string {
	if text, ok := i18n.Lookup(a.lang, key); ok {
		return text
	}
	return english
}

// letters are what is typed for each option: a letter for those known, otherwise
// the option's number.
func letters(options []event.Option) []string {
	known := map[string]string{
		"allow_once": "o", "allow_session": "s", "allow_session_prefix": "S", "allow_always": "a", "allow_always_prefix": "A",
		"unconfined_once": "o", "release_once": "o", "allow_write": "w", "reject_once": "d",
	}
	keys := make([]string, len(options))
	for i, o := range options {
		keys[i] = known[o.ID]
		if keys[i] == "" || slices.Contains(keys[:i], keys[i]) {
			keys[i] = fmt.Sprint(i + 1)
		}
	}
	return keys
}

// visible shows what would steer a terminal, or turn what is read around, as its
// code: what a person agrees to must be what is there.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t', unicode.IsGraphic(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// painter colours where colours are wanted.
type painter bool

// diff colours a line of a unified diff.
func (p painter) diff(line string) string {
	color := ""
	switch {
	case !bool(p), line == "":
		return line
	case strings.HasPrefix(line, "+"):
		color = "\x1b[32m"
	case strings.HasPrefix(line, "-"):
		color = "\x1b[31m"
	case strings.HasPrefix(line, "@@"):
		color = "\x1b[36m"
	default:
		return line
	}
	return color + line + "\x1b[0m"
}
