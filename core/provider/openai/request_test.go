package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
)

func TestSSE27UnsupportedParameterIsDroppedAndToldOnce(t *testing.T) {
	temperature := 0.5
	everything := options(func(o *provider.Options) {
		o.Temperature, o.MaxOutputTokens, o.Effort, o.ReasoningProtocol = &temperature, 100, "high", "deepseek"
		o.ExtraBody = map[string]any{"parallel_tool_calls": false}
	})
	for _, name := range []string{"stream_options", "parallel_tool_calls", "max_tokens", "temperature", "reasoning_effort", "thinking"} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s *pt.Server) {
				s.RefuseParams(name)
				p := open(t, s, everything)
				s.Add(pt.Text("one"), pt.Text("two"), pt.Text("three"))
				got := stream(t, p, provider.Request{Messages: hello})
				if diff := cmp.Diff(got.Notices, []string{"param_dropped scripted " + name}); diff != "" || got.Text != "one" {
					t.Errorf("got %+v", got)
				}
				got = stream(t, p, provider.Request{Messages: hello})
				// Another instance of the same endpoint knows as well.
				other := stream(t, open(t, s, everything), provider.Request{Messages: hello})
				if len(got.Notices)+len(other.Notices) > 0 || got.Text+other.Text != "twothree" {
					t.Errorf("got %+v, %+v", got, other)
				}
				if n := len(s.Requests()); n != 4 {
					t.Errorf("got %d requests, want 4", n)
				}
				for _, other := range []string{"stream_options", "parallel_tool_calls", "max_tokens", "temperature", "reasoning_effort", "thinking"} {
					if _, sent := s.Requests()[3].Fields[other]; sent == (other == name) {
						t.Errorf("%s: sent is %v", other, sent)
					}
				}
			})
		})
	}
}

func TestSSE27AllParametersAtOnce(t *testing.T) {
	s := pt.New(t, pt.Text("fine"))
	s.RefuseParams("stream_options", "reasoning_effort", "max_tokens")
	p := open(t, s, options(func(o *provider.Options) { o.Effort, o.MaxOutputTokens = "high", 5 }))
	if got := stream(t, p, provider.Request{Messages: hello}); got.Text != "fine" || len(got.Notices) != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestSSE27OutputLimitIsRenamed(t *testing.T) {
	s := pt.New(t, pt.Status(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`),
		pt.Text("fine"))
	got := stream(t, open(t, s), provider.Request{Messages: hello, MaxTokens: 77})
	if diff := cmp.Diff(got.Notices, []string{"param_renamed scripted max_tokens max_completion_tokens"}); diff != "" {
		t.Error(diff)
	}
	f := s.Requests()[1].Fields
	if string(f["max_completion_tokens"]) != "77" || f["max_tokens"] != nil {
		t.Errorf("got %s", s.Requests()[1].Body)
	}
}

func TestSSE27HowVendorsSayIt(t *testing.T) {
	for _, body := range []string{
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}}`,
		`{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted","type":"value_error.extra"}]}`,
		`{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`,
		`{"error":"json: unknown field \"stream_options\""}`,
		`{"message":"'stream_options.include_usage' is not supported"}`,
	} {
		for _, status := range []int{400, 422} {
			s := pt.New(t, pt.Status(status, body), pt.Text("fine"))
			if got := stream(t, open(t, s), provider.Request{Messages: hello}); got.Text != "fine" || len(got.Notices) != 1 {
				t.Errorf("%s: got %+v", body, got)
			}
		}
	}
}

func TestNothingIsLearntFromARefusalThatStays(t *testing.T) {
	bad := `{"error":{"message":"stream_options look fine, the temperature of the model does not"}}`
	s := pt.New(t, pt.Status(400, bad), pt.Status(400, bad), pt.Text("fine"))
	p := open(t, s)
	f := failed(t, stream(t, p, provider.Request{Messages: hello}))
	if f.Kind != provider.KindRequest || f.Status != 400 || f.Retryable {
		t.Errorf("got %+v", f)
	}
	stream(t, p, provider.Request{Messages: hello})
	if s.Requests()[2].Fields["stream_options"] == nil {
		t.Error("stream_options were given up for nothing")
	}
}

func TestSSE30FailuresSayWhatTheyAreWorth(t *testing.T) {
	type want struct {
		Kind      string
		After     time.Duration
		Retryable bool
	}
	says := func(text string) string { return `{"error":{"message":"` + text + `"}}` }
	for _, c := range []struct {
		name  string
		reply pt.Reply
		want  want
		text  string
	}{
		{"429 with seconds", pt.Status(429, says("slow down"), "Retry-After", "2"), want{provider.KindRateLimit, 2 * time.Second, true}, "slow down"},
		{"429 with a date", pt.Status(429, says("slow down"), "Date", "Mon, 02 Jan 2006 15:04:05 GMT", "Retry-After", "Mon, 02 Jan 2006 15:04:35 GMT"), want{provider.KindRateLimit, 30 * time.Second, true}, "slow down"},
		{"429 with milliseconds", pt.Status(429, says("slow down"), "Retry-After-Ms", "1500", "Retry-After", "2"), want{provider.KindRateLimit, 1500 * time.Millisecond, true}, "slow down"},
		{"429 because of money", pt.Status(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), want{provider.KindRateLimit, 0, false}, "pay"},
		{"503", pt.Status(503, says("busy"), "Retry-After", "1"), want{provider.KindOverloaded, time.Second, true}, "busy"},
		{"529", pt.Status(529, `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`), want{provider.KindOverloaded, 0, true}, "busy"},
		{"401", pt.Status(401, says("who?")), want{provider.KindAuth, 0, false}, "who?"},
		{"402", pt.Status(402, says("no money")), want{provider.KindRequest, 0, false}, "no money"},
		{"400", pt.Status(400, says("bad schema")), want{provider.KindRequest, 0, false}, "bad schema"},
		{"400 plain text", pt.Status(400, "no such\nroute"), want{provider.KindRequest, 0, false}, "no such route"},
		{"400 nothing", pt.Status(400, "", "Content-Type", ""), want{provider.KindRequest, 0, false}, "no content type from http://"},
		{"413", pt.Status(413, says("big")), want{provider.KindContext, 0, false}, "big"},
		{"message", pt.Status(400, `{"message":"flat"}`), want{provider.KindRequest, 0, false}, "flat"},
		{"detail", pt.Status(400, `{"detail":"django"}`), want{provider.KindRequest, 0, false}, "django"},
		{"error string", pt.Status(404, `{"error":"model 'x' not found, try pulling it first"}`), want{provider.KindRequest, 0, false}, "try pulling it first"},
		{"list", pt.Status(400, `[{"error":{"code":400,"message":"API key not valid"}}]`), want{provider.KindRequest, 0, false}, "API key not valid"},
		{"context, OpenAI", pt.Status(400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`), want{provider.KindContext, 0, false}, "8192"},
		{"context, Anthropic", pt.Status(400, says("prompt is too long: 210000 tokens > 200000 maximum")), want{provider.KindContext, 0, false}, "210000"},
		{"context, llama.cpp", pt.Status(400, says("the request exceeds the available context size (4096 tokens)")), want{provider.KindContext, 0, false}, "4096"},
		{"context, Gemini", pt.Status(400, says("The input token count (1200000) exceeds the maximum number of tokens allowed")), want{provider.KindContext, 0, false}, "1200000"},
		{"context, Moonshot", pt.Status(400, says("Invalid request: Your request exceeded model token limit: 8192")), want{provider.KindContext, 0, false}, "8192"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pt.New(t)
			f := failed(t, ask(t, s, c.reply))
			if diff := cmp.Diff(want{f.Kind, f.After, f.Retryable}, c.want); diff != "" {
				t.Errorf("got - want +\n%s", diff)
			}
			if !strings.Contains(f.Text, c.text) || f.Phase != provider.PhaseFirstByte {
				t.Errorf("got %+v", f)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("asked %d times; retries are the agent's", n)
			}
		})
	}
}

func TestSecretsNeverShow(t *testing.T) {
	secrets := []string{"sk-live-abcdef123456", "team-token-value", "query-secret-value", "sk-a***************xyz9"}
	s := pt.New(t)
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": "bad: " + strings.Join(secrets, " ") + " Bearer whatever\nsecond line " + strings.Repeat("long ", 200)}})
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, s, pt.Status(401, string(body)), func(c *provider.Config) {
		c.APIKey = secrets[0]
		c.Options.Headers = map[string]string{"X-Team": secrets[1]}
		c.Options.ChatURL = s.BaseURL() + "/chat/completions?key=" + secrets[2]
	})
	f := failed(t, got)
	for _, secret := range append(secrets, "whatever") {
		if strings.Contains(f.Error(), secret) {
			t.Errorf("%q is in %q", secret, f.Error())
		}
	}
	if !strings.HasPrefix(f.Text, "bad: [redacted] [redacted]") || !strings.HasSuffix(f.Text, "…") {
		t.Errorf("got %q", f.Text)
	}
}

func TestConnectionProblemsSayWhatToCheck(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]struct {
		url, says string
		retryable bool
	}{
		"nobody listens":        {gone.URL, "refused the connection", true},
		"TLS to a plain server": {strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS", false},
		"unknown certificate":   {secure.URL, "certificate that is not trusted", false},
	} {
		t.Run(name, func(t *testing.T) {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			p, err := openai.New(provider.Config{Name: "s", BaseURL: c.url + "/v1?token=hush-hush", Model: "m", HTTP: client})
			if err != nil {
				t.Fatal(err)
			}
			f := failed(t, stream(t, p, provider.Request{Messages: hello}))
			host := c.url[strings.Index(c.url, "//")+2:]
			if f.Kind != provider.KindConnection || f.Retryable != c.retryable || !strings.Contains(f.Text, c.says) || !strings.Contains(f.Text, host) {
				t.Errorf("got %+v", f)
			}
			if strings.Contains(f.Error()+f.Err.Error(), "hush") {
				t.Errorf("the query is in %v", f)
			}
		})
	}
}

func TestUnknownHostIsNamed(t *testing.T) {
	p, err := openai.New(provider.Config{Name: "s", BaseURL: "http://no-such-host.invalid/v1", Model: "m", HTTP: &http.Client{Transport: script{err: &net.DNSError{Err: "no such host", Name: "no-such-host.invalid", IsNotFound: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	if f := failed(t, stream(t, p, provider.Request{Messages: hello})); !strings.Contains(f.Text, "cannot find host no-such-host.invalid") {
		t.Errorf("got %+v", f)
	}
}

func TestRedirects(t *testing.T) {
	var posted []string
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("/old/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/new/chat/completions", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/new/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		posted = append(posted, r.Method+" "+r.Header.Get("Authorization")+" "+body.String())
		_, _ = w.Write([]byte(pt.Delta(`"content":"hi"`) + pt.Done))
	})
	mux.HandleFunc("/away/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/v1/chat/completions?token=x", http.StatusPermanentRedirect)
	})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	at := func(path string) answer {
		p, err := openai.New(provider.Config{Name: "s", BaseURL: server.URL + path, Model: "m", APIKey: "k", HTTP: client})
		if err != nil {
			t.Fatal(err)
		}
		return stream(t, p, provider.Request{Messages: hello})
	}
	if got := at("/old"); got.Text != "hi" || len(posted) != 1 || !strings.HasPrefix(posted[0], "POST Bearer k {") {
		t.Errorf("on one host: got %+v, %q", got, posted)
	}
	f := failed(t, at("/away"))
	if !strings.Contains(f.Text, "redirected to http://elsewhere.invalid/v1/chat/completions;") {
		t.Errorf("to another: got %+v", f)
	}
}

func TestRequestAsItGoesOut(t *testing.T) {
	s := pt.New(t, pt.Text("fine"))
	zero := 0.0
	p := open(t, s, func(c *provider.Config) {
		c.BaseURL += "/"
		c.APIKey = "k"
		c.Options.Temperature = &zero
		c.Options.MaxOutputTokens = 50
		c.Options.Headers = map[string]string{"x-title": "t", "User-Agent": "mine"}
		c.Options.ExtraBody = map[string]any{"top_p": 0.5, "provider": map[string]any{"order": []any{"<a>"}}, "stream_options": map[string]any{}}
	})
	tools := []message.ToolSchema{{Name: "ls", Description: "Lists <b>.", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "now"}}
	stream(t, p, provider.Request{Messages: hello, Tools: tools})
	r := s.Requests()[0]
	want := `{"model":"` + modelOf(s) + `","stream":true,"temperature":0,"provider":{"order":["<a>"]},"stream_options":{},"top_p":0.5,"max_tokens":50,` +
		`"tools":[{"type":"function","function":{"name":"ls","description":"Lists <b>.","parameters":{"type":"object"}}},` +
		`{"type":"function","function":{"name":"now","parameters":{"properties":{},"type":"object"}}}],` +
		`"messages":[{"role":"user","content":"go on"}]}`
	if diff := cmp.Diff(string(r.Body), want); diff != "" {
		t.Errorf("got - want +\n%s", diff)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer k", "Accept": "text/event-stream", "Content-Type": "application/json", "X-Title": "t", "User-Agent": "mine",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestBareRequestHasNothingThatWasNotConfigured(t *testing.T) {
	s := pt.New(t, pt.Text("fine"))
	stream(t, open(t, s), provider.Request{Messages: hello})
	r := s.Requests()[0]
	want := `{"model":"` + modelOf(s) + `","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go on"}]}`
	if diff := cmp.Diff(string(r.Body), want); diff != "" {
		t.Errorf("got - want +\n%s", diff)
	}
	if r.Header.Get("Authorization") != "" || r.Header.Get("User-Agent") != "reasonix" {
		t.Errorf("got header %v", r.Header)
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	for name, change := range map[string]func(*provider.Config){
		"no base_url":            func(c *provider.Config) { c.BaseURL = "" },
		"not an http":            func(c *provider.Config) { c.BaseURL = "ftp://host" },
		"no model":               func(c *provider.Config) { c.Model = "" },
		"extra_body may not set": func(c *provider.Config) { c.Options.ExtraBody = map[string]any{"messages": 1} },
		"extra_body f":           func(c *provider.Config) { c.Options.ExtraBody = map[string]any{"f": func() {}} },
		"unknown reasoning_protocol": func(c *provider.Config) {
			c.Options.ReasoningProtocol = "telepathy"
		},
		"header":  func(c *provider.Config) { c.Options.Headers = map[string]string{"A": "b\r\nC: d"} },
		"API key": func(c *provider.Config) { c.APIKey = "k\n" },
	} {
		cfg := provider.Config{Name: "mine", BaseURL: "https://host/v1", Model: "m"}
		change(&cfg)
		_, err := provider.New("openai", cfg)
		if err == nil || !strings.HasPrefix(err.Error(), "provider mine: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestModels(t *testing.T) {
	for body, want := range map[string][]string{
		`{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}`: {"b", "a"},
		`{"models":[{"name":"x"},{"id":"y"}]}`:                        {"x", "y"},
		`[{"id":"z"}]`:                                                {"z"},
		`{"data":[]}`:                                                 nil,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Method != http.MethodGet {
				w.WriteHeader(404)
			}
			_, _ = w.Write([]byte(body))
		}))
		client := server.Client()
		p, err := openai.New(provider.Config{Name: "s", Model: "m", HTTP: client, Options: provider.Options{ChatURL: server.URL + "/v1/chat/completions"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Models(t.Context())
		if diff := cmp.Diff(got, want); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", body, err, diff)
		}
		server.Close()
	}
}

func TestModelsFail(t *testing.T) {
	s := pt.New(t)
	s.RequireKey("k")
	var f *provider.Failure
	if _, err := open(t, s).Models(t.Context()); !errors.As(err, &f) || f.Kind != provider.KindAuth {
		t.Errorf("got %v", err)
	}
	p := open(t, s, options(func(o *provider.Options) { o.ModelsURL = s.Root() + "/nowhere" }))
	if _, err := p.Models(t.Context()); !errors.As(err, &f) || f.Status != 404 {
		t.Errorf("got %v", err)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html><body>Sign in</body></html>"))
	}))
	defer page.Close()
	p = open(t, s, options(func(o *provider.Options) { o.ModelsURL = page.URL + "/models?key=hush-hush" }))
	if _, err := p.Models(t.Context()); !errors.As(err, &f) || f.Text != "no list of models: content type text/html from "+page.URL+"/models" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Models(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	p = open(t, s, options(func(o *provider.Options) { o.ChatURL = s.Root() + "/x" }), func(c *provider.Config) { c.BaseURL = "" })
	if _, err := p.Models(t.Context()); err == nil || !strings.Contains(err.Error(), "models_url") {
		t.Errorf("got %v", err)
	}
}

func TestDeadKeptConnectionIsReplaced(t *testing.T) {
	s := pt.New(t, pt.Text("one"), pt.Raw().Reset(), pt.Text("two"))
	p := open(t, s)
	stream(t, p, provider.Request{Messages: hello})
	if got := stream(t, p, provider.Request{Messages: hello}); got.Text != "two" {
		t.Errorf("got %+v", got)
	}
	// A fresh connection that breaks is the agent's to retry.
	s = pt.New(t, pt.Raw().Reset())
	if f := failed(t, stream(t, open(t, s), provider.Request{Messages: hello})); f.Kind != provider.KindConnection || !f.Retryable {
		t.Errorf("got %+v", f)
	}
}
