package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"reasonix/core/durable"
)

// maxFile is the largest token file, in bytes, that is read.
const maxFile = 1 << 20

// record is what a login leaves: the token, and what it takes to refresh it.
type record struct {
	Server       string    `json:"server"`
	TokenURL     string    `json:"token_url"`
	AuthStyle    int       `json:"auth_style,omitzero"`
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret,omitzero"`
	Resource     string    `json:"resource,omitzero"`
	Scopes       []string  `json:"scopes,omitzero"`
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitzero"`
	Expiry       time.Time `json:"expiry,omitzero"`

	// What a token without a person is of; a person's has no Grant.
	Grant   string   `json:"grant,omitzero"`
	Issuer  string   `json:"issuer,omitzero"`
	Methods []string `json:"methods,omitzero"`
	IDP     string   `json:"idp,omitzero"`
}

// early is how long before its end a token is refreshed.
const early = 30 * time.Second

func (r *record) expired(now time.Time) bool {
	return !r.Expiry.IsZero() && !now.Before(r.Expiry)
}

func (r *record) due(now time.Time) bool { return r.expired(now.Add(early)) }

func (r *record) token() *oauth2.Token {
	return &oauth2.Token{AccessToken: r.AccessToken, TokenType: "Bearer", Expiry: r.Expiry}
}

// take puts a new token into r. A server that sends no new refresh token means
// the old one to stay, and one that names no scopes granted what was asked for.
func (r *record) take(tok *oauth2.Token, now time.Time) {
	r.AccessToken, r.Expiry = tok.AccessToken, tok.Expiry
	lasts := tok.ExpiresIn
	if n, ok := tok.Extra("expires_in").(float64); ok && lasts == 0 {
		lasts = int64(n)
	}
	if lasts > 0 {
		r.Expiry = now.Add(time.Duration(lasts) * time.Second)
	}
	if tok.RefreshToken != "" {
		r.RefreshToken = tok.RefreshToken
	}
	if granted, ok := tok.Extra("scope").(string); ok && granted != "" {
		r.Scopes = strings.Fields(granted)
	}
}

// file is where one server's login is kept.
type file string

func fileOf(dir, server, identity string) file {
	return file(filepath.Join(dir, stem(server)+digest(identity)+".json"))
}

// stem begins the names of all files of a server. The hash tells apart servers
// whose names look the same once they are legal file names.
func stem(server string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, server)
	return plain[:min(len(plain), 40)] + "." + digest(server) + "."
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// read returns nil when nobody has logged in. A file that is no login counts as
// none: the next login replaces it.
func (f file) read() (*record, error) {
	data, err := durable.ReadFile(string(f), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the login: %w", err)
	}
	var r record
	if json.Unmarshal(data, &r) != nil || r.AccessToken == "" {
		return nil, nil
	}
	return &r, nil
}

func (f file) write(r *record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep the login to server %s: %w", r.Server, err)
	}
	err = durable.MkdirAll(filepath.Dir(string(f)))
	if err == nil {
		err = f.change(func() error { return durable.WriteFile(string(f), data, 0o600) })
	}
	if err != nil {
		return fmt.Errorf("keep the login to server %s: %w", r.Server, err)
	}
	return nil
}

// changePatience is how long others who change a file are waited for. None waits for a
// server meanwhile.
const changePatience = 10 * time.Second

// change lets nobody else change the file while do does.
func (f file) change(do func() error) error {
	l, err := acquire(context.Background(), string(f)+".write.lock", changePatience)
	if err != nil {
		return err
	}
	defer func() { _ = l.Release() }()
	return do()
}

// replace puts r in the place of the login whose access token is old, and returns what is
// kept then: another one when there was a new login meanwhile, nil when it was forgotten.
func (f file) replace(old string, r *record) (*record, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("keep the login to server %s: %w", r.Server, err)
	}
	kept := r
	err = f.change(func() error {
		there, err := f.read()
		if err != nil || there == nil || there.AccessToken != old {
			kept = there
			return err
		}
		return durable.WriteFile(string(f), data, 0o600)
	})
	if err != nil {
		return nil, fmt.Errorf("keep the login to server %s: %w", r.Server, err)
	}
	return kept, nil
}

// pause is how long it takes to look again whether another process has let go.
const pause = 20 * time.Millisecond

// lock keeps other processes from refreshing the same token: most servers take a
// refresh token once. It waits up to patience for one that is at it, and no longer than
// ctx lasts.
func (f file) lock(ctx context.Context, patience time.Duration) (*durable.Lock, error) {
	return acquire(ctx, string(f)+".lock", patience)
}

func acquire(ctx context.Context, path string, patience time.Duration) (*durable.Lock, error) {
	end := time.NewTimer(patience)
	defer end.Stop()
	for {
		l, err := durable.Acquire(path)
		var held *durable.HeldError
		if !errors.As(err, &held) {
			return l, err
		}
		select {
		case <-time.After(pause):
		case <-end.C:
			return nil, err
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", err, context.Cause(ctx))
		}
	}
}

// LoggedIn tells whether there is a login to the server under this identity.
func LoggedIn(dir, server, identity string) bool {
	r, err := fileOf(dir, server, identity).read()
	return err == nil && r != nil
}

// Forget removes every login to the server, of whatever identity, and tells
// whether there was one. Processes that run notice it at their next request, and one that
// refreshes it does not keep what comes. Its locks stay: who holds one goes on to.
func Forget(dir, server string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("forget the login to server %s: %w", server, err)
	}
	found := false
	var errs []error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), stem(server)) || filepath.Ext(e.Name()) == ".lock" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		err := file(path).change(func() error { return os.Remove(path) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("forget the login to server %s: %w", server, err))
			continue
		}
		found = found || filepath.Ext(e.Name()) == ".json"
	}
	return found, errors.Join(errs...)
}
