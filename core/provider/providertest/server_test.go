package providertest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/provider/providertest"
)

const hello = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`

// post sends body and returns the status and the whole answer.
func post(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(got) + "!" + err.Error()
	}
	return resp.StatusCode, string(got)
}

func chat(s *providertest.Server) string { return s.BaseURL() + "/chat/completions" }

func TestTextIsAStreamThatEnds(t *testing.T) {
	s := providertest.New(t, providertest.Text("héllo wörld"))
	code, got := post(t, chat(s), hello)
	if code != 200 || !strings.HasSuffix(got, providertest.Done) || !strings.Contains(got, `"finish_reason":"stop"`) {
		t.Errorf("got %d %s", code, got)
	}
	if err := s.Wait(context.Background(), 1); err != nil {
		t.Error(err)
	}
	r := s.Requests()[0]
	if r.Model != "m" || !r.Stream || !r.Accepted || r.Last().Content != "hi" || string(r.Body) != hello {
		t.Errorf("got %+v", r)
	}
	<-r.Done()
}

func TestScriptEndsInAnErrorOrTheResponder(t *testing.T) {
	s := providertest.New(t)
	if code, got := post(t, chat(s), hello); code != 500 || !strings.Contains(got, "script exhausted") {
		t.Errorf("got %d %s", code, got)
	}
	s.Respond(func(r *providertest.Received) providertest.Reply {
		return providertest.Raw("you said " + r.Last().Content)
	})
	if _, got := post(t, chat(s), hello); got != "you said hi" {
		t.Errorf("got %s", got)
	}
	s.Add(providertest.Status(418, "teapot", "X-Pot", "1"))
	if code, got := post(t, chat(s), hello); code != 418 || got != "teapot" {
		t.Errorf("got %d %s", code, got)
	}
}

func TestUnseenRejectionFailsTheTest(t *testing.T) {
	for _, looks := range []bool{false, true} {
		w := &watched{TB: t}
		s := providertest.New(w)
		post(t, chat(s), `{"model":"m","messages":[]}`)
		if looks {
			s.Rejections()
		}
		w.end()
		if got := len(w.errors); got != map[bool]int{false: 1, true: 0}[looks] {
			t.Errorf("looked %v: got errors %q", looks, w.errors)
		}
	}
}

// TestSSE23WrongPathIsNotFound in JSON, as with a base URL that lacks /v1.
func TestSSE23WrongPathIsNotFound(t *testing.T) {
	s := providertest.New(t, providertest.Raw("here"), providertest.Raw("moved"))
	if code, got := post(t, s.Root()+"/chat/completions", hello); code != 404 || !strings.Contains(got, "Invalid URL (POST /chat/completions)") {
		t.Errorf("got %d %s", code, got)
	}
	if _, got := post(t, chat(s), hello); got != "here" {
		t.Errorf("got %s", got)
	}
	s.SetPaths("/gateway/ask", "")
	if _, got := post(t, s.Root()+"/gateway/ask", hello); got != "moved" {
		t.Errorf("got %s", got)
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d chat requests, want 2", n)
	}
}

func TestKeyIsRequired(t *testing.T) {
	s := providertest.New(t, providertest.Raw("in"))
	s.RequireKey("k")
	for _, header := range [][]string{nil, {"Authorization", "k"}, {"Authorization", "Bearer x"}} {
		if code, got := post(t, chat(s), hello, header...); code != 401 || !strings.Contains(got, "authentication_error") {
			t.Errorf("with %q: got %d %s", header, code, got)
		}
	}
	if _, got := post(t, chat(s), hello, "Authorization", "Bearer k"); got != "in" {
		t.Errorf("got %s", got)
	}
}

func TestModelsAreListed(t *testing.T) {
	s := providertest.New(t)
	s.SetModels("a", "b/c")
	s.RequireKey("k")
	list := func(path, key string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Root()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	const want = `{"data":[{"id":"a","object":"model"},{"id":"b/c","object":"model"}],"object":"list"}`
	if got := list("/v1/models", "k"); got != want {
		t.Errorf("got %s", got)
	}
	if got := list("/v1/models", "x"); !strings.Contains(got, "authentication_error") {
		t.Errorf("got %s", got)
	}
	s.SetPaths("", "/list")
	if got := list("/list", "k"); got != want {
		t.Errorf("got %s", got)
	}
}

// TestSSE27RefusedParameterIsNamed until the client stops sending it.
func TestSSE27RefusedParameterIsNamed(t *testing.T) {
	s := providertest.New(t, providertest.Raw("fine"))
	s.RefuseParams("temperature", "stream_options")
	body := strings.Replace(hello, `"stream"`, `"temperature":1,"stream"`, 1)
	code, got := post(t, chat(s), body)
	if code != 400 || !strings.Contains(got, `"param":"temperature"`) || !strings.Contains(got, `"code":"unsupported_parameter"`) {
		t.Errorf("got %d %s", code, got)
	}
	if _, got := post(t, chat(s), hello); got != "fine" {
		t.Errorf("got %s", got)
	}
	if r := s.Rejections(); len(r) != 0 {
		t.Errorf("a refused parameter counts as malformed: %q", r)
	}
}

func TestReceivedIsDecoded(t *testing.T) {
	s := providertest.New(t, providertest.Text("fine"))
	post(t, chat(s), `{"model":"m","stream":true,"temperature": 1e0,"tools":[`+tool("ls", `{"type":"object"}`)+`],"messages":[`+
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"data:,x"}}]},`+
		`{"role":"assistant","reasoning_content":"h\u006d","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},`+
		answered("a")+`]}`)
	r := s.Requests()[0]
	var got []string
	for _, m := range r.Messages {
		got = append(got, m.Role, m.Content, m.ToolCallID, string(m.Reasoning["reasoning_content"]), strings.Join(m.Images, " "))
	}
	want := []string{
		"user", "ab", "", "", "data:,x",
		"assistant", "", "", `"h\u006d"`, "",
		"tool", "ok", "a", "", "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]providertest.Call{{ID: "a", Name: "ls", Arguments: "{}"}}, r.Messages[1].ToolCalls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if string(r.Fields["temperature"]) != "1e0" || !cmp.Equal(r.Tools, []string{"ls"}) || !cmp.Equal(r.Results(), []string{"ok"}) {
		t.Errorf("got %s %q %q", r.Fields["temperature"], r.Tools, r.Results())
	}
}

func TestConcurrentRequestsShareTheScript(t *testing.T) {
	const n = 20
	s := providertest.New(t)
	for i := range n {
		s.Add(providertest.Raw(string(rune('a' + i))))
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			_, got := post(t, chat(s), hello)
			mu.Lock()
			defer mu.Unlock()
			seen[got] = true
		})
	}
	group.Wait()
	if len(seen) != n || len(s.Requests()) != n {
		t.Errorf("%d replies for %d requests", len(seen), len(s.Requests()))
	}
}

// TestNothingIsLeft behind a closed server, whatever it was doing.
func TestNothingIsLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s, err := providertest.Start(providertest.Text("x"), providertest.Raw("x").Hold())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	var bodies []io.Closer
	for range 2 {
		resp, err := client.Post(chat(s), "application/json", strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, resp.Body)
	}
	s.Close()
	for _, b := range bodies {
		b.Close()
	}
	client.CloseIdleConnections()
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}
