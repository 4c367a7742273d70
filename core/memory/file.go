package memory

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"reasonix/core/internal/frontmatter"
)

// The keys of a fact's file. Those of the second line are read, too: other
// programs write them.
const (
	keyID, keyRevision, keyType, keyScope, keyTitle = "id", "revision", "type", "scope", "title"
	keyName, keyMetadata, keyCreatedAt, keyUpdateAt = "name", "metadata", "created_at", "updated_at"
	keyDescription, keyKeywords                     = "description", "keywords"
	keyCreated, keyUpdated                          = "created", "updated"
	keyForgotten, keyReason                         = "forgotten", "reason"
)

// decode reads a fact from the text of the file at path. Whatever is not there is
// filled in; what is there and wrong is told. A text that is no fact at all is one
// problem with Skipped.
func decode(path string, text []byte, scope Scope, modified time.Time) (Fact, []Problem) {
	skip := func(why string) (Fact, []Problem) {
		return Fact{}, []Problem{{Path: path, Text: why, Skipped: true}}
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return skip("it is not UTF-8 text")
	}
	doc, err := frontmatter.Parse(text)
	if err != nil {
		return skip(err.Error())
	}
	r := reader{doc: doc, path: path}
	f := Fact{
		Path: path, Scope: scope, Body: cleanText(doc.Body),
		ID: r.id(), Revision: r.revision(), Type: r.typ(scope),
		Description: oneLine(r.get(keyDescription)), Reason: oneLine(r.get(keyReason)),
		Created:   r.time(modified, keyCreated, keyCreatedAt),
		Updated:   r.time(modified, keyUpdated, keyUpdateAt),
		Forgotten: r.time(time.Time{}, keyForgotten),
		Keywords:  Draft{Keywords: doc.List(keyKeywords)}.tidy().Keywords,
	}
	f.Title = cmp.Or(oneLine(r.get(keyTitle)), oneLine(r.get(keyName)), heading(f.Body), f.Description)
	if f.Title == "" {
		return skip("there is nothing in it")
	}
	r.scope(scope)
	return f, r.problems
}

// reader takes the keys of one file.
type reader struct {
	doc      *frontmatter.Doc
	path     string
	problems []Problem
}

func (r *reader) odd(format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: r.path, Text: fmt.Sprintf(format, args...)})
}

// get returns a key, also from below metadata.
func (r *reader) get(key string) string {
	if value, ok := r.doc.Get(key); ok {
		return strings.TrimSpace(value)
	}
	value, _ := r.doc.Sub(keyMetadata, key)
	return strings.TrimSpace(value)
}

func (r *reader) id() string {
	id := r.get(keyID)
	if validID(id) {
		return id
	}
	own := ownID(r.path)
	if id != "" {
		r.odd("the id %q is not letters, digits, - and _; it is called %s", id, own)
	}
	return own
}

// ownID is the id of a file that states none: its name, as far as that can be one.
func ownID(path string) string {
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if validID(stem) {
		return stem
	}
	sum := sha256.Sum256([]byte(stem))
	return "file-" + hex.EncodeToString(sum[:4])
}

func (r *reader) revision() int {
	text := r.get(keyRevision)
	n, err := strconv.Atoi(text)
	if err == nil && n > 0 && n < maxRevision {
		return n
	}
	if text != "" {
		r.odd("the revision %q is not a number from 1; it counts as 1", text)
	}
	return 1
}

// maxRevision leaves room for more.
const maxRevision = 1 << 30

func (r *reader) typ(scope Scope) Type {
	text := r.get(keyType)
	if t := Type(strings.ToLower(text)); slices.Contains(Types(), t) {
		return t
	}
	t := defaultType(scope)
	if text != "" {
		r.odd("there is no type %q; it counts as %s", text, t)
	}
	return t
}

func defaultType(scope Scope) Type {
	if scope == ScopeGlobal {
		return User
	}
	return Project
}

// scope holds what the file says against where it is.
func (r *reader) scope(scope Scope) {
	if text := r.get(keyScope); text != "" && Scope(strings.ToLower(text)) != scope {
		r.odd("it says scope %s and is among the %s facts; where it is counts", text, scope)
	}
}

// lastYear is the last one that can be written so that it is read again.
const lastYear = 9999

// time is the first of keys that is a time.
func (r *reader) time(otherwise time.Time, keys ...string) time.Time {
	for _, key := range keys {
		for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
			if t, err := time.Parse(form, r.get(key)); err == nil && t.UTC().Year() <= lastYear {
				return t.UTC()
			}
		}
	}
	return otherwise.UTC()
}

// heading is the first line of a Markdown text, short enough for a title.
func heading(body string) string {
	for line := range strings.SplitSeq(body, "\n") {
		if line = oneLine(strings.TrimLeft(line, "# -*>")); line != "" {
			return clip(line, MaxTitle)
		}
	}
	return ""
}

// clip is text with at most most characters.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// encode writes f into doc, which may hold more keys than those of a fact.
func encode(doc *frontmatter.Doc, f Fact) []byte {
	doc.Set(keyID, f.ID)
	doc.Set(keyRevision, strconv.Itoa(f.Revision))
	doc.Set(keyType, string(f.Type))
	doc.Set(keyScope, string(f.Scope))
	doc.Set(keyTitle, f.Title)
	setOrDelete(doc, keyDescription, f.Description)
	if len(f.Keywords) > 0 || doc.List(keyKeywords) != nil {
		doc.SetList(keyKeywords, f.Keywords)
	}
	doc.Set(keyCreated, f.Created.UTC().Format(time.RFC3339))
	doc.Set(keyUpdated, f.Updated.UTC().Format(time.RFC3339))
	doc.Delete(keyForgotten)
	doc.Delete(keyReason)
	if cleanText(doc.Body) != f.Body {
		doc.Body = "\n" + f.Body + "\n"
	}
	return doc.Render()
}

func setOrDelete(doc *frontmatter.Doc, key, value string) {
	if value == "" {
		doc.Delete(key)
		return
	}
	doc.Set(key, value)
}

// digest tells contents apart: what a person could have changed, and not how the
// file is laid out.
func digest(f Fact) string {
	h := sha256.New()
	for _, part := range append([]string{string(f.Type), f.Title, f.Description, f.Body}, f.Keywords...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}
