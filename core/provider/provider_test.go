package provider_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"reasonix/core/provider"
)

func TestKindsAreRegisteredOnce(t *testing.T) {
	want := errors.New("made here")
	provider.Register("test-kind", func(cfg provider.Config) (provider.Provider, error) {
		if cfg.Name != "mine" {
			t.Errorf("the factory got %+v", cfg)
		}
		return nil, want
	})
	if _, err := provider.New("test-kind", provider.Config{Name: "mine"}); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
	if !slices.Contains(provider.Kinds(), "test-kind") {
		t.Errorf("kinds: %q", provider.Kinds())
	}
	defer func() {
		if recover() == nil {
			t.Error("a second registration was taken")
		}
	}()
	provider.Register("test-kind", nil)
}

func TestUnknownKindNamesTheKnownOnes(t *testing.T) {
	_, err := provider.New("nokind", provider.Config{Name: "mine"})
	if err == nil || !strings.HasPrefix(err.Error(), `provider mine: unknown kind "nokind" (known: `) {
		t.Errorf("got %v", err)
	}
}

func TestFailureIsOneReadableLine(t *testing.T) {
	tests := []struct {
		failure provider.Failure
		want    string
	}{
		{provider.Failure{Provider: "deepseek", Status: 429, Text: "slow down"}, "deepseek: HTTP 429: slow down"},
		{provider.Failure{Provider: "deepseek", Text: "stalled"}, "deepseek: stalled"},
		{provider.Failure{Provider: "deepseek", Err: io.ErrUnexpectedEOF}, "deepseek: unexpected EOF"},
		{provider.Failure{Provider: "deepseek", Text: "cut", Err: io.ErrUnexpectedEOF}, "deepseek: cut"},
		{provider.Failure{Provider: "deepseek", Status: 500}, "deepseek: HTTP 500"},
	}
	for _, tt := range tests {
		if got := tt.failure.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	if err := error(&provider.Failure{Err: io.ErrUnexpectedEOF}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("a failure hides its cause")
	}
}

// TestSSE05ValidArguments also is SSE-07: what is an object, and what is not.
func TestSSE05ValidArguments(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"", "{}", true},
		{" \n", "{}", true},
		{"null", "{}", true},
		{" null ", "{}", true},
		{"{}", "{}", true},
		{` {"a": 1} `, ` {"a": 1} `, true},
		{`{"a":`, `{"a":`, false},
		{"{\"a\":\"x\ny\"}", "{\"a\":\"x\ny\"}", false},
		{`{"a":1}{"a":1}`, `{"a":1}{"a":1}`, false},
		{"[]", "[]", false},
		{`"{}"`, `"{}"`, false},
		{"1", "1", false},
	}
	for _, tt := range tests {
		if got, ok := provider.ValidArguments(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("ValidArguments(%q) = %q %v, want %q %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}
