package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"reasonix/core/config"
)

// TestKeyTableEqualsStruct: no field without a line in the table, no line
// without a field, and the kinds agree.
func TestKeyTableEqualsStruct(t *testing.T) {
	table := map[string]config.Kind{}
	for _, k := range config.Keys() {
		if _, twice := table[k.Path]; twice {
			t.Errorf("%s is there twice", k.Path)
		}
		table[k.Path] = k.Kind
		if k.Doc == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: want a doc of one sentence, got %q", k.Path, k.Doc)
		}
	}
	fields := map[string]config.Kind{}
	walk(reflect.TypeFor[config.Config](), "", fields)
	if d := cmp.Diff(fields, table); d != "" {
		t.Error(d)
	}
}

// walk lists the keys a struct decodes, by dotted path.
func walk(t reflect.Type, path string, out map[string]config.Kind) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("toml")
		if tag == "-" || !f.IsExported() {
			continue
		}
		visit(f.Type, strings.TrimPrefix(path+"."+tag, "."), out)
	}
}

func visit(t reflect.Type, path string, out map[string]config.Kind) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	names := map[string]string{"prices": "<model>", "model_overrides": "<model>", "tools": "<tool>"}
	switch t.Kind() {
	case reflect.Struct:
		walk(t, path, out)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			walk(t.Elem(), path+".<name>", out)
			return
		}
		out[path] = config.KindStrings
	case reflect.Map:
		if t.Elem().Kind() == reflect.Struct {
			walk(t.Elem(), path+"."+names[path[strings.LastIndexByte(path, '.')+1:]], out)
			return
		}
		out[path] = map[reflect.Kind]config.Kind{reflect.String: config.KindMap, reflect.Int: config.KindIntMap, reflect.Interface: config.KindAny}[t.Elem().Kind()]
	default:
		out[path] = map[reflect.Kind]config.Kind{reflect.String: config.KindString, reflect.Bool: config.KindBool, reflect.Int: config.KindInt, reflect.Float64: config.KindFloat}[t.Kind()]
	}
}

// TestExampleNamesEveryKeyAndLoads: commented out or not, each key is there and
// right, and the file means the defaults.
func TestExampleNamesEveryKeyAndLoads(t *testing.T) {
	example := string(config.Example())
	bare := newWorld(t, "", "").load()
	asIs := newWorld(t, example, "").load()
	if len(asIs.Warnings) > 0 {
		t.Errorf("warnings: %v", asIs.Warnings)
	}
	if d := cmp.Diff(valuesOf(bare), valuesOf(asIs)); d != "" {
		t.Errorf("the example file is not the defaults:\n%s", d)
	}
	if asIs.Agent.Temperature != nil {
		t.Error("temperature is not commented out")
	}

	var lines []string
	for line := range strings.Lines(example) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && (strings.Contains(strings.SplitN(rest, " = ", 2)[0], " ") || !strings.Contains(rest, " = ")) && !strings.HasPrefix(rest, "[[") {
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, "# "))
	}
	all := strings.Join(lines, "")
	var values map[string]any
	noErr(t, toml.Unmarshal([]byte(all), &values))
	for _, k := range config.Keys() {
		path := strings.NewReplacer("<name>", "0", "<model>", "deepseek-v4-flash", "<tool>", "delete_all").Replace(k.Path)
		if !has(values, strings.Split(path, ".")) {
			t.Errorf("%s is not in the example file", k.Path)
		}
	}
	c := newWorld(t, all, "").load()
	for _, w := range c.Warnings {
		if w.Code != config.WarnRetired {
			t.Errorf("with every key set: %s", w)
		}
	}
}

func valuesOf(c *config.Config) map[string]any {
	out := map[string]any{}
	for _, s := range c.Settings() {
		out[s.Key] = s.Value
	}
	return out
}

func has(v any, path []string) bool {
	for _, part := range path {
		if list, ok := v.([]any); ok && len(list) > 0 && part == "0" {
			v = list[0]
			continue
		}
		m, _ := v.(map[string]any)
		var ok bool
		if v, ok = m[part]; !ok {
			return false
		}
	}
	return true
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	root := filepath.Join("..", "..")
	for name, want := range map[string][]byte{
		"reasonix.example.toml":            config.Example(),
		filepath.Join("docs", "config.md"): config.Reference(),
	} {
		path := filepath.Join(root, name)
		got, err := os.ReadFile(path)
		noErr(t, err)
		if d := cmp.Diff(string(want), strings.ReplaceAll(string(got), "\r\n", "\n")); d != "" {
			t.Errorf("%s is stale: run make generate\n%s", name, d)
		}
	}
}

func TestReferenceNamesEveryKey(t *testing.T) {
	text := string(config.Reference())
	for _, k := range config.Keys() {
		contains(t, text, "| `"+k.Path+"` |")
	}
}

func TestEveryVariableIsDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, k := range config.Keys() {
		name := k.EnvName()
		if name != "" && seen[name] != "" {
			t.Errorf("%s and %s share %s", k.Path, seen[name], name)
		}
		if slices.Contains([]string{"REASONIX_HOME", "REASONIX_LANG"}, name) {
			t.Errorf("%s takes %s", k.Path, name)
		}
		seen[name] = k.Path
	}
}
