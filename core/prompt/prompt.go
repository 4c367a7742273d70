// Package prompt assembles the system text, the part of every request that comes
// before the conversation. It is byte-stable: equal parts give equal bytes, and
// what changes least stands first (identity and rules, instructions, the machine,
// the directory, the date), so that a provider's prompt cache serves one session
// after another. It reads nothing and asks nobody; the composition root hands it
// the parts, and the engine stores the result with the session and never
// assembles it again.
package prompt

import (
	_ "embed" // the texts are files
	"slices"
	"strings"
	"time"

	"reasonix/core/instruction"
)

//go:embed system.md
var system string

// Parts are what a session begins with.
type Parts struct {
	// Prompt replaces the built-in identity and rules (agent.system_prompt).
	Prompt string
	// ReasoningLanguage is auto, zh or en; auto and empty add nothing.
	ReasoningLanguage string
	// Instructions come weakest first.
	Instructions []instruction.File
	// Skills lists what run_skill can load; it may be empty.
	Skills string
	// Environment is environment.Report.Text; it may be empty.
	Environment string
	// Dir is the working directory.
	Dir string
	// Date is the day the session begins, in the user's zone; zero leaves it out.
	Date time.Time
}

const (
	instructionsHeading = "# Instructions"
	skillsHeading       = "# Skills for run_skill"
	environmentHeading  = "# Environment"
	instructionsIntro   = "Later ones win over earlier ones, and the user's words over all.\n"
)

// System returns the system text.
func System(p Parts) string {
	var b strings.Builder
	b.WriteString(identity(p))
	if len(p.Instructions) > 0 {
		b.WriteString("\n" + instructionsHeading + "\n" + instructionsIntro)
		for _, f := range p.Instructions {
			b.WriteString("\n## " + f.Name + " (" + string(f.Scope) + ")\n" + strings.TrimSpace(f.Text) + "\n")
		}
	}
	if skills := strings.TrimSpace(p.Skills); skills != "" {
		b.WriteString("\n" + skillsHeading + "\n" + skills + "\n")
	}
	b.WriteString("\n" + environmentHeading + "\n")
	if env := strings.TrimSpace(p.Environment); env != "" {
		b.WriteString(env + "\n")
	}
	if p.Dir != "" {
		b.WriteString("Directory: " + strings.ReplaceAll(p.Dir, `\`, "/") + "\n")
	}
	if !p.Date.IsZero() {
		b.WriteString("Date: " + p.Date.Format(time.DateOnly) + "\n")
	}
	return b.String()
}

func identity(p Parts) string {
	text := strings.TrimSpace(p.Prompt)
	if text == "" {
		text = strings.TrimSpace(system)
	}
	switch p.ReasoningLanguage {
	case "zh":
		text += "\n\nReason in Chinese."
	case "en":
		text += "\n\nReason in English."
	}
	return text + "\n"
}

// Changed says, for the next user turn, how current differs from the system text
// a session was stored with; both are results of System. It returns "" when the
// model knows everything that matters. The identity is not compared: a session
// keeps the one it began with.
func Changed(stored, current string) string {
	was, is := sections(stored), sections(current)
	var b strings.Builder
	for _, part := range []struct{ name, was, is string }{
		{"instruction files", was.instructions, is.instructions}, {"skills", was.skills, is.skills},
	} {
		switch {
		case part.was == part.is:
		case part.is == "":
			b.WriteString("The " + part.name + " are gone.\n")
		default:
			b.WriteString("The " + part.name + " are now:\n" + part.is + "\n")
		}
	}
	known := strings.Split(was.environment, "\n")
	for line := range strings.SplitSeq(is.environment, "\n") {
		if line != "" && !slices.Contains(known, line) {
			b.WriteString(line + "\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "<changed-since-the-session-began>\n" + b.String() + "</changed-since-the-session-began>"
}

// section are the parts of a system text that may change.
type section struct{ instructions, skills, environment string }

// sections cuts a system text at its headings. The machine's lines come last and
// hold no heading, so the last one is ours even when an instruction file has the
// same; so it is with the skills, which have a line each.
func sections(text string) section {
	at := strings.LastIndex(text, "\n"+environmentHeading+"\n")
	if at < 0 {
		return section{}
	}
	before, s := text[:at], section{environment: text[at+len(environmentHeading)+2:]}
	if at := strings.LastIndex(before, "\n"+skillsHeading+"\n"); at >= 0 {
		before, s.skills = before[:at], strings.TrimSpace(before[at+len(skillsHeading)+2:])
	}
	_, s.instructions, _ = strings.Cut(before, "\n"+instructionsHeading+"\n"+instructionsIntro)
	s.instructions = strings.TrimSpace(s.instructions)
	return s
}
