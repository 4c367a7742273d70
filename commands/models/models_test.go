package models_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/commands/models"
)

const file = `default_model = "box/large"

[[providers]]
name = "box"
base_url = "http://127.0.0.1:9/v1"
models = ["small", "large"]
api_key_env = "BOX_KEY"
context_window = 128000
price = { input = 1.5, output = 6.0, cache_hit = 0.25, currency = "EUR" }
supported_efforts = ["low", "high"]
default_effort = "high"

[[providers]]
name = "local"
base_url = "http://127.0.0.1:9/v1"
model = "org/free"
api_key_env = ""

[[providers]]
name = "bare"
base_url = "http://127.0.0.1:9/v1"
model = "m"
api_key_env = "NO_SUCH_KEY"
`

// list runs `models ARGS` with the file and a key for box.
func list(t *testing.T, text string, args ...string) (out, errs string, code int) {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{"config.toml": text, ".env": "# keys\nBOX_KEY=sk-secret-of-box\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var o, e bytes.Buffer
	cmd := models.New(&cmdutil.App{Out: &o, Err: &e, Home: home, WorkDir: t.TempDir()})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	err := cmd.Execute()
	if err != nil {
		e.WriteString(err.Error())
	}
	if strings.Contains(o.String()+e.String(), "sk-secret") {
		t.Errorf("the key is shown:\n%s%s", o.String(), e.String())
	}
	short := strings.NewReplacer(filepath.ToSlash(home), "HOME", home, "HOME")
	return short.Replace(o.String()), short.Replace(e.String()), cmdutil.CodeOf(err)
}

func TestTable(t *testing.T) {
	out, errs, code := list(t, file)
	const want = `MODEL           CONTEXT  PRICE                 EFFORTS     KEY
box/small       128k     1.5 / 6 / 0.25 EUR    low [high]  HOME/.env:2
box/large *     128k     1.5 / 6 / 0.25 EUR    low [high]  HOME/.env:2
local/org/free  -        -                     -           none needed
bare/m          -        -                     -           missing
`
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if diff := cmp.Diff(squeeze(out), squeeze(want)); code != 0 || errs != "" || diff != "" {
		t.Errorf("exit %d, %s\n%s\n%s", code, errs, diff, out)
	}
	columns := map[int]bool{}
	for line := range strings.Lines(out) {
		for _, word := range []string{"KEY", "HOME/", "none needed", "missing"} {
			if i := strings.Index(line, word); i >= 0 {
				columns[i] = true
			}
		}
	}
	if len(columns) > 1 {
		t.Errorf("the last column is not aligned:\n%s", out)
	}
}

func TestJSON(t *testing.T) {
	out, _, code := list(t, file, "--output-format", "json")
	type price struct {
		Input, Output float64
		CacheHit      float64 `json:"cache_hit"`
		Currency      string
	}
	type model struct {
		Model, Provider string
		Default         bool
		ContextWindow   int `json:"context_window"`
		Price           *price
		Efforts         []string
		DefaultEffort   string `json:"default_effort"`
		KeyPresent      bool   `json:"key_present"`
		KeySource       string `json:"key_source"`
	}
	var got []model
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	box := model{
		Provider: "box", ContextWindow: 128000, Price: &price{1.5, 6, 0.25, "EUR"}, Efforts: []string{"low", "high"},
		DefaultEffort: "high", KeyPresent: true, KeySource: "HOME/.env:2",
	}
	small, large := box, box
	small.Model, large.Model, large.Default = "box/small", "box/large", true
	want := []model{
		small, large,
		{Model: "local/org/free", Provider: "local", Efforts: []string{}, KeyPresent: true},
		{Model: "bare/m", Provider: "bare", Efforts: []string{}},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

func TestOneProvider(t *testing.T) {
	if out, _, code := list(t, file, "local"); code != 0 || strings.Contains(out, "box/") || !strings.Contains(out, "local/org/free") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if _, errs, code := list(t, file, "nobody"); code != 2 || !strings.Contains(errs, `no provider "nobody"`) {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

func TestTheBuiltInProviderIsListed(t *testing.T) {
	if out, _, code := list(t, ""); code != 0 || !strings.Contains(out, "deepseek/deepseek-v4-flash *") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestWarningsAndErrors(t *testing.T) {
	if out, errs, code := list(t, "langage = \"zh\"\n"+file); code != 0 || !strings.Contains(errs, "langage") || strings.Contains(out, "langage") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if _, errs, code := list(t, "a = ["); code != 3 || !strings.Contains(errs, "HOME/config.toml:1") {
		t.Errorf("exit %d\n%s", code, errs)
	}
}
