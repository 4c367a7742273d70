package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
)

// What must never be seen outside a request or a token file.
const (
	theCode   = "code-s3cret"
	theSecret = "client-s3cret"
)

// authority is an MCP server that wants a token, and the authorisation server it
// trusts, both scripted.
type authority struct {
	*httptest.Server

	mu         sync.Mutex
	registered []map[string]any
	tokens     []url.Values // requests for tokens
	secrets    []string     // the basic authorization of each, when there was one
	challenge  string       // of the login under way
	resource   string
	valid      map[string]bool // access tokens that are taken
	refresh    string          // the refresh token that is taken
	issued     int

	scope      string // asked for in the 401
	issues     bool   // it says that its answers carry iss
	noRefresh  bool
	lifetime   int // seconds; 0: unknown
	badGrant   bool
	answer     func(q url.Values) // changes what the browser carries back
	tokenReply func(w http.ResponseWriter) bool
	register   func(w http.ResponseWriter) bool
	resourceAt func(w http.ResponseWriter) bool // instead of the metadata of the resource
	describe   func(about map[string]any)       // changes the metadata
	grant      func(r *http.Request) string     // of a token without a person; what it returns is refused with
	idp        func(w http.ResponseWriter, r *http.Request)
	narrow     bool // what it refuses has too few scopes
}

func newAuthority(t *testing.T) *authority {
	a := &authority{valid: map[string]bool{}, lifetime: 3600, issues: true}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", a.mcp)
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		if a.resourceAt != nil && a.resourceAt(w) {
			return
		}
		reply(w, 200, map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}, "scopes_supported": []string{"read"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		about := map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token",
			"registration_endpoint": a.URL + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported": []string{"S256"}, "scopes_supported": []string{"read", "write", "offline_access"},
			"authorization_response_iss_parameter_supported": a.issues,
			"token_endpoint_auth_methods_supported":          []string{"client_secret_basic", "none"},
		}
		if a.describe != nil {
			a.describe(about)
		}
		reply(w, 200, about)
	})
	mux.HandleFunc("/idp/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"issuer": a.URL + "/idp", "token_endpoint": a.URL + "/idp/token"})
	})
	mux.HandleFunc("POST /idp/token", func(w http.ResponseWriter, r *http.Request) { a.idp(w, r) })
	mux.HandleFunc("POST /register", a.doRegister)
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// mcp takes any request with a valid token.
func (a *authority) mcp(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for tok, ok := range a.valid {
		if ok && r.Header.Get("Authorization") == "Bearer "+tok {
			w.WriteHeader(http.StatusOK)
			return
		}
	}
	challenge := `Bearer resource_metadata="` + a.URL + `/.well-known/oauth-protected-resource/mcp"`
	if a.resourceAt != nil {
		challenge = `Bearer realm="x"`
	}
	if a.scope != "" {
		challenge += `, scope="` + a.scope + `"`
	}
	status := http.StatusUnauthorized
	if a.narrow {
		challenge, status = challenge+`, error="insufficient_scope"`, http.StatusForbidden
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.WriteHeader(status)
}

func (a *authority) doRegister(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var client map[string]any
	_ = json.NewDecoder(r.Body).Decode(&client)
	a.registered = append(a.registered, client)
	if a.register != nil && a.register(w) {
		return
	}
	client["client_id"] = fmt.Sprintf("client-%d", len(a.registered))
	reply(w, 201, client)
}

// authorize is the page on which a person would agree; it sends the browser back.
func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("resource") != a.URL+"/mcp" {
		reply(w, 400, map[string]any{"error": "invalid_request"})
		return
	}
	a.challenge, a.resource = q.Get("code_challenge"), q.Get("resource")
	back := url.Values{"code": {theCode}, "state": {q.Get("state")}}
	if a.issues {
		back.Set("iss", a.URL)
	}
	if a.answer != nil {
		a.answer(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = r.ParseForm()
	a.tokens = append(a.tokens, r.PostForm)
	if id, secret, ok := r.BasicAuth(); ok {
		a.secrets = append(a.secrets, id+":"+secret)
	}
	if a.tokenReply != nil && a.tokenReply(w) {
		return
	}
	grant := r.PostForm
	if a.grant != nil {
		_, secret, _ := r.BasicAuth()
		if refusal := a.grant(r); refusal != "" {
			reply(w, 401, map[string]any{"error": refusal, "error_description": "no\nfor " + secret})
			return
		}
		a.issue(w)
		return
	}
	verifier := sha256.Sum256([]byte(grant.Get("code_verifier")))
	byCode := grant.Get("grant_type") == "authorization_code" && grant.Get("code") == theCode &&
		base64.RawURLEncoding.EncodeToString(verifier[:]) == a.challenge
	byRefresh := grant.Get("grant_type") == "refresh_token" && grant.Get("refresh_token") == a.refresh && a.refresh != "" && !a.badGrant
	if !byCode && !byRefresh || grant.Get("resource") != a.URL+"/mcp" {
		reply(w, 400, map[string]any{"error": "invalid_grant", "error_description": "no"})
		return
	}
	a.issue(w)
}

func (a *authority) issue(w http.ResponseWriter) {
	a.issued++
	access := fmt.Sprintf("access-s3cret-%d", a.issued)
	a.valid = map[string]bool{access: true}
	out := map[string]any{"access_token": access, "token_type": "Bearer"}
	if a.lifetime > 0 {
		out["expires_in"] = a.lifetime
	}
	if !a.noRefresh {
		a.refresh = fmt.Sprintf("refresh-s3cret-%d", a.issued)
		out["refresh_token"] = a.refresh
	}
	reply(w, 200, out)
}

// grants lists the kinds of the requests for tokens.
func (a *authority) grants() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var kinds []string
	for _, t := range a.tokens {
		kinds = append(kinds, t.Get("grant_type"))
	}
	return slices.Clone(kinds)
}

// set changes the script under the lock.
func (a *authority) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}
