package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A shell and the parser must agree on what is a comment, or one of them hides a
// command from the other. They differ at the end of one (no backslash continues a
// comment) and at the edges of where one may begin, so what is not plainly a
// comment to every shell keeps a script from being read.

// span is a part of a script, from its first byte to the one behind it.
type span struct{ from, to int }

// comments are the spans of a script in which a "#" means what the parser says.
type comments struct {
	text   string
	spans  []span
	unread string
}

// differs says why a script may be another one to its shell than it is to the
// parser; it is empty when it is not. Without a "#" there is no comment.
func differs(text string, file *syntax.File) string {
	if strings.IndexByte(text, '#') < 0 {
		return ""
	}
	c := &comments{text: text}
	c.walk(file, false, false)
	for i := 0; i < len(text) && c.unread == ""; i++ {
		if text[i] == '#' && c.begins(i) && !c.known(i) {
			c.unread = oddComment
		}
	}
	return c.unread
}

const oddComment = "shells differ on where a comment in it begins or ends"

// walk collects the spans below n. nested says that n is inside a substitution,
// ticked that this is one in backquotes.
func (c *comments) walk(n syntax.Node, nested, ticked bool) {
	syntax.Walk(n, func(in syntax.Node) bool {
		switch in := in.(type) {
		case *syntax.Comment:
			c.comment(in, nested, ticked)
		case *syntax.CmdSubst:
			if in != n {
				c.walk(in, true, ticked || in.Backquotes)
				return false
			}
		case *syntax.ProcSubst:
			if in != n {
				c.walk(in, true, ticked)
				return false
			}
		case *syntax.SglQuoted:
			c.mask(in)
		case *syntax.DblQuoted:
			for _, part := range in.Parts {
				c.literal(part)
			}
		case *syntax.Redirect:
			if in.Hdoc != nil {
				for _, part := range in.Hdoc.Parts {
					c.literal(part)
				}
			}
		}
		return true
	})
}

func (c *comments) mask(n syntax.Node) {
	c.spans = append(c.spans, span{int(n.Pos().Offset()), int(n.End().Offset())})
}

func (c *comments) literal(part syntax.WordPart) {
	if lit, ok := part.(*syntax.Lit); ok {
		c.mask(lit)
	}
}

// comment looks at what the parser takes for a comment.
func (c *comments) comment(n *syntax.Comment, nested, ticked bool) {
	from := int(n.Hash.Offset())
	if from >= len(c.text) || c.text[from] != '#' {
		c.unread = oddComment
		return
	}
	line, _, _ := strings.Cut(c.text[from:], "\n")
	switch {
	case strings.HasSuffix(line, `\`):
		c.unread = "a comment in it ends in a backslash"
	case ticked, nested && strings.ContainsAny(line, "'\"`()\\$"), !c.plainly(from):
		c.unread = oddComment
	}
	c.spans = append(c.spans, span{from, from + len(line)})
}

// plainly reports whether every shell begins a comment at i.
func (c *comments) plainly(i int) bool {
	if i == 0 {
		return true
	}
	return strings.IndexByte(" \t\n;&|", c.text[i-1]) >= 0 && (i == 1 || c.text[i-2] != '\\')
}

// begins reports whether some shell may begin a comment at i.
func (c *comments) begins(i int) bool {
	if i == 0 {
		return true
	}
	head := c.text[:i-1]
	if strings.HasSuffix(head, `\`) && !strings.HasSuffix(head, `\\`) && c.text[i-1] != '\n' {
		return false
	}
	return strings.IndexByte(" \t\n;&|()<>`", c.text[i-1]) >= 0
}

func (c *comments) known(i int) bool {
	for _, s := range c.spans {
		if s.from <= i && i < s.to {
			return true
		}
	}
	return false
}
