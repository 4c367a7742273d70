package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// old makes the server one of the revision 2025-03-26, which does not say who lets one
// in to it, and whose description has another issuer than the address it is at.
func (a *authority) old(change func(about map[string]any)) {
	a.set(func() {
		a.resourceAt = func(w http.ResponseWriter) bool {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		a.describe = func(about map[string]any) {
			about["issuer"] = a.URL + "/oauth"
			if change != nil {
				change(about)
			}
		}
		a.answer = func(q url.Values) {
			if q.Has("iss") {
				q.Set("iss", a.URL+"/oauth")
			}
		}
	})
}

func TestOldServerHasAnotherIssuer(t *testing.T) {
	for _, issues := range []bool{true, false} {
		a := newAuthority(t)
		a.issues = issues
		a.old(nil)
		c := newClient(t, a, nil)
		c.works()
		if len(c.opened) != 1 {
			t.Errorf("%d browsers", len(c.opened))
		}
	}
}

// The issuer is compared with the address wherever somebody else may have a hand in it.
func TestIssuerIsComparedButForOldServersOwnDescription(t *testing.T) {
	const mismatch = "does not match issuer URL"
	for name, test := range map[string]struct {
		change func(a *authority)
		want   string
	}{
		"token endpoint elsewhere": {func(a *authority) {
			a.old(func(about map[string]any) { about["token_endpoint"] = "https://other.example/token" })
		}, mismatch},
		"page to agree on elsewhere": {func(a *authority) {
			a.old(func(about map[string]any) { about["authorization_endpoint"] = "https://other.example/authorize" })
		}, mismatch},
		"registration elsewhere": {func(a *authority) {
			a.old(func(about map[string]any) {
				about["registration_endpoint"] = strings.Replace(a.URL, "127.0.0.1", "localhost", 1) + "/register"
			})
		}, mismatch},
		"issuer elsewhere": {func(a *authority) {
			a.old(func(about map[string]any) { about["issuer"] = "https://honest.example" })
		}, mismatch},
		"no token endpoint": {func(a *authority) {
			a.old(func(about map[string]any) { delete(about, "token_endpoint") })
		}, mismatch},
		"it says who lets one in": {func(a *authority) {
			a.old(nil)
			a.resourceAt = nil
		}, mismatch},
		"who lets one in cannot be read": {func(a *authority) {
			a.old(nil)
			a.resourceAt = func(w http.ResponseWriter) bool { reply(w, 200, "nonsense"); return true }
		}, mismatch},
		"who lets one in is not known just now": {func(a *authority) {
			a.old(nil)
			a.resourceAt = func(w http.ResponseWriter) bool { reply(w, 503, nil); return true }
		}, mismatch},
		"the answer is of another": {func(a *authority) {
			a.old(nil)
			a.answer = func(q url.Values) { q.Set("iss", "https://honest.example") }
		}, "does not match expected issuer"},
		"the answer is of the address": {func(a *authority) {
			a.old(nil)
			a.answer = func(q url.Values) { q.Set("iss", a.URL) }
		}, "does not match expected issuer"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			test.change(a)
			c := newClient(t, a, nil)
			if err := c.fails(); !strings.Contains(err.Error(), test.want) {
				t.Errorf("the login ends with %v, want %q", err, test.want)
			}
			if len(a.grants()) != 0 {
				t.Errorf("a code was brought to %v", a.grants())
			}
		})
	}
}
