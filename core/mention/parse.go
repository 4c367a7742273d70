package mention

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// token is what stands behind an @ that may begin a reference.
type token struct {
	text   string // up to white space, or what is in quotes
	quoted bool
	after  string // what follows the closing quote, up to white space
}

// tokens finds every @ that may begin a reference: one that no letter, digit or other
// part of an address stands before.
func tokens(text string) []token {
	var found []token
	for at := 0; at < len(text); at++ {
		if text[at] != '@' || !opens(text[:at]) {
			continue
		}
		t, ok := tokenAt(text[at+1:])
		if ok {
			found = append(found, t)
		}
		if len(found) > maxStarts {
			break
		}
		if t.quoted {
			at += len(t.text) + 2
		}
	}
	return found
}

// opens reports whether an @ behind before can begin a reference. Scripts that are
// written without spaces may stand right before it.
func opens(before string) bool {
	if before == "" {
		return true
	}
	last := before[len(before)-1]
	return last >= utf8.RuneSelf || !isWord(last) && !strings.ContainsRune(".%+-/\\@&=", rune(last))
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func tokenAt(rest string) (token, bool) {
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		inside, after, closed := strings.Cut(quoted[:min(len(quoted), maxToken)], `"`)
		if !closed || inside == "" || strings.ContainsAny(inside, "\r\n") {
			return token{}, false
		}
		return token{text: inside, quoted: true, after: word(after)}, true
	}
	t := word(rest)
	return token{text: t}, t != "" && t[0] != '@'
}

// maxToken is how long a reference may be, in bytes.
const maxToken = 4096

// word is text up to the first white space, if that comes soon enough.
func word(text string) string {
	text = text[:min(len(text), maxToken)]
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		return text[:at]
	}
	return text
}

// rangePattern is the lines behind a path, and a place that other programs write.
var rangePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?)(?:#L([0-9]{1,9})(?:[-–]L?([0-9]{1,9}))?|:[0-9]+(?:[:-][0-9]+)?)$`)
})

// ends lists the prefixes of an unquoted token that may be a reference, the longest
// first: punctuation around it is no part of it, nor are words of a script without
// spaces.
func ends(text string) []string {
	list := []string{text}
	tail := true // nothing but punctuation so far
	for i := len(text); i > 0 && len(list) < maxCandidate; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
		tail = tail && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' && r != '\\'
		if i > 0 && breaks(r, text[i-1], tail) {
			list = append(list, text[:i])
		}
	}
	return list
}

// breaks reports whether a reference may end before r, which stands behind the byte
// before; tail says that only punctuation follows.
func breaks(r rune, before byte, tail bool) bool {
	switch {
	case r >= utf8.RuneSelf:
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || before < utf8.RuneSelf
	case strings.ContainsRune(`,;!?()[]{}<>"'|#*`+"`", r):
		return true
	}
	return tail && strings.ContainsRune(".:-_~", r)
}

// resolve finds what t refers to. The server of a resource that is connected comes
// first, then what is on disk.
func (x *expansion) resolve(t token) (ref, bool) {
	if r, ok := x.asResource(t); ok {
		return r, true
	}
	candidates := []string{t.text}
	if !t.quoted {
		candidates = ends(t.text)
	}
	for _, text := range candidates {
		if r, ok := x.onDisk(text, lines{}); ok {
			if t.quoted {
				r.span = rangeBehind(t.after)
			}
			return x.named(r), true
		}
		if path, span, ok := cutRange(text); ok && !t.quoted {
			if r, ok := x.onDisk(path, span); ok {
				return x.named(r), true
			}
		}
	}
	return ref{}, false
}

// rangeBehind is the lines that stand behind a closing quote.
func rangeBehind(after string) lines {
	for _, text := range ends(after) {
		if path, span, ok := cutRange(text); ok && path == "" {
			return span
		}
	}
	return lines{}
}

// cutRange takes the lines off a path. A single line, or a place as in file:12:3, is a
// path too; of the latter the whole file is meant.
func cutRange(text string) (path string, span lines, ok bool) {
	m := rangePattern().FindStringSubmatch(text)
	if m == nil {
		return "", lines{}, false
	}
	if m[2] != "" {
		first, _ := strconv.Atoi(m[2]) // at most nine digits
		span = lines{some: true, first: first, last: first}
	}
	if m[3] != "" {
		span.last, _ = strconv.Atoi(m[3])
	}
	return m[1], span, true
}

// onDisk resolves a path that is there.
func (x *expansion) onDisk(name string, span lines) (ref, bool) {
	if !plausible(name) {
		return ref{}, false
	}
	abs := x.o.Files.Abs(x.o.fromHome(name))
	info, err := os.Stat(abs)
	if err != nil || endsInSeparator(name) && !info.IsDir() {
		return ref{}, false
	}
	return ref{path: abs, dir: info.IsDir(), span: span}, true
}

// plausible leaves out what is text although something is there: dots alone, and names
// of other computers, which are asked as soon as they are looked at.
func plausible(name string) bool {
	return strings.Trim(name, ".") != "" && !strings.ContainsRune(name, 0) && !elsewhere(name)
}

// elsewhere reports whether name may be that of another computer.
func elsewhere(name string) bool {
	return len(name) > 1 && strings.Trim(name[:2], `/\`) == ""
}

func endsInSeparator(name string) bool {
	return strings.HasSuffix(name, "/") || filepath.Separator == '\\' && strings.HasSuffix(name, `\`)
}

// fromHome replaces the ~ of a path.
func (o Options) fromHome(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && o.Home != "" {
		return filepath.Join(o.Home, filepath.FromSlash(rest))
	}
	return name
}

// named gives r its name. Two names of one file are one reference.
func (x *expansion) named(r ref) ref {
	r.shown = x.o.Files.Rel(r.path)
	if real, err := x.o.Files.ReadPath(r.path); err == nil {
		r.shown = x.o.Files.Rel(real)
	}
	switch {
	case !r.dir:
		r.shown += r.span.String()
	case !strings.HasSuffix(r.shown, "/"):
		r.shown += "/"
	}
	return r
}

// asResource takes t for server:uri. A URI cannot be looked up, so that punctuation at
// its end is left out unless it is quoted.
func (x *expansion) asResource(t token) (ref, bool) {
	if x.o.Resources == nil || !strings.Contains(t.text, ":") {
		return ref{}, false
	}
	server, uri := x.o.server(t.text)
	if !t.quoted {
		uri = trimURI(uri)
	}
	return ref{shown: server + ":" + uri, server: server, uri: uri}, server != "" && uri != ""
}

// closing are the marks that end a sentence or what it is in, with the opening ones.
const closing = `.,;:!?'"` + "`" + `。，；：！？、…”’》」』】）`

func trimURI(uri string) string {
	pairs := []string{"()", "[]", "{}", "<>"}
	for {
		trimmed := strings.TrimRight(uri, closing)
		for _, p := range pairs {
			if strings.HasSuffix(trimmed, p[1:]) && strings.Count(trimmed, p[:1]) < strings.Count(trimmed, p[1:]) {
				trimmed = trimmed[:len(trimmed)-1]
			}
		}
		if trimmed == uri {
			return uri
		}
		uri = trimmed
	}
}

// servers are the names of the servers, sorted.
// server is the server whose resource text names, and the address there.
func (o Options) server(text string) (server, uri string) {
	if o.Resources == nil {
		return "", ""
	}
	for _, name := range o.Resources.Servers() {
		if rest, ok := strings.CutPrefix(text, name+":"); ok && len(name) > len(server) {
			server, uri = name, rest
		}
	}
	return server, uri
}
