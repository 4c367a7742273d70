package session

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"reasonix/core/message"
	"reasonix/core/session"
)

// markdown writes a transcript as Markdown. What people and models said is quoted, and
// outputs are in code fences longer than any in them, so that no text of a session can
// pass for another part of it, become HTML or load a picture.
type markdown struct{ out *bufio.Writer }

func (m *markdown) begin(in session.Info) {
	fmt.Fprintf(m.out, "# %s\n\n", inline(cmp.Or(in.Title, string(in.ID))))
	for _, row := range [][2]string{
		{"Session", string(in.ID)},
		{"Workspace", slash(in.Workspace)},
		{"Created", at(in.Created)},
		{"Last used", at(in.Updated)},
		{"Model", in.Model},
		{"State", stateOf(in)},
	} {
		if row[1] != "" {
			fmt.Fprintf(m.out, "- %s: %s\n", row[0], inline(row[1]))
		}
	}
}

func (m *markdown) block(b block) {
	switch b.kind {
	case turnBlock:
		fmt.Fprintf(m.out, "\n## %s\n", inline(b.head))
	case userBlock, assistantBlock:
		fmt.Fprintf(m.out, "\n### %s\n\n%s", inline(b.head), quoted(b.text))
	case reasoningBlock, callBlock, resultBlock:
		label := map[string]string{callBlock: "**Call** ", resultBlock: "**Result** "}[b.kind]
		fmt.Fprintf(m.out, "\n%s%s\n\n", label, inline(b.head))
		if b.text != "" {
			fmt.Fprint(m.out, fenced("", b.text))
		}
	case noteBlock:
		fmt.Fprintf(m.out, "\n*%s*\n\n", inline(b.head))
		if b.text != "" {
			fmt.Fprint(m.out, fenced("", b.text))
		}
	case endBlock:
		fmt.Fprintf(m.out, "\n**%s** %s\n", inline(b.head), inline(b.text))
	}
	for _, d := range b.diffs {
		fmt.Fprintf(m.out, "\n%s\n\n%s", inline(slash(d.Path)), fenced("diff", d.Unified))
	}
	for _, a := range b.images {
		fmt.Fprintf(m.out, "\n- %s\n", inline(attached(a)))
	}
}

func (m *markdown) end() {}

// attached names what was attached, in words.
func attached(a message.Attachment) string {
	return fmt.Sprintf("attached: %s (%s, %s)", cmp.Or(a.Name, slash(a.Path), a.Hash), cmp.Or(a.MIME, "unknown type"), size(a.Size))
}

// inline is text in a line of Markdown, without any effect.
func inline(text string) string {
	var b strings.Builder
	for _, r := range plain(text) {
		if strings.ContainsRune("\\`*_[]<>|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fenced is text in a code fence that nothing in it ends.
func fenced(lang, text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + lang + "\n" + strings.TrimSuffix(lines(text), "\n") + "\n" + fence + "\n"
}

// quoted is Markdown of others as a quotation. A code fence that begins at the margin
// stays one; elsewhere fences, what would be HTML and pictures are shown as they are
// written. So where a fence begins and ends is known for certain, as CommonMark has it.
func quoted(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.SplitSeq(strings.TrimSuffix(lines(text), "\n"), "\n") {
		line = untabbed(line)
		switch {
		case fence != "" && closes(line, fence):
			fence = ""
		case fence == "":
			if fence = opens(line); fence == "" {
				line = disarm(line)
			}
		}
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	if fence != "" {
		b.WriteString("> " + fence + "\n")
	}
	return b.String()
}

// untabbed has no tabs in front of the text, where they would count by their column.
func untabbed(line string) string {
	rest := strings.TrimLeft(line, " \t")
	return strings.ReplaceAll(line[:len(line)-len(rest)], "\t", "    ") + rest
}

// opens returns the fence a line begins, if it does so at the margin.
func opens(line string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

// closes reports whether a line ends a fence.
func closes(line, fence string) bool {
	marks := strings.TrimLeft(line, " ")
	if len(line)-len(marks) > 3 {
		return false
	}
	marks = strings.TrimRight(marks, " \t")
	return len(marks) >= len(fence) && strings.Trim(marks, fence[:1]) == ""
}

// disarm escapes what begins a tag, a picture or a fence.
func disarm(line string) string {
	return strings.NewReplacer("<", "&lt;", "![", `!\[`, "```", "\\`\\`\\`", "~~~", `\~\~\~`).Replace(line)
}
