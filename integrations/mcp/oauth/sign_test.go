package oauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/integrations/mcp/oauth"
)

// keyPEM is a key as openssl writes it.
func keyPEM(t *testing.T, key any) string {
	t.Helper()
	data, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: data}))
}

func ecKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Every algorithm, verified with the public key as the other side would.
func TestAClientSignsWhoItIs(t *testing.T) {
	p256, p384, p521 := ecKey(t, elliptic.P256()), ecKey(t, elliptic.P384()), ecKey(t, elliptic.P521())
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec := func(key *ecdsa.PrivateKey, digest, sig []byte) bool {
		n := len(sig) / 2
		return ecdsa.Verify(&key.PublicKey, digest, new(big.Int).SetBytes(sig[:n]), new(big.Int).SetBytes(sig[n:]))
	}
	sum256 := func(s string) []byte { h := sha256.Sum256([]byte(s)); return h[:] }
	sum384 := func(s string) []byte { h := sha512.Sum384([]byte(s)); return h[:] }
	sum512 := func(s string) []byte { h := sha512.Sum512([]byte(s)); return h[:] }
	ecDER, err := x509.MarshalECPrivateKey(p256)
	if err != nil {
		t.Fatal(err)
	}
	sec1 := "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: ecDER}))
	pkcs1 := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)}))
	for name, test := range map[string]struct {
		pem, algorithm, want string
		verify               func(text string, sig []byte) bool
	}{
		"P-256": {keyPEM(t, p256), "", "ES256", func(s string, sig []byte) bool { return len(sig) == 64 && ec(p256, sum256(s), sig) }},
		"P-256 in one line": {
			strings.ReplaceAll(strings.TrimSpace(keyPEM(t, p256)), "\n", `\n`), "ES256", "ES256",
			func(s string, sig []byte) bool { return ec(p256, sum256(s), sig) },
		},
		"P-256 as SEC 1": {sec1, "", "ES256", func(s string, sig []byte) bool { return ec(p256, sum256(s), sig) }},
		"P-384":          {keyPEM(t, p384), "", "ES384", func(s string, sig []byte) bool { return len(sig) == 96 && ec(p384, sum384(s), sig) }},
		"P-521":          {keyPEM(t, p521), "ES512", "ES512", func(s string, sig []byte) bool { return len(sig) == 132 && ec(p521, sum512(s), sig) }},
		"RSA": {pkcs1, "", "RS256", func(s string, sig []byte) bool {
			return rsa.VerifyPKCS1v15(&rsaKey.PublicKey, crypto.SHA256, sum256(s), sig) == nil
		}},
		"RSA with RS512": {keyPEM(t, rsaKey), "RS512", "RS512", func(s string, sig []byte) bool {
			return rsa.VerifyPKCS1v15(&rsaKey.PublicKey, crypto.SHA512, sum512(s), sig) == nil
		}},
		"RSA with PS384": {keyPEM(t, rsaKey), "PS384", "PS384", func(s string, sig []byte) bool {
			return rsa.VerifyPSS(&rsaKey.PublicKey, crypto.SHA384, sum384(s), sig, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
		}},
		"Ed25519": {keyPEM(t, edKey), "", "EdDSA", func(s string, sig []byte) bool { return ed25519.Verify(public, []byte(s), sig) }},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			a.grant = func(r *http.Request) string {
				f := r.PostForm
				header, claims, text, sig := claimsOf(t, f.Get("client_assertion"))
				now := float64(0)
				if iat, ok := claims["iat"].(float64); ok {
					now = iat
				}
				switch {
				case f.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", f.Has("client_secret"), r.Header.Get("Authorization") != "":
					t.Errorf("the form has other credentials")
				case header["alg"] != test.want, header["kid"] != "key-1", header["typ"] != "JWT":
					t.Errorf("the header is %v", header)
				case claims["iss"] != "machine", claims["sub"] != "machine", claims["aud"] != a.URL, claims["exp"] != now+300, claims["jti"] == "":
					t.Errorf("the claims are %v", claims)
				case !test.verify(text, sig):
					t.Error("the signature is wrong")
				}
				return ""
			}
			file := filepath.Join(t.TempDir(), "key.pem")
			if err := os.WriteFile(file, []byte(test.pem), 0o600); err != nil {
				t.Fatal(err)
			}
			alone(t, a, func(o *oauth.Options) {
				o.ClientSecret = ""
				o.Key.File, o.Key.ID, o.Key.Algorithm = file, "key-1", test.algorithm
			}).works()
			if len(a.tokens) != 1 || a.tokens[0].Get("client_id") != "machine" {
				t.Errorf("%d requests for tokens", len(a.tokens))
			}
		})
	}
	a := newAuthority(t)
	c := alone(t, a, func(o *oauth.Options) {
		o.ClientSecret, o.Key.PEM, o.Key.Algorithm = "", keyPEM(t, p256), "RS256"
	})
	if err := c.fails(); !strings.Contains(err.Error(), "does not fit signing_algorithm RS256; it fits ES256") {
		t.Errorf("a key that does not fit: %v", err)
	}
}
