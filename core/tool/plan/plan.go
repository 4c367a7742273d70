// Package plan holds the tools by which the model works with the user on what is
// to be done: todo_write keeps the list of steps that front ends show, ask puts
// questions to the person.
//
// Neither touches a file or runs anything, but both count as writers: what the
// model plans or asks must not race with what it does in the same reply. A todo
// list that breaks the rules is refused whole. A question is answered by a person
// or by nobody; the package never makes a choice in the user's name. The tools
// register themselves; the agent calls them through the registry.
package plan

import (
	"strings"
	"unicode"

	"reasonix/core/tool"
)

func init() {
	tool.RegisterBuiltin(todoWrite{})
	tool.RegisterBuiltin(ask{})
}

// oneLine is text without control characters, on one line.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// lines is text without control characters but for its line ends and tabs.
func lines(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
}
