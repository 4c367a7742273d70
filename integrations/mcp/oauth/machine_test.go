package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/integrations/mcp"
	"reasonix/integrations/mcp/oauth"
)

// alone is a client that nobody logs in for.
func alone(t *testing.T, a *authority, change func(*oauth.Options)) *client {
	return newClient(t, a, func(o *oauth.Options) {
		o.Grant, o.ClientID, o.ClientSecret, o.Open = oauth.GrantClient, "machine", theSecret, nil
		if change != nil {
			change(o)
		}
	})
}

// bySecret takes the client with its secret in a header, and nothing else.
func bySecret(r *http.Request) string {
	id, secret, ok := r.BasicAuth()
	if r.PostForm.Get("grant_type") != "client_credentials" || !ok || id != "machine" || secret != theSecret {
		return "invalid_client"
	}
	return ""
}

func TestClientCredentialsNeedNobody(t *testing.T) {
	a := newAuthority(t)
	a.grant = bySecret
	c := alone(t, a, nil)
	c.works()
	c.works()
	c.restart()
	c.works()
	if diff := cmp.Diff([]string{"client_credentials"}, a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
	form := a.tokens[0]
	if form.Get("resource") != a.URL+"/mcp" || form.Get("scope") != "read" || form.Has("client_secret") {
		t.Errorf("asked for resource %q, scope %q", form.Get("resource"), form.Get("scope"))
	}
	files, err := filepath.Glob(filepath.Join(c.options.Dir, "*.json"))
	if err != nil || len(files) != 1 || !oauth.LoggedIn(c.options.Dir, "srv", a.URL) {
		t.Fatalf("files %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(data), theSecret) || strings.Contains(string(data), "refresh-s3cret") {
		t.Errorf("the file has more than the token; %v", err)
	}
	if info, err := os.Stat(files[0]); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

func TestSecretInTheFormWhereTheServerWantsIt(t *testing.T) {
	a := newAuthority(t)
	a.describe = func(about map[string]any) {
		about["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
		delete(about, "code_challenge_methods_supported") // there is no code to challenge
	}
	a.grant = func(r *http.Request) string {
		if r.PostForm.Get("client_secret") != theSecret || r.PostForm.Get("client_id") != "machine" {
			return "invalid_client"
		}
		return ""
	}
	alone(t, a, nil).works()
}

// A token is renewed before its end, once for all who wait, and at once when the
// server takes it no more.
func TestTokensWithoutAPersonAreRenewed(t *testing.T) {
	a := newAuthority(t)
	a.grant = bySecret
	c := alone(t, a, nil)
	c.works()
	c.pass(time.Hour - 20*time.Second)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if status, err := c.call(t.Context()); err != nil || status != 200 {
				t.Errorf("the call ends with %d, %v", status, err)
			}
		})
	}
	all.Wait()
	if n := len(a.grants()); n != 2 {
		t.Errorf("%d requests for tokens, want 2", n)
	}
	a.set(func() { a.valid = nil })
	c.works()
	if n := len(a.grants()); n != 3 {
		t.Errorf("%d requests for tokens, want 3", n)
	}
	// While it counts, an authorization server that is away hurts nobody.
	c.pass(time.Hour - 20*time.Second)
	a.set(func() { a.tokenReply = func(w http.ResponseWriter) bool { reply(w, 503, nil); return true } })
	c.works()
	c.pass(time.Minute)
	a.set(func() { a.valid = nil })
	c.fails()
}

func TestTokensAreOfTheirCredentials(t *testing.T) {
	a := newAuthority(t)
	a.grant = func(r *http.Request) string {
		if id, _, _ := r.BasicAuth(); id == "" {
			return "invalid_client"
		}
		return ""
	}
	c := alone(t, a, nil)
	c.works()
	c.options.ClientID = "another"
	c.restart()
	c.works()
	if n := len(a.grants()); n != 2 {
		t.Errorf("%d requests for tokens, want 2", n)
	}
	// Nor are they a person's login, or the other way round.
	c.options = oauth.Options{Server: "srv", Identity: a.URL, Dir: c.options.Dir, HTTP: a.Client(), Open: c.open, Now: c.options.Now}
	c.restart()
	a.set(func() { a.grant = nil })
	c.works()
	if len(c.opened) != 1 {
		t.Errorf("%d browsers, want 1", len(c.opened))
	}
}

func TestTheServerWantsMoreScopes(t *testing.T) {
	a := newAuthority(t)
	a.grant, a.scope = bySecret, "read"
	c := alone(t, a, nil)
	c.works()
	a.set(func() { a.valid, a.scope, a.narrow = nil, "write", true })
	c.works()
	if got := scopes(a.tokens[1]); got != "read write" {
		t.Errorf("asked for %q", got)
	}
}

func TestLoginsWithoutAPersonThatFail(t *testing.T) {
	for name, test := range map[string]struct {
		change func(a *authority, o *oauth.Options)
		want   string
		asked  int
	}{
		"wrong secret": {func(_ *authority, o *oauth.Options) { o.ClientSecret = "other-s3cret" }, "the authorisation server refuses: invalid_client", 1},
		"another issuer": {
			func(_ *authority, o *oauth.Options) { o.Issuer = "https://auth.example" },
			"and oauth.issuer is https://auth.example", 0,
		},
		"a description of another": {func(a *authority, _ *oauth.Options) {
			a.describe = func(about map[string]any) { about["issuer"] = "https://honest.example" }
		}, "describes another authorisation server, https://honest.example", 0},
		"an old server with another issuer": {func(a *authority, _ *oauth.Options) { a.old(nil) }, "describes another authorisation server", 0},
		"token endpoint in the open": {func(a *authority, _ *oauth.Options) {
			a.describe = func(about map[string]any) { about["token_endpoint"] = "http://auth.example/token" }
		}, "http://auth.example/token is not encrypted", 0},
		"no key": {func(_ *authority, o *oauth.Options) {
			o.ClientSecret, o.Key.File = "", filepath.Join(o.Dir, "none.pem")
		}, "read the private key", 0},
		"a key that is none": {func(_ *authority, o *oauth.Options) {
			o.ClientSecret, o.Key.PEM = "", "s3cret"
		}, "the private key is none in PEM", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			a.grant = bySecret
			c := alone(t, a, func(o *oauth.Options) { test.change(a, o) })
			if err := c.fails(); !strings.Contains(err.Error(), "log in to server srv: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the login ends with %v, want %q", err, test.want)
			}
			if n := len(a.grants()); n != test.asked {
				t.Errorf("%d requests for tokens, want %d", n, test.asked)
			}
		})
	}
	if _, err := oauth.Handler(oauth.Options{Server: "s", Dir: "d", Grant: "password", ClientID: "c"}); err == nil {
		t.Error("a grant that nobody knows gives no error")
	}
}

// jwt is a token of those claims that nobody verifies.
func jwt(claims string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".s3cret"
}

// organisation is a client that has the ID token of its user in a file, and an identity
// provider that changes it.
func organisation(t *testing.T, a *authority) *client {
	var c *client
	a.idp = func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		f := r.PostForm
		if f.Get("client_id") != "desk" || f.Get("subject_token") != jwt(`{"exp":99999999999}`) || f.Get("audience") != a.URL ||
			f.Get("resource") != a.URL+"/mcp" || f.Get("requested_token_type") != "urn:ietf:params:oauth:token-type:id-jag" {
			reply(w, 400, map[string]any{"error": "invalid_grant", "error_description": "not that token"})
			return
		}
		reply(w, 200, map[string]any{"access_token": "jag-s3cret", "token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"})
	}
	a.grant = func(r *http.Request) string {
		id, secret, _ := r.BasicAuth()
		if r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || r.PostForm.Get("assertion") != "jag-s3cret" || id != "machine" || secret != theSecret {
			return "invalid_grant"
		}
		return ""
	}
	file := filepath.Join(t.TempDir(), "id_token")
	c = alone(t, a, func(o *oauth.Options) {
		o.Grant = oauth.GrantCrossApp
		o.IDP = mcp.OAuthIDP{Issuer: a.URL + "/idp", ClientID: "desk", TokenFile: file}
	})
	return c
}

func TestCrossAppAccess(t *testing.T) {
	a := newAuthority(t)
	c := organisation(t, a)
	put := func(token string) {
		t.Helper()
		if err := os.WriteFile(c.options.IDP.TokenFile, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(jwt(`{"exp":99999999999}`))
	c.works()
	c.restart()
	c.works()
	if diff := cmp.Diff([]string{"urn:ietf:params:oauth:grant-type:jwt-bearer"}, a.grants()); diff != "" {
		t.Errorf("requests for tokens:\n%s", diff)
	}
	a.set(func() { a.valid = nil })
	for token, want := range map[string]string{
		jwt(`{"exp":99999999999,"a":1}`): "the identity provider refuses: invalid_grant not that token",
		jwt(`{"exp":1700000000}`):        "the ID token ended at 2023-11-14T22:13:20Z: sign in",
		"s3cret":                         "the ID token is none",
		"":                               "the ID token is none",
	} {
		put(token)
		if err := c.fails(); !strings.Contains(err.Error(), want) {
			t.Errorf("the login ends with %v, want %q", err, want)
		}
	}
	put(jwt(`{"exp":99999999999}`)) // whoever signs in renews the file
	c.works()
}

func TestTheIdentityProviderGivesSomethingElse(t *testing.T) {
	for name, test := range map[string]struct {
		answer map[string]any
		want   string
	}{
		"another type": {map[string]any{"access_token": "s3cret", "token_type": "Bearer", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}, "a token of another type"},
		"no type":      {map[string]any{"access_token": "s3cret", "token_type": "Bearer"}, "issued_token_type"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			c := organisation(t, a)
			a.idp = func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, test.answer) }
			c.options.IDP.TokenFile, c.options.IDP.Token = "", jwt(`{}`)
			c.restart()
			if err := c.fails(); !strings.Contains(err.Error(), test.want) {
				t.Errorf("the login ends with %v, want %q", err, test.want)
			}
			if len(a.grants()) != 0 {
				t.Error("the authorization server was asked")
			}
		})
	}
}

// claimsOf reads the two parts of a token that say something.
func claimsOf(t *testing.T, token string) (header, claims map[string]any, signed string, signature []byte) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	for i, to := range []*map[string]any{&header, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(data, to) != nil {
			t.Fatal(fmt.Errorf("part %d: %w", i, err))
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	return header, claims, parts[0] + "." + parts[1], signature
}
