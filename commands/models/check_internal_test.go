package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/provider"
	_ "reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
	"reasonix/core/provider/trial"
)

const secret = "sk-secret-of-the-check"

// checkAt runs the check of ref, with every host taken for the server behind
// transport.
func checkAt(t *testing.T, transport http.RoundTripper, text, ref string, asText bool) (out, errs string, code int) {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{"config.toml": text, ".env": "BOX_KEY=" + secret + "\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var o, e bytes.Buffer
	app := &cmdutil.App{Out: &o, Err: &e, Home: home, WorkDir: t.TempDir(), Now: time.Now}
	cfg, err := config.Load(input(app))
	if err != nil {
		t.Fatal(err)
	}
	c := checker{app: app, cfg: cfg, online: true, text: asText, reach: transport}
	var args []string
	if ref != "" {
		args = []string{ref}
	}
	err = c.run(t.Context(), args)
	if err != nil {
		e.WriteString(err.Error())
	}
	if strings.Contains(o.String()+e.String(), secret) {
		t.Errorf("the key is shown:\n%s%s", o.String(), e.String())
	}
	return o.String(), e.String(), cmdutil.CodeOf(err)
}

func boxAt(base string) string {
	return `default_model = "box"

[[providers]]
name = "box"
base_url = "` + base + `"
model = "scripted"
api_key_env = "BOX_KEY"
price = { input = 1.0, output = 4.0, cache_hit = 0.1, currency = "EUR" }
`
}

// vendorBox is a server that plays a vendor and wants the key.
func vendorBox(t *testing.T, vendor string) (s *pt.Server, text string, transport *http.Transport) {
	t.Helper()
	s = pt.New(t)
	base, transport := s.As(vendor)
	t.Cleanup(transport.CloseIdleConnections)
	s.RequireKey(secret)
	s.Respond(pt.Obliging)
	return s, boxAt(base), transport
}

// Every vendor's endpoint that is as its profile says passes without a difference.
func TestCheckOnlineOfEveryVendor(t *testing.T) {
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			s, text, transport := vendorBox(t, p.Name)
			out, errs, code := checkAt(t, transport, text, "", false)
			var got checkReport
			if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || !got.OK || len(got.Providers) != 1 {
				t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
			}
			r := got.Providers[0]
			if r.Profile.Name != p.Name || r.Model != "box/scripted" || !r.Default || len(r.Online.Checks) != 8 {
				t.Errorf("got %+v", r)
			}
			if len(r.Online.Differs)+len(r.Config) > 0 {
				t.Errorf("differs %v, set %v", r.Online.Differs, r.Config)
			}
			if r.Online.Requests != 6 || len(s.Requests()) != 5 || r.Online.Cost == nil || r.Online.Currency != "EUR" {
				t.Errorf("online: %+v", r.Online)
			}
			const bound = "asking box/scripted: at most 12 requests of about 400 tokens, each answered with at most 1024 (0.0540 EUR at most)\n"
			if errs != bound {
				t.Errorf("said before: %q", errs)
			}
		})
	}
}

func TestCheckOnlineAsText(t *testing.T) {
	_, text, transport := vendorBox(t, "mistral")
	out, _, code := checkAt(t, transport, text, "box", true)
	const want = `box/scripted *
  ok       model           box/scripted
  note     url             http://api.mistral.ai/v1: without TLS the key can be read on the way
  ok       key             HOME/.env:1
  note     window          context_window is not set: nobody knows how full the context is
  ok       price           1 / 4 / 0.1 EUR
  profile  Mistral
           reasoning       content; sent back: never
           protocol        auto
           output limit    max_tokens
           not sent        stream_options
           call ids        nine letters or digits
           token counts    last chunk, with the finish_reason, unasked
           cache hits      not counted
           known           refuses parameters it does not know with HTTP 422
           known           reasoning is a thinking part of a content list
           known           a call comes whole, in one chunk
  ok       models          1, scripted is among them
  ok       text            "ready", streamed in 5 events
  ok       usage           last chunk, with the finish_reason; no count of cache hits
  skipped  stream_options  the profile leaves it out
  ok       tool call       lookup {"name":"alpha"}, whole in one event
  ok       tool result     accepted and read
  ok       reasoning       not sent back, and not missed
  ok       parallel calls  2 in one reply, and their results were accepted
  sent     6 requests, 420 tokens in, 86 out, 0.0008 EUR
`
	if i := strings.Index(out, "/.env:1"); i > 0 { // the home directory is another one each time
		from := strings.LastIndex(out[:i], " ") + 1
		out = out[:from] + "HOME" + out[i:]
	}
	if diff := cmp.Diff(want, out); code != 0 || diff != "" {
		t.Errorf("exit %d\n%s", code, diff)
	}
}

// What differs from the profile, and what can be set about it, is said.
func TestCheckOnlineSaysWhatToSet(t *testing.T) {
	s, text, transport := vendorBox(t, "dashscope")
	s.RefuseParams("stream_options")
	s.Respond(func(r *pt.Received) pt.Reply {
		for _, m := range r.Messages {
			if len(m.Reasoning) > 0 {
				return pt.Status(400, `{"error":{"message":"property 'reasoning_content' is unsupported"}}`)
			}
		}
		return pt.Obliging(r)
	})
	// A model of its own: what is learnt about one is remembered.
	model := "scripted-" + strings.TrimPrefix(s.Root(), "http://127.0.0.1:")
	s.SetModels(model)
	out, _, code := checkAt(t, transport, strings.Replace(text, `"scripted"`, strconv.Quote(model), 1), "box/"+model, true)
	for _, want := range []string{
		"  note     stream_options  refused, and left out from then on\n",
		"  note     usage           no token counts: costs and the context's fill level are estimates\n",
		"  note     reasoning       refused when it is sent back, and left out from then on\n",
		"  differs  stream_options is refused\n",
		"  differs  reasoning that is sent back: refused; expected: with calls\n",
		"  set      reasoning_protocol = \"openai\"\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	if t.Failed() {
		t.Log(out)
	}
}

func TestCheckOnlineFails(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*pt.Server)
		code   int
		says   string
	}{
		"the key is refused": {func(s *pt.Server) { s.RequireKey("sk-another-one-0123") }, cmdutil.CodeConfig, "HTTP 401"},
		"no calls":           {func(s *pt.Server) { s.Respond(func(*pt.Received) pt.Reply { return pt.Text("ready") }) }, cmdutil.CodeProvider, "instead of calling the tool"},
		"nothing but failures": {func(s *pt.Server) {
			s.Respond(func(*pt.Received) pt.Reply { return pt.Status(503, `{"error":{"message":"busy"}}`) })
		}, cmdutil.CodeProvider, "busy"},
	} {
		t.Run(name, func(t *testing.T) {
			s, text, transport := vendorBox(t, "openrouter")
			c.change(s)
			out, _, code := checkAt(t, transport, text, "box", true)
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// A provider that cannot be asked is not.
func TestCheckOnlineWithoutAKeySendsNothing(t *testing.T) {
	s, text, transport := vendorBox(t, "groq")
	_, _, code := checkAt(t, transport, strings.Replace(text, "BOX_KEY", "OTHER_KEY", 1), "", true)
	if code != cmdutil.CodeConfig || len(s.Requests()) > 0 {
		t.Errorf("exit %d, %d requests", code, len(s.Requests()))
	}
}

func TestHelpStatesTheBounds(t *testing.T) {
	want := fmt.Sprintf("at most %d requests of about %d tokens, each answered with at most %d", trial.MaxRequests, trial.MaxInput, trial.MaxOutput)
	if !strings.Contains(strings.ReplaceAll(checkLong, "\n", " "), want) {
		t.Errorf("the help does not say %q", want)
	}
}
