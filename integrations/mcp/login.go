package mcp

// OAuthConfig is what a server's authorization needs beyond what it says itself.
type OAuthConfig struct {
	// Grant is how a token is had: authorization_code by a person, client_credentials
	// by the client itself, cross_app_access by an ID token. Empty: by a person.
	Grant string
	// Issuer is the only authorization server that gets what ClientSecret and Key
	// prove; empty: the one that the server names.
	Issuer                 string
	ClientID, ClientSecret string // empty: registered dynamically, where a person logs in
	Key                    OAuthKey
	Scopes                 []string
	CallbackPort           int // of the loopback redirect; 0: any
	IDP                    OAuthIDP
}

// OAuthKey is a private key that says who the client is, instead of a secret.
type OAuthKey struct {
	PEM, File string // the key, or the file that holds it; empty: there is none
	ID        string // what the authorization server knows it by; may be empty
	Algorithm string // of JSON Web Signature, such as PS256; empty: what fits the key
}

// OAuthIDP is an identity provider of the user's organisation, which gives for their ID
// token what a server's authorization server takes.
type OAuthIDP struct {
	Issuer                 string
	ClientID, ClientSecret string
	Token, TokenFile       string // the user's ID token, or the file that holds it
}
