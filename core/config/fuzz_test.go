package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"reasonix/core/config"
)

// FuzzSet: whatever the file, an edit that succeeds gives TOML in which only the
// one key differs and every comment is left; one that fails gives nothing. An
// unset after it takes the key out again.
func FuzzSet(f *testing.F) {
	keys := []string{"language", "agent.temperature", "tools.shell.path", "permissions.deny", "providers.a.models", `providers.a.model_overrides."x.y".context_window`, `agent.subagent_models."r.s"`, "plugins.p.tools.t.approval_mode"}
	values := []any{"zh", 0.5, `C:\x`, []string{"A # b", `"`}, []string{"m"}, 9, "m", "auto"}
	for _, text := range []string{
		"", "# c\n[agent]\n# temperature = 1\n", "\ufeffa = 1\r\n[tools]\r\n\tshell = { } # x\r\n", mine, "providers = [ { name = 'a' } ] # y",
		"[[providers]]\nname='a'\n[providers.model_overrides.'x.y']\nvision=true\n# z\n[[providers]]\nname='b'\n",
		"agent.subagent_models.'r.s' = '''\n# not a comment\n'''\n", "[permissions]\ndeny = [ # one\n 'A', # two\n]\n", "a = { b = [ { c = 1 } ], # t\n d = 2 }\n",
	} {
		for i := range keys {
			f.Add([]byte(text), i)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, pick int) {
		i := ((pick % len(keys)) + len(keys)) % len(keys)
		before, comments, ok := parsed(file)
		after, err := config.Set(file, keys[i], values[i])
		if err != nil {
			if after != nil {
				t.Fatal("an error and a text")
			}
			return
		}
		if !ok {
			t.Fatalf("edited what is not TOML: %q", file)
		}
		got, gotComments, ok := parsed(after)
		if !ok {
			t.Fatalf("no longer TOML:\n%q\n%q", file, after)
		}
		if d := cmp.Diff(comments, gotComments); d != "" {
			t.Fatalf("comments: %s\n%q\n%q", d, file, after)
		}
		strip(before, keys[i])
		strip(got, keys[i])
		if d := cmp.Diff(before, got, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); d != "" {
			t.Fatalf("other keys: %s\n%q\n%q", d, file, after)
		}
		gone, err := config.Unset(after, keys[i])
		if err != nil {
			t.Fatalf("unset: %v\n%q", err, after)
		}
		if _, gotComments, _ := parsed(gone); !cmp.Equal(comments, gotComments) {
			t.Fatalf("unset lost a comment:\n%q\n%q", after, gone)
		}
	})
}

// parsed is a text's values and comments.
func parsed(text []byte) (map[string]any, []string, bool) {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, nil, false
	}
	var comments []string
	p := unstable.Parser{KeepComments: true}
	p.Reset(text)
	var visit func(n *unstable.Node)
	visit = func(n *unstable.Node) {
		if n.Kind == unstable.Comment {
			comments = append(comments, strings.TrimSpace(string(n.Data)))
		}
		for it := n.Children(); it.Next(); {
			visit(it.Node())
		}
	}
	for p.NextExpression() {
		n := p.Expression()
		visit(n)
		if next := n.Next(); next.Valid() {
			visit(next)
		}
	}
	slices.Sort(comments)
	return values, comments, true
}

// strip takes key out of values, and what is empty because of it.
func strip(values map[string]any, key string) {
	parts, err := config.SplitPath(key)
	if err != nil {
		panic(err)
	}
	stripIn(values, parts)
}

func stripIn(m map[string]any, parts []string) {
	list, isList := m[parts[0]].([]any)
	switch next := m[parts[0]].(type) {
	case map[string]any:
		if len(parts) > 1 {
			stripIn(next, parts[1:])
		}
		if len(next) == 0 || len(parts) == 1 {
			delete(m, parts[0])
		}
	default:
		if isList && len(parts) > 2 {
			m[parts[0]] = stripElement(list, parts)
			if len(m[parts[0]].([]any)) == 0 {
				delete(m, parts[0])
			}
		} else if len(parts) == 1 {
			delete(m, parts[0])
		}
	}
}

// stripElement strips the element of that name, and drops it when only the name
// is left: the edit may have made it.
func stripElement(list []any, parts []string) []any {
	var out []any
	for _, v := range list {
		m, ok := v.(map[string]any)
		if ok && m["name"] == parts[1] {
			stripIn(m, parts[2:])
			if len(m) == 1 {
				continue
			}
		}
		out = append(out, v)
	}
	return out
}
