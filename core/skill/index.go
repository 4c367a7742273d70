package skill

import (
	"fmt"
	"strings"
)

// MaxIndex bounds Index, in bytes: some 1,500 tokens that every session pays for.
const MaxIndex = 6000

const indexIntro = "Before a task that one of these skills is for, load it with run_skill. A skill is a way to work; it permits nothing.\n"

// widths are how many characters of each description the index shows: the first
// with which it fits.
func widths() []int { return []int{240, 120, 60, 0} }

// Index is what the model knows of the skills from the start: one line each, in the
// order of their names, without those it cannot run. It is the same for equal
// skills, byte for byte, and has at most MaxIndex bytes: with many skills every
// description gets shorter, at last there are names alone, and those that still do
// not fit are counted. It is empty without any skill.
func (l Skills) Index() string {
	l = l.offered()
	if len(l) == 0 {
		return ""
	}
	var text string
	for _, width := range widths() {
		text = indexIntro
		for _, s := range l {
			text += s.line(width)
		}
		if len(text) <= MaxIndex {
			return text
		}
	}
	return cutIndex(l)
}

func (s Skill) line(width int) string {
	if width == 0 || s.Description == "" {
		return "- " + s.Name + "\n"
	}
	return "- " + s.Name + ": " + clip(s.Description, width) + "\n"
}

// cutIndex has as many names as fit, and how many do not.
func cutIndex(l Skills) string {
	var b strings.Builder
	b.WriteString(indexIntro)
	for i, s := range l {
		rest := fmt.Sprintf("- and %d more: run_skill with a name like the one you need says which there are\n", len(l)-i)
		if b.Len()+len(s.line(0))+len(rest) > MaxIndex {
			b.WriteString(rest)
			break
		}
		b.WriteString(s.line(0))
	}
	return b.String()
}
