package memory

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/memory"
)

// content are the flags that say what is in a fact.
type content struct {
	cmd                      *cobra.Command
	title, body, description string
	typ, scope               *string
	keywords                 []string
}

// contentFlags adds the flags to cmd.
func contentFlags(cmd *cobra.Command) *content {
	c := &content{cmd: cmd}
	f := cmd.Flags()
	f.StringVar(&c.title, "title", "", "one line; default: the first line of the text")
	f.StringVar(&c.body, "body", "", "the text, - for stdin")
	f.StringVar(&c.description, "description", "", "one line that says when it matters")
	f.StringSliceVar(&c.keywords, "keyword", nil, "a word to find it by; may be given several times, or with commas")
	c.typ = cmdutil.EnumFlag(cmd, "type", "project", "what about", "user", "feedback", "project", "reference")
	c.scope = cmdutil.EnumFlag(cmd, "scope", "project", "where it counts", "project", "global")
	return c
}

// given reports whether any of the flags was.
func (c *content) given() bool {
	for _, name := range []string{"title", "body", "description", "keyword", "type", "scope"} {
		if c.cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// into is draft with what the flags say.
func (c *content) into(draft memory.Draft) memory.Draft {
	set := c.cmd.Flags().Changed
	if set("title") {
		draft.Title = c.title
	}
	if set("body") && c.body != "-" {
		draft.Body = c.body
	}
	if set("description") {
		draft.Description = c.description
	}
	if set("keyword") {
		draft.Keywords = c.keywords
	}
	if set("type") {
		draft.Type = memory.Type(*c.typ)
	}
	if set("scope") {
		draft.Scope = memory.Scope(*c.scope)
	}
	return draft
}

func newAdd(d *desk) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add [TEXT...]",
		Short: "Keep a fact for later sessions",
		Long: `Keep a fact for later sessions.

The text is what follows the command, or --body, or stdin, which may be a Markdown file with keys in front
(docs/memory.md); on a terminal without any of them your editor opens ($VISUAL, $EDITOR). Without --title the
first line of the text is the title. A fact is the project's unless --scope global makes it yours everywhere.
A configured key or password is refused.`,
		Example: `  reasonix memory add 'Releases are cut on Fridays, from main.'
  reasonix memory add --scope global --type user --title 'Answer in Chinese' --body 'English is slow for me.'
  reasonix memory add < fact.md`,
	}
	c := contentFlags(cmd)
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := d.store()
		if err != nil {
			return err
		}
		text := strings.Join(args, " ")
		if text != "" && cmd.Flags().Changed("body") {
			return cmdutil.Usagef("give the text once: as arguments or with --body")
		}
		start := c.into(memory.Draft{Body: text})
		switch {
		case c.body == "-" || start.Body == "" && start.Description == "" && !d.app.StdinTTY:
			start, err = d.read(start)
		case start.Body == "" && start.Description == "":
			return d.write(cmd.Context(), s, *format, "kept", start)
		case start.Title == "":
			start, err = start.Fill([]byte(start.Body))
		}
		if err != nil {
			return coded(err)
		}
		return d.save(s, *format, "kept", c.into(start))
	}
	return cmd
}

// read is draft with what stdin says.
func (d *desk) read(draft memory.Draft) (memory.Draft, error) {
	text, err := io.ReadAll(io.LimitReader(d.app.In, memory.MaxFile+1))
	if err != nil {
		return draft, fmt.Errorf("read stdin: %w", err)
	}
	if len(text) > memory.MaxFile {
		return draft, &memory.InvalidError{Text: fmt.Sprintf("stdin has more than %d KB", memory.MaxFile>>10)}
	}
	return draft.Fill(text)
}

func (d *desk) save(s *memory.Store, format, verb string, draft memory.Draft) error {
	c, err := s.Save(draft)
	if err != nil {
		return coded(err)
	}
	return d.report(format, verb, c.After, c.Changed())
}
