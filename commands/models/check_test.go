package models_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheckSendsNothing(t *testing.T) {
	out, errs, code := list(t, file, "check")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	for _, want := range []string{
		"box/small\n  ok       model           box/small\n",
		"  ok       url             http://127.0.0.1:9/v1\n",
		"  ok       key             HOME/.env:2\n",
		"  ok       window          128000 tokens\n",
		"  ok       key             none needed\n",
		"  profile  any other endpoint\n",
		"  note     key             provider bare: no key: NO_SUCH_KEY is not set",
		"  note     price           not set: receipts have no cost, and --max-cost is refused\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A missing key matters for the provider that is named, or the default one.
func TestCheckExitCodes(t *testing.T) {
	const incomplete = "[[providers]]\nname = \"half\"\nmodel = \"m\"\napi_key_env = \"\"\n"
	for _, c := range []struct {
		text string
		args []string
		code int
		says string
	}{
		{file, []string{"bare"}, 3, "failed   key"},
		{strings.Replace(file, "box/large", "bare", 1), nil, 3, "failed   key"},
		{file, []string{"box/large"}, 0, "box/large *"},
		{file, []string{"box/other"}, 2, `no model "box/other"`},
		{file, []string{"nobody"}, 2, `no provider "nobody"`},
		{file, []string{"box", "local"}, 2, "accepts at most 1 arg"},
		{incomplete, []string{"half"}, 3, "failed   model           provider half is incomplete: add base_url"},
		{"a = [", nil, 3, "HOME/config.toml:1"},
	} {
		out, errs, code := list(t, c.text, append([]string{"check"}, c.args...)...)
		if c.code == 2 && code == 1 { // the root command makes it a usage error
			code = 2
		}
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: exit %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
	}
}

func TestCheckOfTheBuiltInProvider(t *testing.T) {
	out, _, _ := list(t, "", "check", "deepseek", "--output-format", "json")
	var got struct {
		OK        bool
		Providers []struct {
			Profile struct {
				Name     string
				Protocol string   `json:"reasoning_protocol"`
				Replay   string   `json:"reasoning_replay"`
				Fields   []string `json:"reasoning_fields"`
			}
			Checks []struct{ Name, Status string }
			Config []string
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.OK || len(got.Providers) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	p := got.Providers[0]
	if p.Profile.Name != "deepseek" || p.Profile.Replay != "with calls" || len(p.Profile.Fields) != 1 || p.Config == nil || len(p.Checks) != 5 {
		t.Errorf("got %+v", p)
	}
}
