package config

import (
	"errors"
	"fmt"
	"strings"
)

// Error is one thing wrong in a configuration, with its place. File is the path
// as given, "REASONIX_X" for the environment, "flag" for a flag; Line and Column
// are from 1 and 0 when there is no place; Column counts bytes.
type Error struct {
	File         string
	Line, Column int
	Key          string // "" when the text is not TOML
	Text         string // the offending text, one line
	Want         string // what was expected instead
	Hint         string // what to do about it; may be empty
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(place(e.File, e.Line, e.Column))
	if e.Key != "" {
		b.WriteString(": " + e.Key)
	}
	if e.Text != "" {
		b.WriteString(": " + clip(e.Text))
	}
	b.WriteString(": " + e.Want)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// ExitCode is the process's for a configuration that cannot be used.
func (*Error) ExitCode() int { return exitConfig }

// exitConfig is the exit code of configuration and credentials.
const exitConfig = 3

// Errors lists every *Error in err, in the order they were found.
func Errors(err error) []*Error {
	var one *Error
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		var all []*Error
		for _, e := range many.Unwrap() {
			all = append(all, Errors(e)...)
		}
		return all
	}
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}

// WarningCode says what a warning is about.
type WarningCode string

// The codes of warnings.
const (
	WarnUnknownKey   WarningCode = "unknown_key"
	WarnUserOnly     WarningCode = "user_only"
	WarnWidens       WarningCode = "widens"
	WarnRetired      WarningCode = "retired"
	WarnFallback     WarningCode = "fallback"
	WarnEnvFile      WarningCode = "env_file"
	WarnIncomplete   WarningCode = "incomplete_provider"
	WarnUnknownModel WarningCode = "unknown_model"
	WarnLink         WarningCode = "link"
	WarnServers      WarningCode = "mcp_json"
	WarnHooks        WarningCode = "hooks"
)

// Warning is something the user should be told and that stops nothing.
type Warning struct {
	Code         WarningCode
	File         string
	Line, Column int
	Keys         []string // what it is about
	Text         string
}

func (w Warning) String() string {
	return place(w.File, w.Line, w.Column) + ": " + w.Text
}

func place(file string, line, column int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// clip shortens s to one line that fits a message.
func clip(s string) string {
	const limit = 80
	s, _, more := strings.Cut(s, "\n")
	s = strings.TrimRight(s, "\r")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	if more {
		return s + "..."
	}
	return s
}
