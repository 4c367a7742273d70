package permissions

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// elementLines are the lines of the texts in the list that key names in a TOML
// file. Of a text that is no TOML they are those before the fault.
func elementLines(text []byte, key string) []int {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	f := finder{text: text, path: strings.Split(key, ".")}
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyOf(n)
		case unstable.KeyValue:
			f.entry(n, table)
		default: // a comment
		}
	}
	return f.lines
}

// finder looks for the elements of one list.
type finder struct {
	text  []byte
	path  []string
	lines []int
}

func (f *finder) entry(n *unstable.Node, table []string) {
	path := slices.Concat(table, keyOf(n))
	value := n.Value()
	switch {
	case value.Kind == unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				f.entry(it.Node(), path)
			}
		}
	case value.Kind == unstable.Array && slices.Equal(path, f.path):
		for it := value.Children(); it.Next(); {
			if it.Node().Kind == unstable.String {
				f.lines = append(f.lines, 1+bytes.Count(f.text[:it.Node().Raw.Offset], []byte{'\n'}))
			}
		}
	}
}

func keyOf(n *unstable.Node) []string {
	var parts []string
	for it := n.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}
