package commands_test

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// models gives the victim one provider for each server, named a, b, c...; the first
// takes images.
func (v *victim) models(servers ...*providertest.Server) {
	var b strings.Builder
	fmt.Fprintf(&b, "default_model = \"a\"\n[environment]\nenabled = false\n")
	for i, s := range servers {
		fmt.Fprintf(&b, "[[providers]]\nname = %q\nkind = \"openai\"\nbase_url = %q\nmodel = \"one\"\napi_key_env = \"\"\nvision = %v\n",
			string(rune('a'+i)), s.BaseURL(), i == 0)
	}
	v.write(filepath.Join(v.home, "config.toml"), b.String())
}

func (v *victim) runs(args ...string) {
	v.t.Helper()
	if out, err := v.command(append([]string{"run"}, args...)...).CombinedOutput(); err != nil {
		v.t.Fatalf("%v\n%s", err, out)
	}
}

// SE-08: four calls of one reply, one fails and one runs out of time: four results in the
// order of the calls, and the session goes on.
func TestSE08ParallelResultsComeInCallOrder(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.write(filepath.Join(v.workspace, "a.txt"), "first\n")
	v.write(filepath.Join(v.workspace, "b.txt"), "fourth\n")
	v.model.Add(
		providertest.Calls(read("a.txt"), read("missing.txt"),
			providertest.Call{Name: "bash", Arguments: `{"command":"sleep 30","timeout_ms":200}`}, read("b.txt")),
		providertest.Text("done"), providertest.Text("gone on"),
	)
	v.runs("work")
	v.runs("--continue", "go on")
	for _, r := range v.model.Requests()[1:] {
		var results []string
		for _, m := range r.Messages {
			if m.Role == "tool" {
				results = append(results, m.Content)
			}
		}
		if len(results) != 4 || !strings.Contains(results[0], "first") || !strings.Contains(results[1], "missing.txt") ||
			!strings.Contains(results[2], "200ms") || !strings.Contains(results[3], "fourth") {
			t.Errorf("results %q", results)
		}
	}
}

// SE-10: a picture in the history is a note for a model without eyes.
func TestSE10ImageThenATextOnlyModel(t *testing.T) {
	eyes, blind := providertest.New(t), providertest.New(t)
	v := newVictim(t, eyes)
	v.models(eyes, blind)
	f, err := os.Create(filepath.Join(v.workspace, "dot.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	eyes.Add(providertest.Calls(providertest.Call{Name: "view_image", Arguments: `{"path":"dot.png"}`}), providertest.Text("a dot"))
	blind.Add(providertest.Text("I am told"))
	v.runs("look")
	v.runs("--continue", "--model", "b", "and now")
	seen, told := eyes.Requests(), blind.Requests()
	if !strings.Contains(string(seen[1].Body), "image_url") {
		t.Error("the first model was shown no picture")
	}
	if body := string(told[0].Body); strings.Contains(body, "image_url") || !strings.Contains(body, "image") {
		t.Errorf("the second was sent %s", body)
	}
}

// SE-11: three endpoints in turn in one session, the third of which wants the reasoning of
// its own replies back; every request is accepted, also on the way back.
func TestSE11ModelHopAndReasoning(t *testing.T) {
	a, b, c := providertest.New(t), providertest.New(t), providertest.New(t)
	v := newVictim(t, a)
	v.models(a, b, c)
	c.SetReasoningRequired("reasoning_content")
	v.write(filepath.Join(v.workspace, "a.txt"), "a\n")
	for i, hop := range []struct {
		name   string
		server *providertest.Server
	}{{"a", a}, {"b", b}, {"c", c}, {"a", a}, {"c", c}} {
		call := read("a.txt")
		call.ID = fmt.Sprint("call-", i)
		hop.server.Add(providertest.Calls(call).Reasoning("reasoning_content", "thinking of "+hop.name), providertest.Text("done"))
		args := []string{"--model", hop.name, "work"}
		if i > 0 {
			args = append([]string{"--continue"}, args...)
		}
		v.runs(args...)
	}
	for _, s := range []*providertest.Server{a, b, c} {
		if bad := s.Rejections(); len(bad) > 0 {
			t.Errorf("refused: %q", bad)
		}
	}
}
