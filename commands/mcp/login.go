package mcp

import (
	"fmt"
	"strings"

	"reasonix/commands/wire"
	"reasonix/core/config"
	"reasonix/integrations/mcp/oauth"
)

// unattended says how a server lets a client in that nobody logs in for; "" where a
// person does.
func unattended(s config.Server) string {
	switch s.OAuth.Grant {
	case config.GrantClient:
		return fmt.Sprintf("as client %s, with its own %s", s.OAuth.ClientID, credential(s))
	case config.GrantCrossApp:
		return fmt.Sprintf("as client %s, with your ID token of %s", s.OAuth.ClientID, config.ShownURL(s.OAuth.IDPIssuer))
	}
	return ""
}

func credential(s config.Server) string {
	if s.OAuth.ClientSecretEnv != "" {
		return "secret"
	}
	return "key"
}

// anew says on stderr that nobody has to do anything, and forgets the token there is,
// so that what the block says now is tried.
func (d *desk) anew(s config.Server) error {
	fmt.Fprintf(d.app.Err, "No browser is needed: %s lets reasonix in %s.\n", config.Printable(s.Name), config.Printable(unattended(s)))
	_, err := oauth.Forget(wire.MCPTokenDir(d.app.Home), s.Name)
	return err
}

// loginFix is what to do when a client that nobody logs in for is not let in.
func loginFix(s config.Server, has func(words ...string) bool) string {
	switch {
	case has("no such host", "connection refused", "network is unreachable", "dial tcp"):
		return "check the network, and the address of the authorisation server"
	case has("id token", "identity provider"):
		return "sign in to your organisation again; then check oauth.idp_issuer, oauth.idp_client_id and its secret"
	case has("private key", "sign with"):
		return "check oauth.private_key_file or the variable of oauth.private_key_env, and oauth.signing_algorithm"
	case has("invalid_client", "unauthorized_client"):
		return "check oauth.client_id and its " + credential(s) + ", and that the authorisation server lets it use this grant"
	case has("invalid_scope"):
		return "check oauth.scopes"
	case has("oauth.issuer"):
		return "check oauth.issuer, and whether the server is the one you mean: it gets none of your credentials"
	case has("log in to server"):
		return "check [plugins.oauth] in its block, and with the server's operators how clients are let in"
	case has("unauthorized", "401", "forbidden", "403"):
		return "the token is refused: check oauth.scopes, and the rights of client " + strings.TrimSpace(s.OAuth.ClientID)
	}
	return ""
}
