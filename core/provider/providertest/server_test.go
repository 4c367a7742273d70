package providertest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

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
