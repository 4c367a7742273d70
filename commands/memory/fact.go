package memory

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

// listed is a fact in JSON without its body.
type listed struct {
	ID          string     `json:"id"`
	Revision    int        `json:"revision"`
	Type        string     `json:"type"`
	Scope       string     `json:"scope"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Keywords    []string   `json:"keywords"`
	Created     time.Time  `json:"created"`
	Updated     time.Time  `json:"updated"`
	Path        string     `json:"path"`
	Edited      bool       `json:"edited"`
	Archived    bool       `json:"archived"`
	Forgotten   *time.Time `json:"forgotten"`
	Reason      string     `json:"reason"`
}

// whole is a fact in JSON.
type whole struct {
	listed
	Body string `json:"body"`
}

func listedOf(f memory.Fact) listed {
	l := listed{
		ID: f.ID, Revision: f.Revision, Type: string(f.Type), Scope: string(f.Scope), Title: f.Title, Description: f.Description,
		Keywords: append([]string{}, f.Keywords...), Created: f.Created, Updated: f.Updated, Path: filepath.ToSlash(f.Path),
		Edited: f.Edited, Archived: f.Archived, Reason: f.Reason,
	}
	if !f.Forgotten.IsZero() {
		l.Forgotten = &f.Forgotten
	}
	return l
}

func wholeOf(f memory.Fact) whole { return whole{listed: listedOf(f), Body: f.Body} }

// problem is a memory.Problem in JSON.
type problem struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Skipped bool   `json:"skipped"`
}

func problemsOf(list []memory.Problem) []problem {
	out := []problem{}
	for _, p := range list {
		out = append(out, problem{Path: filepath.ToSlash(p.Path), Text: p.Text, Skipped: p.Skipped})
	}
	return out
}

// done is what a command that changes one fact prints in JSON.
type done struct {
	Fact    whole `json:"fact"`
	Changed bool  `json:"changed"`
}

// report says what became of a fact.
func (d *desk) report(format, verb string, f memory.Fact, changed bool) error {
	if format == cmdutil.JSON {
		return cmdutil.PrintJSON(d.app.Out, done{Fact: wholeOf(f), Changed: changed})
	}
	if !changed {
		verb = "unchanged"
	}
	_, err := fmt.Fprintf(d.app.Out, "%s %s: %s (%s)\n", verb, f.Ref(), f.Title, f.Scope)
	return err
}

// text is a fact as a person reads it.
func text(f memory.Fact) string {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-13s%s\n", name+":", value)
		}
	}
	row("id", f.ID)
	revision := fmt.Sprint(f.Revision)
	if f.Edited {
		revision += " (edited by hand)"
	}
	row("revision", revision)
	row("title", f.Title)
	row("type", string(f.Type))
	row("scope", string(f.Scope))
	row("description", f.Description)
	row("keywords", strings.Join(f.Keywords, ", "))
	row("created", stamp(f.Created))
	row("updated", stamp(f.Updated))
	row("forgotten", stamp(f.Forgotten))
	row("reason", f.Reason)
	row("file", filepath.ToSlash(f.Path))
	if f.Body != "" {
		b.WriteString("\n" + f.Body + "\n")
	}
	return b.String()
}

// stamp is a time of the system's zone, "" when there is none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}
