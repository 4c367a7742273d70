package cmdutil

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// The output formats most commands offer.
const (
	Text = "text"
	JSON = "json"
)

// PrintJSON writes v as one indented JSON object and a newline. Members keep the
// order of their struct, map keys are sorted, so equal values give equal bytes.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

// OutputFormat adds --output-format to cmd and returns where its value will be.
// The first format is the default; without formats it is text or json. Another
// word is a usage error.
func OutputFormat(cmd *cobra.Command, formats ...string) *string {
	if len(formats) == 0 {
		formats = []string{Text, JSON}
	}
	return EnumFlag(cmd, "output-format", formats[0], "what to print", formats...)
}

// EnumFlag adds a flag that takes one of a few words, completes them, and refuses
// any other as a usage error that lists them.
func EnumFlag(cmd *cobra.Command, name, value, usage string, words ...string) *string {
	e := &enum{value: value, words: words}
	cmd.Flags().Var(e, name, usage+": "+strings.Join(words, "|"))
	// Registering can only fail for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	return &e.value
}

type enum struct {
	value string
	words []string
}

func (e *enum) String() string { return e.value }
func (e *enum) Type() string   { return "word" }
func (e *enum) Set(s string) error {
	if !slices.Contains(e.words, s) {
		return fmt.Errorf("must be one of %s", strings.Join(e.words, ", "))
	}
	e.value = s
	return nil
}

// Shown is a text of whatever origin as a terminal may have it: control characters but
// line ends and tabs are left out, and what turns the text around it is its code.
func Shown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		case r == '\n', r == '\t', !unicode.IsControl(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
