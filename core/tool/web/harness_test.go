package web_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
	_ "reasonix/core/tool/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func builtin(t testing.TB, name string) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == name {
			return tl
		}
	}
	t.Fatalf("%s is not registered", name)
	return nil
}

// here lets fetches go to this machine.
var here = tool.Settings{Network: true, FetchAllow: []string{"127.0.0.1"}}

// site serves pages until the test ends.
func site(t testing.TB, pages http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(pages)
	t.Cleanup(s.Close)
	return s.URL
}

// pageOf serves one page.
func pageOf(t testing.TB, typ, body string) string {
	t.Helper()
	return site(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typ)
		_, _ = io.WriteString(w, body)
	})
}

type saved struct {
	text string
	call tool.Call
}

// fetch calls the tool.
func fetch(t testing.TB, ctx context.Context, set tool.Settings, in map[string]any) (string, *saved, error) {
	t.Helper()
	return fetchIn(t, ctx, tooltest.Env(t, t.TempDir(), tooltest.Settings(set)), in)
}

func fetchIn(t testing.TB, ctx context.Context, env tool.Env, in map[string]any) (string, *saved, error) {
	t.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	s := &saved{}
	s.call.Save = func(r io.Reader) (string, string, error) {
		data, err := io.ReadAll(r)
		s.text = string(data)
		return "hash", "/kept/hash", err
	}
	out, err := tooltest.Bind(t, builtin(t, "web_fetch"), env).Execute(tool.WithCall(ctx, &s.call), args)
	return out, s, err
}

func refused(t *testing.T, set tool.Settings, url string, words ...string) {
	t.Helper()
	out, _, err := fetch(t, t.Context(), set, map[string]any{"url": url})
	if err == nil {
		t.Errorf("%s: got %.300q, want a refusal", url, out)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: got %q, want %q in it", url, err, word)
		}
	}
}

// port is the port of a server's address.
func port(t testing.TB, url string) string {
	t.Helper()
	_, p, err := net.SplitHostPort(strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
