package permission

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// word is one argument after quotes are removed. What is made at run time stands
// in text as it is written.
type word struct {
	text     string
	from, to int32 // where it stands in the script
	dynamic  bool  // the text is known at run time only
	// splits says that it may become any number of words, or none.
	splits bool
	// noPath says that not even as a path it is known.
	noPath bool
	// start is what the word begins with as a path: '~' for the home directory, '.'
	// for the directory it is in. rest follows it.
	start byte
	rest  string
	// pattern is what a dynamic word that stays one word looks like, with "*" for
	// what is not known.
	pattern string
	// others are the words that a brace expansion makes of it, where they are few.
	others []word
	// values are what the word may be by the assignments of the script, where they
	// are few and plain. made says that the script makes it in a way that is not
	// followed, so that it may be anything.
	values []string
	made   bool
	// listed says that values are all that it may be, some of them globs.
	listed bool
}

// path returns the word as a path, with a leading "~", $HOME or $PWD replaced. A
// glob stands in it as it is; ok is false when more than that is made at run time.
func (w *word) path(home string) (name string, ok bool) {
	switch {
	case w.noPath || w.start == '~' && home == "":
		return "", false
	case w.start == '~':
		return home + w.rest, true
	case w.start == '.':
		return "." + w.rest, true
	}
	return w.text, true
}

// mayBe reports whether the word may be want when the command runs.
func (w *word) mayBe(want string) bool {
	if !w.dynamic {
		return w.text == want
	}
	return w.splits || wildcard(w.pattern, want)
}

// reading is a word while its quotes are removed.
type reading struct {
	word
	text, pattern, rest strings.Builder
	parts               int // written so far
	brace               bool
}

// word removes the quotes from w.
func (a *analysis) word(w *syntax.Word) word {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{~") {
			return word{text: lit.Value, from: offset(w.Pos()), to: offset(w.End())}
		}
	}
	out, brace := a.unquote(w)
	if brace && strings.Count(out.text, ",") <= maxBraces && !strings.Contains(out.text, "..") {
		out.others = a.braces(w)
	}
	return out
}

func offset(p syntax.Pos) int32 { return int32(min(p.Offset(), maxScript)) }

// unquote removes the quotes from w and reports whether a brace may expand.
func (a *analysis) unquote(w *syntax.Word) (out word, brace bool) {
	var r reading
	r.from, r.to = offset(w.Pos()), offset(w.End())
	for _, part := range w.Parts {
		a.part(&r, part, false)
	}
	out = r.word
	out.text, out.rest = r.text.String(), r.rest.String()
	if out.dynamic {
		out.pattern = r.pattern.String()
		out.values, out.made = a.trace(w)
		out.listed = len(out.values) > 0 && a.listed(w.Parts)
	}
	return out, r.brace
}

// braces returns the words that w becomes.
func (a *analysis) braces(w *syntax.Word) (words []word) {
	split := *w
	split.Parts = slices.Clone(w.Parts)
	syntax.SplitBraces(&split)
	for other, err := range expand.BracesSeq(nil, &split) {
		if err == nil && !slices.ContainsFunc(other.Parts, isBrace) {
			one, _ := a.unquote(other)
			words = append(words, one)
		}
	}
	return words
}

// maxBraces is how many commas a brace expansion may have to be followed; each may
// double the words.
const maxBraces = 6

func isBrace(part syntax.WordPart) bool {
	_, ok := part.(*syntax.BraceExp)
	return ok
}

func (a *analysis) part(r *reading, part syntax.WordPart, quoted bool) {
	first := r.parts == 0
	r.parts++
	switch p := part.(type) {
	case *syntax.Lit:
		a.literal(r, p.Value, quoted, first)
	case *syntax.SglQuoted:
		text, ok := p.Value, true
		if p.Dollar {
			text, ok = ansiC(p.Value)
		}
		if ok {
			r.write(text)
		} else {
			r.unknown(a.source(p), true)
		}
	case *syntax.DblQuoted:
		if first {
			r.parts--
		}
		for _, inner := range p.Parts {
			a.part(r, inner, true)
		}
		r.parts++
	case *syntax.ParamExp:
		a.expansion(r, p, quoted, first)
	default:
		r.unknown(a.source(part), quoted)
	}
}

// literal writes text without its backslashes.
func (a *analysis) literal(r *reading, text string, quoted, first bool) {
	var b strings.Builder
	if quoted {
		unescapeQuoted(&b, text)
		r.write(b.String())
		return
	}
	if first && strings.HasPrefix(text, "~") {
		text = r.tilde(text, a.home)
	}
	glob, brace := unescape(&b, text)
	r.write(b.String())
	r.dynamic = r.dynamic || glob || brace
	if brace {
		r.splits, r.noPath, r.brace = true, true, true
	}
}

// tilde begins a word with a home directory, which is known for this user alone,
// or with the directory of the shell. It returns what of text is left.
func (r *reading) tilde(text, home string) string {
	user, _, _ := strings.Cut(text[1:], "/")
	r.text.WriteString(text[:1+len(user)])
	r.pattern.WriteString(text[:1+len(user)])
	switch {
	case user == "" || home != "" && user == path.Base(home):
		r.start = '~'
	case user == "+":
		r.start = '.'
	default:
		r.noPath = true
	}
	return text[1+len(user):]
}

// expansion writes $NAME, of which only HOME and PWD are known.
func (a *analysis) expansion(r *reading, p *syntax.ParamExp, quoted, first bool) {
	text := a.source(p)
	if quoted && strings.Contains(text, "@") { // "$@" is any number of words
		quoted = false
	}
	if first && p.Param != nil && (text == "$"+p.Param.Value || text == "${"+p.Param.Value+"}") {
		switch p.Param.Value {
		case "HOME":
			r.start = '~'
		case "PWD":
			r.start = '.'
		}
		if r.start != 0 {
			r.text.WriteString(text)
			r.pattern.WriteByte('*')
			r.dynamic = true
			r.splits = r.splits || !quoted
			return
		}
	}
	r.unknown(text, quoted)
}

func (r *reading) write(s string) {
	r.text.WriteString(s)
	r.pattern.WriteString(s)
	r.rest.WriteString(s)
}

// unknown writes what is made at run time.
func (r *reading) unknown(source string, quoted bool) {
	r.text.WriteString(source)
	r.pattern.WriteByte('*')
	r.dynamic, r.noPath = true, true
	r.splits = r.splits || !quoted
}

// words removes the quotes from each of list.
func (a *analysis) words(list []*syntax.Word) []word {
	words := make([]word, len(list))
	for i, w := range list {
		words[i] = a.word(w)
	}
	return words
}

// text returns words as they are written, from the first to the last.
func (a *analysis) text(words []word) string {
	from, to := words[0].from, words[len(words)-1].to
	if from >= to || int(to) > len(a.here.src) {
		return joined(words, "")
	}
	return strings.TrimSpace(a.here.src[from:to])
}
