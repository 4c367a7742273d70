package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// guarded is an MCP server over HTTP that takes the token of one client, which has it
// with a secret.
func guarded(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	say := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, map[string]any{"issuer": s.URL, "token_endpoint": s.URL + "/token"})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if id, secret, _ := r.BasicAuth(); id != "ci" || secret != "pass-word" || r.FormValue("grant_type") != "client_credentials" {
			say(w, 401, map[string]any{"error": "invalid_client"})
			return
		}
		say(w, 200, map[string]any{"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token-1" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(map[bool]int{true: http.StatusAccepted, false: http.StatusMethodNotAllowed}[r.Method == http.MethodPost])
			return
		}
		result := map[string]any{}
		switch m.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": m.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "t", "version": "1"}}
		case "tools/list":
			result["tools"] = []any{map[string]any{"name": "look", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}}}
		case "tools/call":
			result["content"] = []any{map[string]any{"type": "text", "text": "seen"}}
		}
		say(w, 200, map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	})
	return s.URL + "/mcp"
}

// A server that nobody logs in to is added, examined and called without a browser, and
// what is wrong with its credentials is said with what to do.
func TestNobodyLogsIn(t *testing.T) {
	b := newBench(t)
	b.environ = []string{"JOBS_SECRET=pass-word"}
	address := guarded(t)
	b.run(0, "add", "jobs", address, "--oauth-grant", "client_credentials", "--client-id", "ci", "--client-secret-env", "JOBS_SECRET")
	says(t, b.config(), `grant = "client_credentials"`, `client_secret_env = "JOBS_SECRET"`)
	if out, _ := b.run(0, "call", "jobs", "look"); out != "seen\n" {
		t.Errorf("call: %q", out)
	}
	out, errs := b.run(0, "auth", "jobs")
	says(t, errs, "No browser is needed: jobs lets reasonix in as client ci, with its own secret.")
	says(t, out, "logged in to jobs")
	out, _ = b.run(0, "doctor", "jobs")
	says(t, out, "ok    login     as client ci, with its own secret; no browser is needed", "ok    start")
	if files, err := filepath.Glob(filepath.Join(b.home, "mcp-auth", "*.json")); err != nil || len(files) != 1 {
		t.Errorf("kept: %v, %v", files, err)
	}
	b.environ = []string{"JOBS_SECRET=wrong-word"}
	_, errs = b.run(3, "auth", "jobs")
	says(t, errs, "log in to server jobs: the authorisation server refuses: invalid_client")
	out, _ = b.run(3, "doctor", "jobs")
	says(t, out, "fail  start", "-> check oauth.client_id and its secret, and that")
	b.environ = nil
	out, _ = b.run(3, "doctor", "jobs")
	says(t, out, "variable JOBS_SECRET is not set", "-> reasonix setup key JOBS_SECRET")
	b.run(0, "add", "--replace", "jobs", address, "--oauth-grant", "client_credentials", "--client-id", "ci", "--private-key-file", "k.pem")
	if err := os.WriteFile(filepath.Join(b.work, "k.pem"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = b.run(3, "doctor", "jobs")
	says(t, out, "the private key is none in PEM", "-> check oauth.private_key_file")
	_, errs = b.run(0, "add", "half", address, "--oauth-grant", "client_credentials", "--client-id", "ci")
	says(t, errs, "it cannot start now", "wants oauth.client_secret_env")
	b.run(2, "add", "--scope", "project", "p", address, "--private-key-file", "k.pem")
	b.run(2, "add", "p", "--client-id", "ci", "--", "sh")
}
