package commands

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reasonix/commands/cmdutil"
)

// ManPages returns a page of section 1 for every command, in the order of the
// tree. They say what help says. Only the generator of the documentation calls
// it, so it is not part of the binary.
func ManPages() []Page {
	var pages []Page
	walk(documented(), func(cmd *cobra.Command) {
		pages = append(pages, Page{manName(cmd) + ".1", manText(cmd)})
	})
	return pages
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manText(cmd *cobra.Command) string {
	var m roff
	m.line(`.TH %s 1 "" reasonix "User Commands"`, strings.ToUpper(manName(cmd)))
	m.line(".SH NAME")
	m.line(`%s \- %s`, escape(manName(cmd)), escape(uncapitalized(cmd.Short)))
	m.synopsis(cmd)
	m.line(".SH DESCRIPTION")
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	m.prose(about)
	m.commands(cmd)
	m.options("OPTIONS", cmd.LocalFlags())
	m.options("GLOBAL OPTIONS", cmd.InheritedFlags())
	if cmd.Example != "" {
		m.line(".SH EXAMPLES")
		m.verbatim(strings.Split(strings.Trim(cmd.Example, "\n"), "\n"))
	}
	m.line(".SH EXIT STATUS")
	for _, e := range cmdutil.ExitCodesOf(cmd) {
		m.item(fmt.Sprintf(`\fB%d\fR`, e.Code), e.Meaning)
	}
	m.seeAlso(cmd)
	return m.text.String()
}

// roff is a page being written with the macros every man has.
type roff struct{ text strings.Builder }

// line writes one line; what comes from the command tree is escaped before.
func (m *roff) line(format string, args ...any) { fmt.Fprintf(&m.text, format+"\n", args...) }

func (m *roff) item(term, what string) { m.line(".TP\n%s\n%s", term, escape(what)) }

func (m *roff) synopsis(cmd *cobra.Command) {
	m.line(".SH SYNOPSIS")
	rest := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	m.line(`\fB%s\fR%s`, escape(cmd.CommandPath()), escape(rest))
	if len(children(cmd)) > 0 {
		m.line(".br\n"+`\fB%s\fR \fIcommand\fR [flags]`, escape(cmd.CommandPath()))
	}
}

func (m *roff) commands(cmd *cobra.Command) {
	list := children(cmd)
	if len(list) == 0 {
		return
	}
	m.line(".SH COMMANDS")
	for _, c := range list {
		m.item(`\fB`+escape(c.Name())+`\fR`, c.Short)
	}
}

func (m *roff) options(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	m.line(".SH %s", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		term := `\fB` + escape("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			term = `\fB` + escape("-"+f.Shorthand) + `\fR, ` + term
		}
		if value != "" {
			term += ` \fI` + escape(value) + `\fR`
		}
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		m.item(term, usage)
	})
}

func (m *roff) seeAlso(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, manName(cmd.Parent()))
	}
	for _, c := range children(cmd) {
		pages = append(pages, manName(c))
	}
	if len(pages) == 0 {
		return
	}
	m.line(".SH SEE ALSO")
	for i, p := range pages {
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		m.line(`\fB%s\fR(1)%s`, escape(p), comma)
	}
}

// prose writes paragraphs; indented lines stand as they are.
func (m *roff) prose(text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		m.line(".PP")
		var indented []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			if strings.HasPrefix(line, " ") {
				indented = append(indented, line)
				continue
			}
			m.verbatim(indented)
			indented = nil
			m.line("%s", escape(line))
		}
		m.verbatim(indented)
	}
}

func (m *roff) verbatim(lines []string) {
	if len(lines) == 0 {
		return
	}
	m.line(".PP\n.nf")
	for _, l := range lines {
		m.line("%s", escape(l))
	}
	m.line(".fi")
}

// escape makes text that roff prints as it is, wherever in a line it stands.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func uncapitalized(text string) string {
	for i, r := range text {
		return string(unicode.ToLower(r)) + text[i+len(string(r)):]
	}
	return text
}
