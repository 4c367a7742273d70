package permissions

import (
	"fmt"
	"io"
	"strings"

	"reasonix/core/config"
	"reasonix/core/permission"
)

// print writes a verdict for a person.
func (v verdict) print(w io.Writer, color bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", paint(v.Verdict, color))
	width := 0
	for _, p := range v.Parts {
		width = max(width, len([]rune(p.label())))
	}
	for _, p := range v.Parts {
		fmt.Fprintf(&b, "  %s%s  %-*s  %s\n", paint(p.Verdict, color), strings.Repeat(" ", 5-len(p.Verdict)), width, p.label(), p.because(v))
	}
	if len(v.Parts) > 0 {
		fmt.Fprintln(&b)
	}
	v.line(&b, "because", v.because())
	v.line(&b, "approval", v.Approval.line())
	v.line(&b, "directory", v.Dir)
	o := v.Outcomes
	v.line(&b, "postures", fmt.Sprintf("ask: %s, auto: %s, yolo: %s", o.Ask, o.Auto, o.Yolo))
	headless := o.Headless
	if o.HeadlessDeny != o.Headless {
		headless += ", with --on-ask deny: " + o.HeadlessDeny
	}
	v.line(&b, "headless", headless)
	v.line(&b, "protected", strings.Join(v.Release, ", "))
	v.line(&b, "to allow", v.toAllow())
	v.line(&b, "or wider", strings.Join(v.Prefix, " and "))
	_, err := io.WriteString(w, b.String())
	return err
}

func (v verdict) line(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "%-10s %s\n", name, config.Printable(text))
	}
}

// toAllow is what makes the call run without a question.
func (v verdict) toAllow() string {
	if len(v.Suggest) == 0 && v.Policy == permission.Ask.String() && v.Rule != "" && !v.Fresh {
		return "take away the ask rule: no allow rule beats it"
	}
	return strings.Join(v.Suggest, " and ")
}

// because says what decided the whole call, where the parts do not.
func (v verdict) because() string {
	switch {
	case v.Why != "":
		return v.Why
	case len(v.Parts) > 0:
		return ""
	}
	return whose(v.Rule, v.Source, v.Mode)
}

// because says what decided the part.
func (p part) because(v verdict) string {
	text := whose(p.Rule, p.Source, v.Mode)
	if p.Rule == "" && p.Source == permission.Fallback && p.Policy == permission.Allow.String() && v.Mode != p.Policy {
		text = "needs no rule"
	}
	switch {
	case p.Fresh && p.Why == v.Why:
		text = "a person looks at it each time"
		if p.Rule != "" {
			text += ", because of " + whose(p.Rule, p.Source, v.Mode)
		}
	case p.Why != "" && p.Why != v.Why:
		text = config.Printable(p.Why)
		if p.Rule != "" {
			text += "; " + whose(p.Rule, p.Source, v.Mode)
		}
	}
	switch {
	case p.Dir == "":
		text += " (its directory is not known)"
	case p.Dir != v.Dir:
		text += " (in " + config.Printable(p.Dir) + ")"
	}
	return text
}

func whose(rule, source, mode string) string {
	switch {
	case rule != "":
		return config.Printable(rule + "  " + source)
	case source == permission.Fallback || source == "":
		return "no rule; permissions.mode is " + mode
	}
	return config.Printable(source)
}

// widest is how much of one part is shown, in characters.
const widest = 60

// label is the part in one line.
func (p part) label() string {
	text := strings.Join(strings.Fields(p.Text), " ")
	runes := []rune(strings.Repeat("  ", p.Depth) + config.Printable(text))
	if len(runes) > widest {
		return string(runes[:widest-1]) + "…"
	}
	return string(runes)
}

// paint colours a verdict's word for a terminal.
func paint(word string, color bool) string {
	code := map[string]string{"allow": "32", "ask": "33", "deny": "31"}[word]
	if !color || code == "" {
		return word
	}
	return "\x1b[" + code + "m" + word + "\x1b[0m"
}
