package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
)

func TestOneConnectionServesManyRequests(t *testing.T) {
	for name, second := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			from := map[string]bool{}
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				from[r.Proto+r.RemoteAddr] = true
				_, _ = io.Copy(io.Discard, r.Body)
				for _, piece := range []string{two, pt.Finish("stop"), pt.Done} {
					_, _ = io.WriteString(w, piece)
					w.(http.Flusher).Flush()
				}
			}))
			server.EnableHTTP2 = second
			server.StartTLS()
			defer server.Close()
			p, err := openai.New(provider.Config{Name: "s", BaseURL: server.URL, Model: "m", HTTP: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				same(t, stream(t, p, provider.Request{Messages: hello}), answer{Text: "partial text", Finish: provider.FinishStop})
			}
			if len(from) != 1 {
				t.Errorf("got connections %v", from)
			}
		})
	}
}

// early answers before it has read the request, and reads it later.
type early struct{ later chan io.ReadCloser }

func (e early) RoundTrip(req *http.Request) (*http.Response, error) {
	e.later <- req.Body
	return lines{pt.Delta(`"content":"hi"`) + pt.Finish("stop") + pt.Done, true}.RoundTrip(req)
}

func TestConversationIsNotReadBehindTheAnswer(t *testing.T) {
	later := make(chan io.ReadCloser, 1)
	p := scripted(t, early{later})
	wire := provider.NewWire(p)
	if err := wire.Append(hello...); err != nil {
		t.Fatal(err)
	}
	if got := stream(t, p, provider.Request{Wire: wire}); got.Text != "hi" {
		t.Errorf("got %+v", got)
	}
	// The agent may now write to the buffer, so nobody else may look at it.
	wire.Truncate(0)
	if err := wire.Append(message.Message{Role: message.User, Content: "else"}); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(<-later); err == nil || len(got) > 0 {
		t.Errorf("read %q behind the answer, %v", got, err)
	}
}
