package skill

import (
	"cmp"
	"path/filepath"
	"strings"

	"reasonix/core/config"
	"reasonix/core/skill"
)

// listed is a skill in JSON without its text.
type listed struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"`
	RunAs       string `json:"runAs"`
	Invocation  string `json:"invocation"`
	Path        string `json:"path"`
	Description string `json:"description"`
	Why         string `json:"why,omitempty"` // it does not count
}

func listedOf(s skill.Skill) listed {
	return listed{
		Name: s.Name, Scope: string(s.Scope), RunAs: string(s.RunAs), Invocation: string(s.Invocation),
		Path: filepath.ToSlash(s.Path), Description: s.Description,
	}
}

// whole is a skill in JSON.
type whole struct {
	listed
	Model        string            `json:"model"`
	Effort       string            `json:"effort"`
	AllowedTools []string          `json:"allowedTools"`
	Color        string            `json:"color"`
	Unknown      map[string]string `json:"unknown"` // keys without a meaning
	Files        []string          `json:"files"`   // beside the text
	MoreFiles    int               `json:"moreFiles"`
	Body         string            `json:"body"`
}

func wholeOf(s skill.Skill) whole {
	files, more := s.Files()
	w := whole{
		listed: listedOf(s), Model: s.Model, Effort: s.Effort, AllowedTools: append([]string{}, s.AllowedTools...),
		Color: s.Color, Unknown: s.Unknown, Files: append([]string{}, files...), MoreFiles: more, Body: s.Body,
	}
	if w.Unknown == nil {
		w.Unknown = map[string]string{}
	}
	return w
}

// problem is a skill.Problem in JSON.
type problem struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Skipped bool   `json:"skipped"`
}

func problemsOf(list []skill.Problem) []problem {
	out := []problem{}
	for _, p := range list {
		out = append(out, problem{Path: filepath.ToSlash(p.Path), Text: p.Text, Skipped: p.Skipped})
	}
	return out
}

// line is a problem as a person reads it.
func (p problem) line() string {
	skipped := ""
	if p.Skipped {
		skipped = " (skipped)"
	}
	return config.Printable(p.Path+": "+p.Text) + skipped
}

// shownDescription is what a table shows for one.
func shownDescription(s skill.Skill) string {
	const most = 60
	text := []rune(cmp.Or(config.Printable(s.Description), "-"))
	if len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return string(text)
}

// shown is a path on a terminal.
func shown(path string) string { return config.Printable(filepath.ToSlash(path)) }

// shownText is a text of many lines on a terminal: of a stranger's skill a person
// sees what the model does, and nothing in it moves the cursor.
func shownText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j, cell := range cells {
			cells[j] = config.Printable(cell)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}
