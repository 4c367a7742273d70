package oauth

import (
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"reasonix/integrations/mcp"
)

// Authorizer is mcp.World.Authorize with tokens kept in dir. open is as in Options.
func Authorizer(dir string, open func(url string) error, now func() time.Time) func(mcp.Config, *http.Client) (auth.OAuthHandler, error) {
	return func(c mcp.Config, client *http.Client) (auth.OAuthHandler, error) {
		return Handler(Options{
			Server: c.Name, Identity: c.Identity, Dir: dir, Grant: c.OAuth.Grant, Issuer: c.OAuth.Issuer,
			ClientID: c.OAuth.ClientID, ClientSecret: c.OAuth.ClientSecret, Key: c.OAuth.Key, IDP: c.OAuth.IDP,
			Scopes: c.OAuth.Scopes, Port: c.OAuth.CallbackPort, Open: open, HTTP: client, Now: now,
		})
	}
}
