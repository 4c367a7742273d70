package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/auth"

	"reasonix/core/durable"
	"reasonix/integrations/mcp/oauth"
)

// client is one process that talks to an authority.
type client struct {
	t       *testing.T
	a       *authority
	options oauth.Options
	handler auth.OAuthHandler
	mu      sync.Mutex
	opened  []string
	now     time.Time
}

func newClient(t *testing.T, a *authority, change func(*oauth.Options)) *client {
	c := &client{t: t, a: a, now: time.Now()}
	c.options = oauth.Options{
		Server: "srv", Identity: a.URL, Dir: filepath.Join(t.TempDir(), "auth"), HTTP: a.Client(), Open: c.open,
		Now: func() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now },
	}
	if change != nil {
		change(&c.options)
	}
	c.restart()
	return c
}

// restart is what a new process would have.
func (c *client) restart() {
	h, err := oauth.Handler(c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	c.handler = h
}

// open is a browser in which the person agrees at once.
func (c *client) open(address string) error {
	c.mu.Lock()
	c.opened = append(c.opened, address)
	c.mu.Unlock()
	go func() {
		if resp, err := c.a.Client().Get(address); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}()
	return nil
}

func (c *client) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// call does what the SDK's transport does with one request.
func (c *client) call(ctx context.Context) (int, error) {
	req, resp, err := c.send(ctx)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		if err := c.handler.Authorize(ctx, req, resp); err != nil {
			return resp.StatusCode, err
		}
		if _, resp, err = c.send(ctx); err != nil {
			return 0, err
		}
	}
	return resp.StatusCode, resp.Body.Close()
}

func (c *client) send(ctx context.Context) (*http.Request, *http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.a.URL+"/mcp", http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	source, err := c.handler.TokenSource(ctx)
	if err != nil {
		return nil, nil, err
	}
	if source != nil {
		tok, err := source.Token()
		if err != nil {
			return nil, nil, err
		}
		if tok != nil {
			req.Header.Set("Authorization", "Bearer "+tok.AccessToken)
		}
	}
	resp, err := c.a.Client().Do(req)
	return req, resp, err
}

func (c *client) works() {
	c.t.Helper()
	if status, err := c.call(c.t.Context()); err != nil || status != 200 {
		c.t.Fatalf("the call ends with %d, %v", status, err)
	}
}

// fails returns the error of a call; nothing secret may be in it.
func (c *client) fails() error {
	c.t.Helper()
	status, err := c.call(c.t.Context())
	if err == nil {
		c.t.Fatalf("the call ends with %d and no error", status)
	}
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err)} {
		if strings.Contains(text, "s3cret") || strings.Contains(text, "\n") {
			c.t.Errorf("the error says %q", text)
		}
	}
	return err
}

// scopes are those asked for; they have no order.
func scopes(q url.Values) string {
	all := strings.Fields(q.Get("scope"))
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestLoginRegistersAndKeepsTheToken(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	c.works()
	c.restart()
	c.works()
	if diff := cmp.Diff([]string{"authorization_code"}, a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
	if len(a.registered) != 1 || len(c.opened) != 1 {
		t.Fatalf("%d registrations, %d browsers", len(a.registered), len(c.opened))
	}
	reg := a.registered[0]
	if reg["token_endpoint_auth_method"] != "none" || reg["application_type"] != "native" {
		t.Errorf("registered as %v", reg)
	}
	u, err := url.Parse(c.opened[0])
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if scopes(q) != "offline_access read" || q.Get("client_id") != "client-1" {
		t.Errorf("asked for %v", q)
	}
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" {
		t.Errorf("the browser comes back to %s", q.Get("redirect_uri"))
	}
	if conn, err := net.Dial("tcp", back.Host); err == nil {
		_ = conn.Close()
		t.Error("the listener is still there")
	}
}

func TestTokenFileIsTheUsersOwn(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	files, err := filepath.Glob(filepath.Join(c.options.Dir, "*.json"))
	if err != nil || len(files) != 1 || !strings.HasPrefix(filepath.Base(files[0]), "srv.") {
		t.Fatalf("files %v, %v", files, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{files[0]: 0o600, c.options.Dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
}

func TestRefreshIsKeptAndRotates(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	c.pass(time.Hour - 20*time.Second) // half a minute before the end is late enough
	c.restart()
	c.works()
	c.pass(2 * time.Hour)
	c.restart()
	c.works()
	c.restart()
	c.works()
	if diff := cmp.Diff([]string{"authorization_code", "refresh_token", "refresh_token"}, a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
	if len(c.opened) != 1 {
		t.Errorf("%d browsers", len(c.opened))
	}
}

// Another process that holds the file, for whatever reason, holds up no request whose
// session ends.
func TestTheWaitForAnotherProcessEndsWithTheRequest(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	files, err := filepath.Glob(filepath.Join(c.options.Dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	lock, err := durable.Acquire(files[0] + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	c.pass(2 * time.Hour)
	ctx, cancel := context.WithCancelCause(t.Context())
	ending := errors.New("the session is closing")
	cancel(ending)
	source, err := c.handler.TokenSource(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if tok, err := source.Token(); !errors.Is(err, ending) {
		t.Errorf("got %v, %v", tok, err)
	}
}

// Who logs out while a process refreshes the login is logged out.
func TestALogoutDuringARefreshSticks(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	c.pass(2 * time.Hour)
	a.set(func() {
		a.tokenReply = func(http.ResponseWriter) bool {
			if found, err := oauth.Forget(c.options.Dir, "srv"); !found || err != nil {
				t.Errorf("Forget(srv) = %v, %v", found, err)
			}
			return false
		}
	})
	source, err := c.handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tok, err := source.Token(); tok != nil || err != nil {
		t.Errorf("got %v, %v", tok, err)
	}
	if files, err := filepath.Glob(filepath.Join(c.options.Dir, "*.json")); err != nil || len(files) > 0 {
		t.Errorf("kept: %v, %v", files, err)
	}
}

// Who logs in anew while a process refreshes the login before has the new one.
func TestALoginDuringARefreshStands(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	c.pass(2 * time.Hour)
	a.set(func() {
		a.tokenReply = func(http.ResponseWriter) bool {
			files, err := filepath.Glob(filepath.Join(c.options.Dir, "*.json"))
			if err != nil || len(files) != 1 {
				t.Errorf("%v, %v", files, err)
				return false
			}
			fresh := `{"server":"srv","token_url":"` + a.URL + `/token","client_id":"c","access_token":"another"}`
			if err := os.WriteFile(files[0], []byte(fresh), 0o600); err != nil {
				t.Error(err)
			}
			return false
		}
	})
	source, err := c.handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if tok, err := source.Token(); err != nil || tok == nil || tok.AccessToken != "another" {
			t.Errorf("got %v, %v", tok, err)
		}
	}
}

// A token that is good to its end is used until then, also when no other is to be had.
func TestAGoodTokenOutlivesARefusedRefresh(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	c.pass(time.Hour - 20*time.Second)
	a.set(func() { a.badGrant = true })
	source, err := c.handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tok, err := source.Token(); tok == nil || err != nil {
		t.Errorf("got %v, %v", tok, err)
	}
}

// Two processes and many requests share a file: one refresh is made.
func TestOneRefreshServesAll(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	other := newClient(t, a, func(o *oauth.Options) { o.Dir = c.options.Dir })
	c.pass(2 * time.Hour)
	other.pass(2 * time.Hour)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if status, err := []*client{c, other}[i%2].call(t.Context()); err != nil || status != 200 {
				t.Errorf("a call ends with %d, %v", status, err)
			}
		})
	}
	wait.Wait()
	if diff := cmp.Diff([]string{"authorization_code", "refresh_token"}, a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
}

func TestOneLoginServesAllThatWait(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			if status, err := c.call(t.Context()); err != nil || status != 200 {
				t.Errorf("a call ends with %d, %v", status, err)
			}
		})
	}
	wait.Wait()
	if len(c.opened) != 1 {
		t.Errorf("%d browsers", len(c.opened))
	}
}

// A token that the server takes back early is refreshed once; when the refresh is
// refused too, there is a new login.
func TestRevokedTokens(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	a.set(func() { a.valid = nil })
	c.works()
	a.set(func() { a.valid, a.badGrant = nil, true })
	c.works()
	want := []string{"authorization_code", "refresh_token", "authorization_code"}
	if diff := cmp.Diff(want, a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
	c.pass(2 * time.Hour) // the refresh is refused before the request
	c.works()
	if diff := cmp.Diff(append(want, "refresh_token", "refresh_token", "authorization_code"), a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
}

func TestNobodyThereNamesTheCommand(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, func(o *oauth.Options) { o.Open = nil })
	err := c.fails()
	var login *oauth.LoginError
	if !errors.As(err, &login) || err.Error() != `server srv wants a login: run "reasonix mcp auth srv"` {
		t.Errorf("the error is %v", err)
	}
	if len(a.registered) != 0 {
		t.Error("a client was registered")
	}
	// A login in another process is enough.
	newClient(t, a, func(o *oauth.Options) { o.Dir = c.options.Dir }).works()
	c.works()
	// So is its end.
	if found, err := oauth.Forget(c.options.Dir, "srv"); !found || err != nil {
		t.Errorf("Forget = %v, %v", found, err)
	}
	if err := c.fails(); !errors.As(err, &login) {
		t.Errorf("after the logout: %v", err)
	}
}

func TestPreregisteredClient(t *testing.T) {
	a := newAuthority(t)
	a.scope = "read"
	c := newClient(t, a, func(o *oauth.Options) {
		o.ClientID, o.ClientSecret, o.Scopes = "mine", theSecret, []string{"write"}
	})
	c.works()
	c.pass(2 * time.Hour)
	c.restart()
	c.works()
	if len(a.registered) != 0 {
		t.Error("a client was registered")
	}
	if diff := cmp.Diff([]string{"mine:" + theSecret, "mine:" + theSecret}, a.secrets); diff != "" {
		t.Errorf("clients of the token requests:\n%s", diff)
	}
	if u, _ := url.Parse(c.opened[0]); scopes(u.Query()) != "offline_access read write" {
		t.Errorf("asked for %q", scopes(u.Query()))
	}
	files, _ := filepath.Glob(filepath.Join(c.options.Dir, "*.json"))
	if data, err := os.ReadFile(files[0]); err != nil || strings.Contains(string(data), theSecret) {
		t.Errorf("the configured secret is in the file: %v", err)
	}
}

func TestConfiguredPort(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	a := newAuthority(t)
	c := newClient(t, a, func(o *oauth.Options) { o.Port = port })
	if err := c.fails(); !strings.Contains(err.Error(), fmt.Sprintf("wait for the browser on port %d", port)) {
		t.Errorf("a port in use: %v", err)
	}
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	c.works()
	if got, want := a.registered[0]["redirect_uris"], []any{fmt.Sprintf("http://127.0.0.1:%d/callback", port)}; !cmp.Equal(got, any(want)) {
		t.Errorf("the browser comes back to %v", got)
	}
}

func TestLoginsThatFail(t *testing.T) {
	raw := func(status int, body string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	for _, c := range []struct {
		name   string
		script func(*authority)
		want   string
		is     error
	}{
		{"wrong iss", func(a *authority) { a.answer = func(q url.Values) { q.Set("iss", "https://evil.example") } }, "does not match expected issuer", nil},
		{"iss missing", func(a *authority) { a.answer = func(q url.Values) { q.Del("iss") } }, "none was received", nil},
		{"denied", func(a *authority) {
			a.answer = func(q url.Values) {
				q.Del("code")
				q.Set("error", "access_denied")
				q.Set("error_description", "the user\nsaid no")
			}
		}, "access was denied: access_denied: the user said no", oauth.ErrDenied},
		{"code refused", func(a *authority) { a.answer = func(q url.Values) { q.Set("code", "other-s3cret") } }, "refuses: invalid_grant no", nil},
		{"token reply with secrets", func(a *authority) {
			a.tokenReply = raw(500, `{"access_token":"s3cret","x":"`+theCode+`"}`)
		}, "refuses with status 500", nil},
		{"token reply that is no JSON", func(a *authority) { a.tokenReply = raw(200, `{"access_token":"s3cret`) }, "token exchange failed", nil},
		{"registration refused", func(a *authority) { a.register = raw(403, `{"client_secret":"s3cret", no`) }, "registration failed with status 403", nil},
		{"registration that is no JSON", func(a *authority) {
			a.register = raw(201, `{"client_id":"x","client_secret":"s3cret-and more`)
		}, "registration response", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAuthority(t)
			c.script(a)
			cl := newClient(t, a, nil)
			err := cl.fails()
			if !strings.HasPrefix(err.Error(), "log in to server srv: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %q, want %q", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if oauth.LoggedIn(cl.options.Dir, "srv", a.URL) {
				t.Error("something was kept")
			}
		})
	}
}

func TestLoginEndsWithItsContextAndItsPatience(t *testing.T) {
	a := newAuthority(t)
	opened := make(chan string, 2)
	c := newClient(t, a, func(o *oauth.Options) { o.Open = func(u string) error { opened <- u; return nil } })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-opened; cancel() }()
	if _, err := c.call(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	c.options.Patience = 50 * time.Millisecond
	c.restart()
	if err := c.fails(); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the browser did not come back") {
		t.Errorf("out of patience: %v", err)
	}
	c.options.Open = func(string) error { return errors.New("no display") }
	c.restart()
	if err := c.fails(); !strings.Contains(err.Error(), "open a browser: no display") {
		t.Errorf("no browser: %v", err)
	}
}

// A login that only answers to other ones came to goes on, and says so when it ends.
func TestAnswersToAnotherLoginEndNothing(t *testing.T) {
	for name, answer := range map[string]func(url.Values){
		"wrong state": func(q url.Values) { q.Set("state", "x") },
		"no state":    func(q url.Values) { q.Del("state") },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			a.answer = answer
			ctx, cancel := context.WithCancel(t.Context())
			c := newClient(t, a, func(o *oauth.Options) {
				o.Open = func(address string) error {
					go func() {
						defer cancel()
						resp, err := a.Client().Get(address)
						if err != nil {
							t.Error(err)
							return
						}
						_ = resp.Body.Close()
						if resp.StatusCode != http.StatusBadRequest {
							t.Errorf("the page has status %s", resp.Status)
						}
					}()
					return nil
				}
			})
			_, err := c.call(ctx)
			if !errors.Is(err, oauth.ErrForeign) || !strings.Contains(err.Error(), "the browser did not come back: context canceled; something else did: ") {
				t.Errorf("got %v", err)
			}
			if oauth.LoggedIn(c.options.Dir, "srv", a.URL) {
				t.Error("something was kept")
			}
		})
	}
}

// Whoever asks the listener for something else is told so, and the login goes on.
func TestTheListenerTakesOneAnswer(t *testing.T) {
	a := newAuthority(t)
	var pages []string
	c := newClient(t, a, nil)
	get := func(u string) {
		resp, err := http.Get(u)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.Header.Get("Content-Security-Policy") == "" && resp.StatusCode != 404 && resp.StatusCode != 405 {
			t.Errorf("%s: %v %v", u, resp.Header, err)
		}
		pages = append(pages, fmt.Sprintf("%d %v", resp.StatusCode, strings.Contains(string(body), "script")))
	}
	c.options.Open = func(address string) error {
		u, _ := url.Parse(address)
		back := u.Query().Get("redirect_uri")
		get(back)
		get(back + "?state=<script>")
		get(back + "?code=c&state=<script>")
		get(back + "?error=access_denied")
		get(strings.TrimSuffix(back, "/callback") + "/favicon.ico")
		return c.open(address)
	}
	c.restart()
	c.works()
	if want := []string{"400 false", "400 false", "400 false", "400 false", "404 false"}; !slices.Equal(pages, want) {
		t.Errorf("pages %v, want %v", pages, want)
	}
}

func TestLoginsBelongToOneServerAndIdentity(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	dir := c.options.Dir
	for _, other := range []struct{ server, identity string }{{"srv", "moved"}, {"srv2", a.URL}, {"SRV", a.URL}, {"s/rv", a.URL}} {
		if oauth.LoggedIn(dir, other.server, other.identity) {
			t.Errorf("%v is logged in", other)
		}
	}
	moved := newClient(t, a, func(o *oauth.Options) { o.Dir, o.Identity = dir, "moved" })
	moved.works()
	if found, err := oauth.Forget(dir, "srv2"); found || err != nil {
		t.Errorf("Forget(srv2) = %v, %v", found, err)
	}
	if found, err := oauth.Forget(dir, "srv"); !found || err != nil {
		t.Errorf("Forget(srv) = %v, %v", found, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if filepath.Ext(e.Name()) != ".lock" {
			t.Errorf("%s is left", e.Name())
		}
	}
	if found, err := oauth.Forget(filepath.Join(dir, "none"), "srv"); found || err != nil {
		t.Errorf("Forget without a directory = %v, %v", found, err)
	}
}

// A file that is no login is as good as none.
func TestBrokenTokenFile(t *testing.T) {
	a := newAuthority(t)
	c := newClient(t, a, nil)
	c.works()
	files, _ := filepath.Glob(filepath.Join(c.options.Dir, "*.json"))
	if err := os.WriteFile(files[0], []byte(`{"access_tok`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.works()
	if len(c.opened) != 2 {
		t.Errorf("%d logins", len(c.opened))
	}
}

func TestHandlerWantsAServerAndADirectory(t *testing.T) {
	for _, o := range []oauth.Options{{}, {Server: "x"}, {Dir: "x"}} {
		if _, err := oauth.Handler(o); err == nil {
			t.Errorf("Handler(%+v) gives no error", o)
		}
	}
}
