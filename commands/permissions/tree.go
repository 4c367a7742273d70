package permissions

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A branch is a command, a redirection or an expansion of a shell command.
type branch struct {
	text   string
	order  int // in the text, outer ones first
	parent *branch
	part   bool // a verdict is about it
}

// depth is how many parts b lies in.
func (b *branch) depth() int {
	n := 0
	for p := b.parent; p != nil; p = p.parent {
		if p.part {
			n++
		}
	}
	return n
}

// arrange puts the parts of a command in the order of its text and says how deep
// each one lies: a substitution below the command whose argument it is, a
// redirection below what it redirects, a command that another one starts below
// that. A command that cannot be read leaves them as they are.
func arrange(command string, parts []part) {
	branches := branchesOf(command)
	orders := make([]int, len(parts))
	at := make([]*branch, len(parts))
	for i, p := range parts {
		for _, b := range branches {
			if !b.part && b.text == p.Text {
				at[i], orders[i], b.part = b, b.order, true
				break
			}
		}
	}
	for i, p := range parts {
		if at[i] != nil {
			parts[i].Depth = at[i].depth()
			continue
		}
		orders[i] = len(branches)
		for _, b := range branches {
			if strings.Contains(b.text, p.Text) {
				inner := branch{parent: b}
				parts[i].Depth, orders[i] = inner.depth(), b.order
			}
		}
	}
	sorted := make([]int, len(parts))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(i, j int) int {
		return cmp.Or(cmp.Compare(orders[i], orders[j]), cmp.Compare(parts[i].Depth, parts[j].Depth))
	})
	before := slices.Clone(parts)
	for to, from := range sorted {
		parts[to] = before[from]
	}
}

// branchesOf takes a command apart, outer branches before what lies in them.
func branchesOf(command string) []*branch {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	var all []*branch
	var open []*branch // the branches that the walk is in, a nil for what is none
	redirected := map[*syntax.Redirect]*syntax.Stmt{}
	commands := map[syntax.Command]*branch{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		b := &branch{order: len(all)}
		switch n := n.(type) {
		case *syntax.File, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.Assign, *syntax.Comment:
			b = nil
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				redirected[r] = n
			}
			b = nil
		default:
			b.text, b.parent, all = textOf(command, n), innermost(open), append(all, b)
		}
		if c, ok := n.(syntax.Command); ok {
			commands[c] = b
		}
		if r, ok := n.(*syntax.Redirect); ok {
			if s := redirected[r]; s != nil && commands[s.Cmd] != nil {
				b.parent = commands[s.Cmd]
			}
		}
		open = append(open, b)
		return true
	})
	return all
}

func innermost(open []*branch) *branch {
	for _, b := range slices.Backward(open) {
		if b != nil {
			return b
		}
	}
	return nil
}

// textOf is n as written.
func textOf(command string, n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(command) {
		return ""
	}
	return strings.TrimSpace(command[from:to])
}
