package web_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

func TestFetchConforms(t *testing.T) {
	url := pageOf(t, "text/html", "<p>hello")
	tooltest.Run(t, builtin(t, "web_fetch"), tooltest.Args(`{"url":"`+url+`","raw":false}`), tooltest.In(tooltest.Settings(here)))
}

// Every session pays for what a tool says of itself.
func TestFetchIsAskedAboutAndTerse(t *testing.T) {
	tl := builtin(t, "web_fetch")
	if tl.ReadOnly() {
		t.Error("a fetch passes as a reader")
	}
	if got := len(tl.Name()) + len(tl.Description()) + len(tl.Schema()); got > 220 {
		t.Errorf("web_fetch costs %d bytes", got)
	}
	for in, want := range map[string]string{
		`{"url":"https://Go.dev:8443/doc/a b?token=x#y"}`: "Fetch Go.dev:8443/doc/a%20b", `{"url":"https://go.dev/"}`: "Fetch go.dev",
		`{"url":"x\ny"}`: `Fetch "x\ny"`, `{}`: "Fetch",
	} {
		if s := tl.(tool.Subjecter).Subject([]byte(in)); s.Title != want || s.Kind != "fetch" || s.Paths != nil {
			t.Errorf("%s: got %+v, want %s", in, s, want)
		}
	}
	if s := tl.(tool.Subjecter).Subject([]byte(`{"url":"https://go.dev/?secret=1"}`)); s.Reason != "the address ends with ?secret=1" {
		t.Errorf("got %+v", s)
	}
}

func TestPagesAreReadAsText(t *testing.T) {
	jis, _ := japanese.ShiftJIS.NewEncoder().String("<meta charset=shift_jis><p>\u65e5\u672c\u8a9e")
	gbk, _ := simplifiedchinese.GBK.NewEncoder().String(strings.Repeat("\u4e2d\u6587\u6d4b\u8bd5\u3002", 20))
	wide, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("wide \u20ac")
	for _, tt := range []struct{ name, typ, body, want string }{
		{"html", "text/html; charset=utf-8", "<title>T</title><h1>Hi</h1><p>\u4e2d <a href=/x>go</a>", "T\n\n# Hi\n\n\u4e2d [go](URL/x)"},
		{"plain", "text/plain", "<b>as it is</b>\r\nx", "\n<b>as it is</b>\nx"},
		{"json", "application/json", "{\"a\":\"\u4e2d\"}", "\n{\"a\":\"\u4e2d\"}"},
		{"svg", "image/svg+xml", "<svg/>", "\n<svg/>"},
		{"no type", "", "<!doctype html><p>guessed", "\nguessed"},
		{"charset of the page", "text/html", jis, "\n\u65e5\u672c\u8a9e"},
		{"charset of the server", "text/plain; charset=gb18030", gbk, "\n" + strings.Repeat("\u4e2d\u6587\u6d4b\u8bd5\u3002", 20)},
		{"no charset at all", "text/plain", gbk, "\n" + strings.Repeat("\u4e2d\u6587\u6d4b\u8bd5\u3002", 20)},
		{"utf-16", "text/plain", wide, "\nwide \u20ac"},
		{"latin", "text/html; charset=iso-8859-1", "<p>caf\xe9", "\ncaf\u00e9"},
		{"late utf-8", "text/html", "<p>" + strings.Repeat("a", 2000) + "\u4e2d", "\n" + strings.Repeat("a", 2000) + "\u4e2d"},
		{"control characters", "text/plain", "a\x1b[31mb\x7f\u0085", "\na[31mb"},
		{"empty", "text/plain", "", "\n(no text)"},
	} {
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{tt.typ}
			_, _ = io.WriteString(w, tt.body)
		})
		out, _, err := fetch(t, t.Context(), here, map[string]any{"url": url})
		head, text, _ := strings.Cut(out, "\n")
		if err != nil || !strings.HasPrefix(head, "status 200 OK \u00b7 ") || !strings.HasSuffix(head, fmt.Sprintf(" \u00b7 %d bytes", len(tt.body))) {
			t.Errorf("%s: got %q, %v", tt.name, head, err)
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, url, "URL"), "\r", "")
		if text != tt.want {
			t.Errorf("%s: got %.200q, want %.200q", tt.name, text, tt.want)
		}
	}
}

func TestRawIsThePageItself(t *testing.T) {
	url := pageOf(t, "text/html", "<p>x</p>")
	if out, _, err := fetch(t, t.Context(), here, map[string]any{"url": url, "raw": true}); err != nil || !strings.HasSuffix(out, "\n\n<p>x</p>") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestBinaryIsRefusedByTypeAndSize(t *testing.T) {
	refused(t, here, pageOf(t, "image/png", "\x89PNG"), "not text (image/png, 4 bytes)")
	refused(t, here, pageOf(t, "application/octet-stream", "\x7fELF\x00\x01\x02"), "not text (application/octet-stream, 7 bytes)")
	refused(t, here, pageOf(t, "text/plain", "\x7fELF\x00\x01\x02"), "not text (text/plain, 7 bytes)")
	sent := make(chan error, 1)
	refused(t, here, site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Length", "9999999999")
		w.(http.Flusher).Flush()
		<-r.Context().Done() // nobody waits for the body
		sent <- r.Context().Err()
	}), "not text (application/pdf, 9999999999 bytes)")
	<-sent
}

func TestLongPagesAreCutAndKept(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "line %d \u4e2d\u6587\n", i)
	}
	url := pageOf(t, "text/plain; charset=utf-8", b.String())
	out, s, err := fetch(t, t.Context(), here, map[string]any{"url": url})
	if err != nil || len(out) > 32_200 || !strings.HasSuffix(out, "all of it: /kept/hash]") || s.call.Full != "hash" {
		t.Errorf("got %d bytes, %v, full %q: ...%q", len(out), err, s.call.Full, out[max(0, len(out)-100):])
	}
	if !strings.HasSuffix(s.text, strings.TrimSpace(b.String())) {
		t.Errorf("kept %d bytes of %d", len(s.text), b.Len())
	}
}

func TestABodyIsReadUpToItsCap(t *testing.T) {
	for name, zip := range map[string]bool{"plain": false, "gzip": true} {
		url := site(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			var to io.Writer = w
			if zip {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer z.Close()
				to = z
			}
			for range 600 {
				if _, err := io.WriteString(to, strings.Repeat("0123456789abcde\n", 1024)); err != nil {
					return
				}
			}
		})
		out, s, err := fetch(t, t.Context(), here, map[string]any{"url": url})
		if err != nil || !strings.Contains(out, "only the first 5242880 are here") || len(s.text) > 5<<20+200 {
			t.Errorf("%s: got %.200q, %v, kept %d", name, out, err, len(s.text))
		}
	}
}

func TestAFailureHasItsPage(t *testing.T) {
	url := site(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such thing", http.StatusNotFound) })
	refused(t, here, url, "status 404 Not Found", "no such thing")
}

func TestRedirects(t *testing.T) {
	other := pageOf(t, "text/plain", "other port")
	url := site(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch {
		case r.URL.Path == "/end":
			_, _ = io.WriteString(w, "the end"+r.Header.Get("Referer"))
		case r.URL.Path == "/to":
			http.Redirect(w, r, r.URL.Query().Get("u"), http.StatusFound)
		default:
			_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
			next := fmt.Sprintf("/%d", n-1)
			if n == 1 {
				next = "/end"
			}
			http.Redirect(w, r, next, http.StatusMovedPermanently)
		}
	})
	if out, _, err := fetch(t, t.Context(), here, map[string]any{"url": url + "/5"}); err != nil || !strings.HasSuffix(out, "\n\nthe end") {
		t.Errorf("five redirects: got %q, %v", out, err)
	}
	if out, _, err := fetch(t, t.Context(), here, map[string]any{"url": url + "/to?u=" + other}); err != nil || !strings.HasSuffix(out, "other port") {
		t.Errorf("another port: got %q, %v", out, err)
	}
	refused(t, here, url+"/6", "more than 5 redirects")
	refused(t, here, url+"/to?u=http://localhost:"+port(t, other), "another host", "fetch http://localhost:"+port(t, other))
	refused(t, here, url+"/to?u=http://169.254.169.254/latest", "another host")
	refused(t, here, url+"/to?u=file:///etc/passwd", "only http and https")
	refused(t, here, url+"/to?u=http://u:p@127.0.0.1/", "is not sent")
}

func TestARedirectFromHTTPSStaysThere(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, "http://"+r.Host+"/", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "safe")
	}))
	t.Cleanup(s.Close)
	env := tooltest.Env(t, t.TempDir(), tooltest.Settings(here))
	env.HTTP = s.Client()
	if out, _, err := fetchIn(t, t.Context(), env, map[string]any{"url": s.URL}); err != nil || !strings.HasSuffix(out, "safe") {
		t.Errorf("got %q, %v", out, err)
	}
	if out, _, err := fetchIn(t, t.Context(), env, map[string]any{"url": s.URL + "/down"}); err == nil || !strings.Contains(err.Error(), "redirect from https") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestWhatIsNotFetched(t *testing.T) {
	url := pageOf(t, "text/plain", "secret")
	strict := tool.Settings{Network: true}
	at := port(t, url)
	for _, u := range []string{
		url, "http://localhost:" + at, "http://[::1]:" + at, "http://[::ffff:127.0.0.1]:" + at, "http://0.0.0.0:" + at, "http://0:" + at,
		"http://10.1.2.3", "http://192.168.0.1", "http://172.16.0.1", "http://169.254.169.254/latest/meta-data", "http://100.64.0.1",
		"http://[fe80::1]", "http://[fd00::1]", "http://[64:ff9b::7f00:1]", "http://[2002:7f00:1::]", "http://224.0.0.1", "http://255.255.255.255",
	} {
		refused(t, strict, u)
	}
	refused(t, strict, url, "127.0.0.1 is not a public address (this machine)", "web_fetch(domain:127.0.0.1)")
	refused(t, strict, "http://localhost:"+at, "localhost is at ", "not a public address")
	refused(t, tool.Settings{FetchAllow: here.FetchAllow}, url, "the network is off", "sandbox.network")
	for u, words := range map[string]string{
		"ftp://x.org/": "only http and https", "file:///etc/passwd": "only http and https", "x.org": "only http and https", "http://": "the host",
		"http://u:p@x.org": "not sent", "http://\uff45vil.org": "xn--", "http://*/": "the host", "http://x.org:port": "invalid port",
	} {
		refused(t, here, u, words)
	}
}

func TestARuleNamesWhereAFetchMayGo(t *testing.T) {
	url := pageOf(t, "text/plain", "inside")
	local := strings.Replace(url, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		allow, url string
		ok         bool
	}{
		{"127.0.0.1", url, true},
		{"127.*", url, true},
		{"LOCALHOST", local, true},
		{"local*", local, true},
		{"localhos", local, false},
		{"*.example.com", url, false},
		{"", url, false},
	} {
		_, _, err := fetch(t, t.Context(), tool.Settings{Network: true, FetchAllow: []string{tt.allow}}, map[string]any{"url": tt.url})
		if (err == nil) != tt.ok {
			t.Errorf("%s under %q: %v", tt.url, tt.allow, err)
		}
	}
}

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	proxy := pageOf(t, "text/plain", "the proxy")
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("NO_PROXY", "")
	set := tool.Settings{Network: true, FetchAllow: []string{"127.0.0.1"}, Environ: []string{"HTTP_PROXY=" + proxy}}
	closed := httptest.NewServer(http.NotFoundHandler())
	url := closed.URL
	closed.Close()
	refused(t, set, url, "the proxy of the environment is not used")
}

func TestAFetchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled by the user")
	url := site(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 4096))
		w.(http.Flusher).Flush()
		cancel(cause)
		<-r.Context().Done()
	})
	if out, _, err := fetch(t, ctx, here, map[string]any{"url": url}); !errors.Is(err, cause) {
		t.Errorf("got %q, %v", out, err)
	}
}
