package config

import "fmt"

// Ways to be let in by a remote server (PluginOAuth.Grant).
const (
	// GrantCode is a login of a person, in a browser.
	GrantCode = "authorization_code"
	// GrantClient is for a client that is let in on its own account.
	GrantClient = "client_credentials"
	// GrantCrossApp is for an ID token that the organisation's identity provider takes
	// for a token of the server.
	GrantCrossApp = "cross_app_access"
)

// PluginOAuth is what is set for logging in to a remote server. Secrets are in
// variables and files that it names, never in it.
type PluginOAuth struct {
	Grant            string   `toml:"grant"`  // GrantCode, GrantClient or GrantCrossApp
	Issuer           string   `toml:"issuer"` // empty: what the server names
	ClientID         string   `toml:"client_id"`
	ClientSecretEnv  string   `toml:"client_secret_env"`
	PrivateKeyEnv    string   `toml:"private_key_env"`
	PrivateKeyFile   string   `toml:"private_key_file"`
	KeyID            string   `toml:"key_id"`
	SigningAlgorithm string   `toml:"signing_algorithm"`
	Scopes           []string `toml:"scopes"`
	CallbackPort     int      `toml:"callback_port"` // 0: a free one

	IDPIssuer          string `toml:"idp_issuer"`
	IDPClientID        string `toml:"idp_client_id"`
	IDPClientSecretEnv string `toml:"idp_client_secret_env"`
	IDTokenEnv         string `toml:"id_token_env"`
	IDTokenFile        string `toml:"id_token_file"`
}

// Unattended reports whether nobody has to log in.
func (o PluginOAuth) Unattended() bool { return o.Grant == GrantClient || o.Grant == GrantCrossApp }

// expandLogin gives s what the variables hold that its login names.
func (s *Server) expandLogin(expand func(text string, field serverField) string) {
	for _, v := range []struct {
		name string
		to   *string
	}{
		{s.OAuth.ClientSecretEnv, &s.ClientSecret},
		{s.OAuth.PrivateKeyEnv, &s.PrivateKey},
		{s.OAuth.IDPClientSecretEnv, &s.IDPClientSecret},
		{s.OAuth.IDTokenEnv, &s.IDToken},
	} {
		if v.name != "" {
			*v.to = expand("${"+v.name+"}", fieldData)
		}
	}
}

// loginProblem says why a login can never be had as it is declared; "" when it may.
func (s *Server) loginProblem() string {
	o := s.OAuth
	key, secret := o.PrivateKeyEnv != "" || o.PrivateKeyFile != "", o.ClientSecretEnv != ""
	grant := fmt.Sprintf("oauth.grant = %q", o.Grant)
	switch {
	case !o.Unattended() && key:
		return "a private key is for oauth.grant = \"client_credentials\" or \"cross_app_access\""
	case !o.Unattended():
		return ""
	case s.Type != "http":
		return grant + " is for a server of type http"
	case o.ClientID == "":
		return grant + " wants oauth.client_id"
	case secret && key:
		return "oauth.client_secret_env and a private key exclude each other"
	case o.PrivateKeyEnv != "" && o.PrivateKeyFile != "":
		return "oauth.private_key_env and oauth.private_key_file exclude each other"
	case o.Grant == GrantClient && !secret && !key:
		return grant + " wants oauth.client_secret_env, oauth.private_key_env or oauth.private_key_file"
	case o.Grant == GrantClient:
		return ""
	case o.IDPIssuer == "" || o.IDPClientID == "":
		return grant + " wants oauth.idp_issuer and oauth.idp_client_id, in your own config.toml"
	case (o.IDTokenEnv == "") == (o.IDTokenFile == ""):
		return grant + " wants one of oauth.id_token_env and oauth.id_token_file, in your own config.toml"
	}
	return ""
}
