package skill

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/core/internal/frontmatter"
)

// The keys of a skill's file.
const (
	keyName, keyDescription   = "name", "description"
	keyInvocation, keyRunAs   = "invocation", "runAs"
	keyModel, keyEffort       = "model", "effort"
	keyAllowedTools, keyColor = "allowed-tools", "color"
	// keyNotByModel is what other programs write for invocation: manual.
	keyNotByModel = "disable-model-invocation"
)

func keys() []string {
	return []string{keyName, keyDescription, keyInvocation, keyRunAs, keyModel, keyEffort, keyAllowedTools, keyColor, keyNotByModel}
}

// Limits of a skill's file.
const (
	MaxFile        = 64 << 10 // bytes
	MaxDescription = 1024     // characters; a longer one is cut
)

// parse reads a skill from the text of the file at path; otherwise is its name when
// the text gives none. Errors say what is wrong with the text and not where.
func parse(path, otherwise string, text []byte) (Skill, error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return Skill{}, errors.New("it is not UTF-8 text")
	}
	doc, err := frontmatter.Parse(text)
	if err != nil {
		return Skill{}, err
	}
	get := func(key string) string {
		value, _ := doc.Get(key)
		return oneLine(value)
	}
	s := Skill{
		Name: cmp.Or(get(keyName), otherwise), Path: path, Body: strings.TrimSpace(strings.ReplaceAll(doc.Body, "\r\n", "\n")),
		Invocation: Invocation(get(keyInvocation)), RunAs: RunAs(get(keyRunAs)),
		Model: get(keyModel), Effort: get(keyEffort), Color: get(keyColor),
		AllowedTools: allowedTools(doc), Unknown: unknown(doc),
	}
	s.Description = clip(cmp.Or(get(keyDescription), opening(s.Body)), MaxDescription)
	if s.Invocation == "" && strings.EqualFold(get(keyNotByModel), "true") {
		s.Invocation = Manual
	}
	s.Invocation, s.RunAs = cmp.Or(s.Invocation, Auto), cmp.Or(s.RunAs, Inline)
	return s.checked()
}

// checked is s with the name as it is compared, or what is wrong with s.
func (s Skill) checked() (Skill, error) {
	switch {
	case s.Body == "":
		return Skill{}, errors.New("there is no text below the keys")
	case s.Invocation != Auto && s.Invocation != Manual:
		return Skill{}, fmt.Errorf("invocation is auto or manual, not %q", s.Invocation)
	case s.RunAs != Inline && s.RunAs != Subagent:
		return Skill{}, fmt.Errorf("runAs is inline or subagent, not %q", s.RunAs)
	}
	if err := ValidName(s.Name); err != nil {
		return Skill{}, err
	}
	s.Name = Normal(s.Name)
	return s, nil
}

func unknown(doc *frontmatter.Doc) map[string]string {
	var other map[string]string
	for _, key := range doc.Keys() {
		if slices.Contains(keys(), key) {
			continue
		}
		if other == nil {
			other = map[string]string{}
		}
		other[key], _ = doc.Get(key)
	}
	return other
}

// allowedTools are the items of a list in any of its forms. A space parts them as
// well as a comma, but not within parentheses: `Bash(git add:*) Read` are two.
func allowedTools(doc *frontmatter.Doc) []string {
	text, _ := doc.Get(keyAllowedTools)
	if strings.HasPrefix(text, "[") {
		text = strings.TrimSuffix(text[1:], "]")
	}
	var list []string
	start, depth := 0, 0
	add := func(item string) {
		if item = strings.Trim(oneLine(item), `"'`); item != "" {
			list = append(list, item)
		}
	}
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth = max(0, depth-1)
		case depth == 0 && (unicode.IsSpace(r) || strings.ContainsRune(",，、", r)):
			add(text[start:i])
			start = i + utf8.RuneLen(r)
		}
	}
	add(text[start:])
	return list
}

// opening is the first line of a Markdown text that is no heading, or else the
// first heading.
func opening(body string) string {
	heading := ""
	for line := range strings.SplitSeq(body, "\n") {
		switch line = oneLine(line); {
		case line == "":
		case !strings.HasPrefix(line, "#"):
			return line
		case heading == "":
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	return heading
}

// oneLine is text on one line without control and format characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
	}), " ")
}

// clip is text with at most most characters.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// stem is the name of a file without its ending.
func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
