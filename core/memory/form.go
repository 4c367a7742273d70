package memory

import (
	"fmt"
	"slices"
	"strings"

	"reasonix/core/internal/frontmatter"
)

// Form is d as a person edits it: the keys they may set, whether they are set or
// not, and the body.
func (d Draft) Form() []byte {
	doc := &frontmatter.Doc{}
	doc.Set(keyTitle, d.Title)
	doc.Set(keyType, string(d.Type))
	doc.Set(keyScope, string(d.Scope))
	doc.Set(keyDescription, d.Description)
	doc.SetList(keyKeywords, d.Keywords)
	doc.Body = "\n"
	if d.Body != "" {
		doc.Body += d.Body + "\n"
	}
	return doc.Render()
}

// Fill is d with what text says: a Form, any part of one, or plain text, which is
// the body. Keys that are not there stay as they are. A new fact without a title
// gets the first line of its body for one. Errors are *InvalidError.
func (d Draft) Fill(text []byte) (Draft, error) {
	doc, err := frontmatter.Parse(text)
	if err != nil {
		return d, &InvalidError{err.Error()}
	}
	for key, value := range map[string]*string{keyTitle: &d.Title, keyDescription: &d.Description} {
		if v, ok := doc.Get(key); ok {
			*value = v
		}
	}
	if v, ok := doc.Get(keyType); ok {
		d.Type = Type(strings.ToLower(v))
	}
	if v, ok := doc.Get(keyScope); ok {
		d.Scope = Scope(strings.ToLower(v))
	}
	if slices.Contains(doc.Keys(), keyKeywords) {
		d.Keywords = doc.List(keyKeywords)
	}
	if d.Scope != "" && !slices.Contains(Scopes(), d.Scope) {
		return d, &InvalidError{fmt.Sprintf("there is no scope %q: it is project or global", d.Scope)}
	}
	d.Body = cleanText(doc.Body)
	if d = d.tidy(); d.Title == "" && d.Body != "" {
		d.Title, d.Body = entitle(d.Body)
	}
	return d, nil
}

// entitle takes a title from a text. A Markdown heading is the title and no longer
// part of the text, unless there is nothing else.
func entitle(text string) (title, body string) {
	title = heading(text)
	first, rest, _ := strings.Cut(text, "\n")
	if rest = cleanText(rest); strings.HasPrefix(first, "# ") && rest != "" {
		return title, rest
	}
	return title, text
}
