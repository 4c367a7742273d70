package config_test

import (
	"slices"
	"strings"
	"testing"

	"reasonix/core/config"
)

// What a login without a person needs is in variables and files, and a block that can
// never log in says so before anything is started.
func TestLoginsWithoutAPerson(t *testing.T) {
	const idp = "idp_issuer = 'https://idp'\nidp_client_id = 'i'\n"
	for name, test := range map[string]struct{ block, want string }{
		"client secret":   {"grant = 'client_credentials'\nclient_id = 'c'\nclient_secret_env = 'SECRET'", ""},
		"client key":      {"grant = 'client_credentials'\nclient_id = 'c'\nprivate_key_file = '/k.pem'\nsigning_algorithm = 'PS256'", ""},
		"cross app":       {"grant = 'cross_app_access'\nclient_id = 'c'\nid_token_env = 'TOKEN'\n" + idp, ""},
		"code by default": {"client_id = 'c'", ""},
		"no client":       {"grant = 'client_credentials'\nclient_secret_env = 'SECRET'", "wants oauth.client_id"},
		"no secret":       {"grant = 'client_credentials'\nclient_id = 'c'", "wants oauth.client_secret_env, "},
		"two secrets":     {"grant = 'client_credentials'\nclient_id = 'c'\nclient_secret_env = 'SECRET'\nprivate_key_env = 'KEY'", "exclude each other"},
		"two keys":        {"grant = 'client_credentials'\nclient_id = 'c'\nprivate_key_env = 'KEY'\nprivate_key_file = '/k'", "exclude each other"},
		"key and person":  {"private_key_env = 'KEY'", "a private key is for"},
		"no idp":          {"grant = 'cross_app_access'\nclient_id = 'c'\nid_token_env = 'TOKEN'", "wants oauth.idp_issuer and"},
		"no ID token":     {"grant = 'cross_app_access'\nclient_id = 'c'\n" + idp, "wants one of oauth.id_token_env"},
		"not set":         {"grant = 'client_credentials'\nclient_id = 'c'\nclient_secret_env = 'NOPE'", "variable NOPE is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "[[plugins]]\nname = 'p'\nurl = 'https://h'\n[plugins.oauth]\n"+test.block+"\n", "", "SECRET=s-value", "KEY=k-value", "TOKEN=t-value")
			s := w.serverOf("p")
			if (s.Problem == "") != (test.want == "") || !strings.Contains(s.Problem, test.want) {
				t.Errorf("problem %q, want %q", s.Problem, test.want)
			}
		})
	}
	w := newWorld(t, "[[plugins]]\nname = 'p'\ncommand = 'x'\noauth = { grant = 'client_credentials', client_id = 'c', client_secret_env = 'SECRET' }\n", "", "SECRET=s-value")
	contains(t, w.serverOf("p").Problem, "is for a server of type http")
}

func TestSecretsOfALoginAreRedacted(t *testing.T) {
	w := newWorld(t, "[[plugins]]\nname = 'p'\nurl = 'https://h'\n[plugins.oauth]\nclient_secret_env = 'A'\nprivate_key_env = 'B'\nidp_client_secret_env = 'C'\nid_token_env = 'D'\n",
		"", "A=a-value", "B=b-value", "C=c-value", "D=d-value")
	values := w.load().SecretValues()
	for _, v := range []string{"a-value", "b-value", "c-value", "d-value"} {
		if !slices.Contains(values, v) {
			t.Errorf("%s is not redacted", v)
		}
	}
}

// A repository says neither which file of the user's is read, nor where the user's ID
// token goes; which variable of theirs it uses is shown.
func TestAProjectNamesNoFilesForALogin(t *testing.T) {
	w := newWorld(t, "", "[[plugins]]\nname = 'p'\nurl = 'https://h'\n[plugins.oauth]\ngrant = 'cross_app_access'\nclient_id = 'c'\nprivate_key_file = 'k'\nidp_issuer = 'https://evil'\nidp_client_id = 'i'\nid_token_file = 'f'\n")
	w.in.Granted = everything
	s := w.serverOf("p")
	if o := s.OAuth; o.PrivateKeyFile+o.IDPIssuer+o.IDPClientID+o.IDTokenFile != "" {
		t.Errorf("it has %+v", o)
	}
	contains(t, s.Problem, "in your own config.toml")
	contains(t, warnings(w.load(), config.WarnUserOnly), "oauth.private_key_file", "oauth.idp_issuer", "oauth.id_token_file")
	own := one(t, "[[plugins]]\nname = 'p'\nurl = 'https://h'\noauth = { grant = 'client_credentials', client_id = 'c', private_key_env = 'KEY' }\n")
	contains(t, own.Text, "; sends KEY of your environment to https://h")
}
