package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"reasonix/core/internal/symbol"
	"reasonix/core/tool"
)

const deleteSymbolSchema = `{"properties":{"kind":{"type":"string"},"name":{"type":"string"},` +
	`"parent":{"type":"string"},"path":{"type":"string"}},` +
	`"required":["path","name"],"type":"object"}`

// maxCandidates is how many symbols a refusal lists.
const maxCandidates = 20

// deleteSymbol deletes one declaration with its comment and annotations.
type deleteSymbol struct{ session }

type symbolArgs struct{ Path, Name, Kind, Parent string }

func (deleteSymbol) Name() string { return "delete_symbol" }
func (deleteSymbol) Description() string {
	return "Delete a declaration and its comment."
}
func (deleteSymbol) Schema() json.RawMessage { return json.RawMessage(deleteSymbolSchema) }
func (deleteSymbol) ReadOnly() bool          { return false }

func (t deleteSymbol) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t deleteSymbol) Subject(args json.RawMessage) tool.Subject {
	return t.edits(args, "Delete a symbol of", func(s session) tool.Tool { t.session = s; return t })
}

func (t deleteSymbol) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	var in symbolArgs
	if err := t.start(ctx, args, deleteSymbolSchema, &in); err != nil {
		return "", err
	}
	d, err := t.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	sym, err := in.find(d.file.Path, d.text)
	if err != nil {
		return "", &refusal{fmt.Sprintf("%s: %v", t.files.Show(d.file.Path), err), err}
	}
	return t.remove(ctx, d, withBlankLines(d.text, span{sym.Start, sym.End}), ": "+sym.String())
}

// find is the one symbol that is meant.
func (in symbolArgs) find(name, text string) (symbol.Symbol, error) {
	list, err := symbol.List(name, text)
	switch {
	case errors.Is(err, symbol.ErrLanguage):
		return symbol.Symbol{}, fmt.Errorf("%w. Nothing was written. Use delete_range", err)
	case err != nil:
		return symbol.Symbol{}, fmt.Errorf("%w. Nothing was written. Use delete_range, or put that right first", err)
	}
	found := in.among(list)
	switch {
	case len(found) == 0:
		return symbol.Symbol{}, fmt.Errorf("no such symbol. Nothing was written. %s", in.nearest(list))
	case len(found) > 1:
		return symbol.Symbol{}, fmt.Errorf("%d symbols are called so: %s. Nothing was written. Give kind or parent, or use delete_range", len(found), names(found))
	case found[0].Unsure != "":
		return symbol.Symbol{}, fmt.Errorf("%v cannot be deleted alone: %s. Nothing was written. Use delete_range or edit_file", found[0], found[0].Unsure)
	}
	return found[0], nil
}

// among narrows the list by name, parent and kind.
func (in symbolArgs) among(list []symbol.Symbol) []symbol.Symbol {
	name, parent := strings.Trim(in.Name, "()"), in.Parent
	found := keep(list, func(s symbol.Symbol) bool { return s.Name == name })
	if len(found) == 0 {
		if i := strings.LastIndexAny(name, ".:#"); i >= 0 {
			name, parent = name[i+1:], strings.Trim(name[:i], "(*)&.:#")
			found = keep(list, func(s symbol.Symbol) bool { return s.Name == name })
		}
	}
	if parent = strings.TrimLeft(parent, "*&"); parent != "" {
		found = keep(found, func(s symbol.Symbol) bool { return s.Parent == parent })
	}
	if in.Kind == "" {
		return found
	}
	if same := keep(found, func(s symbol.Symbol) bool { return strings.EqualFold(s.Kind, in.Kind) }); len(same) > 0 {
		return same
	}
	return keep(found, func(s symbol.Symbol) bool { return family(s.Kind) == family(in.Kind) })
}

func keep(list []symbol.Symbol, ok func(symbol.Symbol) bool) []symbol.Symbol {
	return slices.DeleteFunc(slices.Clone(list), func(s symbol.Symbol) bool { return !ok(s) })
}

// family puts the words of languages for the same thing together.
func family(kind string) string {
	switch kind = strings.ToLower(kind); kind {
	case "func", "function", "def", "fn", "fun", "method", "constructor", "declaration":
		return "function"
	case "var", "variable", "let", "val", "const", "constant", "static", "field", "property":
		return "variable"
	case "type", "class", "struct", "interface", "enum", "union", "record", "trait", "protocol", "actor", "object", "typedef", "typealias":
		return "type"
	}
	return kind
}

func names(list []symbol.Symbol) string {
	var texts []string
	for _, s := range list[:min(len(list), maxCandidates)] {
		texts = append(texts, s.String())
	}
	if more := len(list) - maxCandidates; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}

// nearest names what may have been meant.
func (in symbolArgs) nearest(list []symbol.Symbol) string {
	if len(list) == 0 {
		return "None was found in the file"
	}
	cost := func(s symbol.Symbol) int { return distance(strings.ToLower(in.Name), strings.ToLower(s.Name)) }
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool { return cost(list[i]) < cost(list[j]) })
	return "Nearest: " + names(list[:min(len(list), nearNames)])
}

// withBlankLines takes the blank lines on one side of a span away too, where a
// gap on both would be left as one, or one at the end of a block or the text.
func withBlankLines(text string, at span) span {
	before := strings.TrimRight(text[:at.start], " \t\r\n")
	gap := at.start - len(before)
	if i := strings.IndexByte(text[len(before):at.start], '\n'); i >= 0 && before != "" {
		gap -= i + 1 // what ends the last line of code
	}
	rest := strings.TrimLeft(text[at.end:], " \t\r\n")
	switch {
	case rest == "":
		return span{at.start - gap, len(text)}
	case gap > 0 && rest[0] == '}' && !strings.Contains(text[at.end:len(text)-len(rest)], "\n"):
		return span{at.start - gap, at.end}
	case gap > 0 || before == "" || strings.ContainsAny(before[len(before)-1:], "{:"):
		next := strings.LastIndexByte(text[:len(text)-len(rest)], '\n') + 1
		return span{at.start, max(at.end, next)}
	}
	return at
}
