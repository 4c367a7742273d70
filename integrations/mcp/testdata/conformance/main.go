// Command conformance is the client that the suite @modelcontextprotocol/conformance
// starts for each of its scenarios: it connects to the server at the address it is
// given as a session would, and calls every tool once. The suite watches.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"reasonix/core/event"
	"reasonix/integrations/mcp"
	"reasonix/integrations/mcp/oauth"
)

func main() {
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address string) error {
	dir, err := os.MkdirTemp("", "conformance-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	login, err := login()
	if err != nil {
		return err
	}
	world := mcp.World{
		Workspace: dir, Version: "1.0.0",
		Ask: func(context.Context, event.Question) (event.Answer, error) {
			return event.Answer{Choice: []string{mcp.Accept}, Data: json.RawMessage(`{}`)}, nil
		},
		Authorize: oauth.Authorizer(dir, browse, nil),
	}
	set := mcp.Start(world, []mcp.Config{{
		Name: "suite", Type: mcp.TypeHTTP, URL: address,
		OAuth: login,
	}})
	return errors.Join(drive(set), set.Close())
}

// login is what a person would have in the server's block: the suite registered the
// client, and says as what.
func login() (mcp.OAuthConfig, error) {
	var given struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		PrivateKey   string `json:"private_key_pem"`
		Algorithm    string `json:"signing_algorithm"`
		IDPClientID  string `json:"idp_client_id"`
		IDPIssuer    string `json:"idp_issuer"`
		IDToken      string `json:"idp_id_token"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return mcp.OAuthConfig{}, fmt.Errorf("read the context: %w", err)
		}
	}
	c := mcp.OAuthConfig{
		ClientID: given.ClientID, ClientSecret: given.ClientSecret,
		Key: mcp.OAuthKey{PEM: given.PrivateKey, Algorithm: given.Algorithm},
		IDP: mcp.OAuthIDP{Issuer: given.IDPIssuer, ClientID: given.IDPClientID, Token: given.IDToken},
	}
	switch scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); {
	case scenario == "auth/basic-cimd":
		c.ClientID = "https://conformance-test.local/client-metadata.json"
	case strings.HasPrefix(scenario, "auth/client-credentials-"):
		c.Grant = oauth.GrantClient
	case strings.HasPrefix(scenario, "auth/cross-app-access-"):
		c.Grant = oauth.GrantCrossApp
	}
	return c, nil
}

func drive(set *mcp.Set) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	set.Wait(ctx, time.Minute)
	if s := set.States()[0]; s.State != "ready" {
		return fmt.Errorf("server: %s", s.Detail)
	}
	var errs []error
	for _, t := range set.Tools() {
		args := `{}`
		if t.Name() == "mcp__suite__add_numbers" {
			args = `{"a":5,"b":3}`
		}
		if _, err := t.Execute(ctx, json.RawMessage(args)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", t.Name(), err))
		}
	}
	return errors.Join(errs...)
}

// browse is a person who agrees: it goes where the authorisation server sends it.
func browse(address string) error {
	go func() {
		if resp, err := http.Get(address); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}()
	return nil
}
