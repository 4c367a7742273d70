package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256" // of the algorithms below
	_ "crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/integrations/mcp"
)

const (
	maxKey = 64 << 10 // bytes of a file with a key or an ID token
	// assertionLife is how long an assertion counts: it is used at once.
	assertionLife = 5 * time.Minute
)

// assertion is a signed statement that its bearer is the client (RFC 7523, section
// 3), for one authorization server and a few minutes. It is signed here because the
// libraries at hand sign with RSA alone; nothing is ever verified.
func assertion(k mcp.OAuthKey, client, audience string, now time.Time) (string, error) {
	key, err := privateKey(k)
	if err != nil {
		return "", err
	}
	algorithm, err := algorithmFor(key, k.Algorithm)
	if err != nil {
		return "", err
	}
	header := map[string]any{"alg": algorithm, "typ": "JWT"}
	if k.ID != "" {
		header["kid"] = k.ID
	}
	claims := map[string]any{
		"iss": client, "sub": client, "aud": audience, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	}
	var parts []string
	for _, part := range []any{header, claims} {
		data, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(data))
	}
	text := strings.Join(parts, ".")
	signature, err := sign(key, algorithm, []byte(text))
	if err != nil {
		return "", fmt.Errorf("sign with the private key: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// privateKey reads a key. No error quotes any of it.
func privateKey(k mcp.OAuthKey) (crypto.Signer, error) {
	text := k.PEM
	if k.File != "" {
		data, err := durable.ReadFile(k.File, maxKey)
		if err != nil {
			return nil, fmt.Errorf("read the private key: %w", err)
		}
		text = string(data)
	}
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n") // as variables often have it
	}
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, errors.New("the private key is none in PEM (PKCS #8, EC or RSA) without a password")
		}
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		default:
			continue // parameters, or a certificate
		}
		signer, ok := key.(crypto.Signer)
		if err != nil || !ok {
			return nil, errors.New("the private key cannot be read: it is damaged, encrypted or of an unknown kind")
		}
		return signer, nil
	}
}

// algorithmFor is the algorithm that is wanted if it fits the key, or the usual one.
func algorithmFor(key crypto.Signer, wanted string) (string, error) {
	var fit []string
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		name, ok := map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[k.Curve.Params().BitSize]
		if ok {
			fit = []string{name}
		}
	case *rsa.PrivateKey:
		fit = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}
	case ed25519.PrivateKey:
		fit = []string{"EdDSA"}
	}
	for _, name := range fit {
		if wanted == "" || wanted == name {
			return name, nil
		}
	}
	if len(fit) == 0 {
		return "", errors.New("the private key is of a kind that nothing signs with")
	}
	return "", fmt.Errorf("the private key does not fit signing_algorithm %s; it fits %s", wanted, strings.Join(fit, ", "))
}

// sign makes a signature as JSON Web Signature has it.
func sign(key crypto.Signer, algorithm string, text []byte) ([]byte, error) {
	if algorithm == "EdDSA" {
		return key.Sign(nil, text, crypto.Hash(0))
	}
	hash := map[string]crypto.Hash{"256": crypto.SHA256, "384": crypto.SHA384, "512": crypto.SHA512}[algorithm[2:]]
	h := hash.New()
	h.Write(text)
	digest := h.Sum(nil)
	if k, ok := key.(*ecdsa.PrivateKey); ok {
		r, s, err := ecdsa.Sign(rand.Reader, k, digest)
		if err != nil {
			return nil, err
		}
		size := (k.Curve.Params().BitSize + 7) / 8
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...), nil
	}
	var options crypto.SignerOpts = hash
	if strings.HasPrefix(algorithm, "PS") {
		options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: hash}
	}
	return key.Sign(rand.Reader, digest, options)
}
