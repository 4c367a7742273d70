package oauth

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/oauth2"
)

// clean makes what went wrong in a login an error that may be shown.
func (h *handler) clean(err error) error {
	return fmt.Errorf("log in to server %s: %w", h.o.Server, h.cause(err))
}

// cause keeps what callers tell apart and the words, without what is secret in
// them: libraries quote whole answers of a server.
func (h *handler) cause(err error) error {
	text := err.Error()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		text = "the authorisation server refuses"
		if provider := (*providerError)(nil); errors.As(err, &provider) {
			text = "the identity provider refuses"
		}
		switch {
		case refused.ErrorCode != "":
			text += ": " + strings.TrimSpace(refused.ErrorCode+" "+refused.ErrorDescription)
		case refused.Response != nil:
			text += " with status " + refused.Response.Status
		}
	}
	for _, secret := range []string{h.o.ClientSecret, h.o.Key.PEM, h.o.IDP.ClientSecret, h.o.IDP.Token} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = line(text)
	for _, known := range []error{ErrDenied, ErrForeign, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return &shown{text, known}
		}
	}
	return errors.New(text)
}

// shown is an error with words of its own.
type shown struct {
	text string
	kind error
}

func (e *shown) Error() string { return e.text }
func (e *shown) Unwrap() error { return e.kind }

// secrets matches the members and parameters whose values nobody should see.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	const names = `(?:access_token|refresh_token|id_token|client_secret|registration_access_token|code_verifier|code|state|assertion|client_assertion|subject_token)`
	return regexp.MustCompile(`("` + names + `"\s*:\s*")(?:[^"\\]|\\.)*|(\b` + names + `=)[^&\s"]+`)
})

// line is a server's text on one line, short and without secrets.
func line(text string) string {
	const most = 300
	text = secrets().ReplaceAllString(text, "${1}${2}***")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
