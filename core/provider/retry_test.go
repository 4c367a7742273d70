package provider_test

import (
	"testing"
	"time"

	"reasonix/core/provider"
)

// TestSSE30Retry is the policy's table: who is asked again, and after how long.
func TestSSE30Retry(t *testing.T) {
	again := &provider.Failure{Kind: provider.KindOverloaded, Retryable: true}
	after := func(d time.Duration) *provider.Failure {
		return &provider.Failure{Kind: provider.KindRateLimit, Status: 429, After: d, Retryable: true}
	}
	tests := []struct {
		name    string
		retry   provider.Retry
		attempt int
		failure *provider.Failure
		elapsed time.Duration
		wait    time.Duration
		ok      bool
	}{
		{"no failure", provider.Retry{}, 1, nil, 0, 0, false},
		{"never for a refused key", provider.Retry{}, 1, &provider.Failure{Kind: provider.KindAuth, Status: 401}, 0, 0, false},
		{"never for a bad request, whatever it asks", provider.Retry{}, 1, &provider.Failure{Status: 400, After: time.Second}, 0, 0, false},
		{"first wait is under a second", provider.Retry{}, 1, again, 0, 500 * time.Millisecond, true},
		{"it doubles", provider.Retry{}, 2, again, 0, time.Second, true},
		{"and doubles", provider.Retry{}, 4, again, 0, 4 * time.Second, true},
		{"five tries and no more", provider.Retry{}, 5, again, 0, 0, false},
		{"tries can be set", provider.Retry{Tries: 1}, 1, again, 0, 0, false},
		{"the ceiling holds", provider.Retry{Tries: 100}, 20, again, 0, 15 * time.Second, true},
		{"the ceiling holds without overflow", provider.Retry{Tries: 9999}, 5000, again, 0, 15 * time.Second, true},
		{"base can be set", provider.Retry{Base: time.Millisecond}, 1, again, 0, 500 * time.Microsecond, true},
		{"Retry-After is kept", provider.Retry{}, 1, after(2 * time.Second), 0, 2 * time.Second, true},
		{"Retry-After may be longer than the ceiling", provider.Retry{}, 1, after(90 * time.Second), 0, 90 * time.Second, true},
		{"Retry-After may fill the total", provider.Retry{}, 1, after(90 * time.Second), 30 * time.Second, 90 * time.Second, true},
		{"Retry-After past the total is refused", provider.Retry{}, 1, after(90 * time.Second), 31 * time.Second, 0, false},
		{"Retry-After does not add tries", provider.Retry{}, 5, after(time.Second), 0, 0, false},
		{"no time left", provider.Retry{}, 2, again, 2 * time.Minute, 0, false},
		{"long past the total", provider.Retry{}, 2, again, time.Hour, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.retry.Rand = func() float64 { return 0.5 }
			wait, ok := tt.retry.Next(tt.attempt, tt.failure, tt.elapsed)
			if wait != tt.wait || ok != tt.ok {
				t.Errorf("got %v %v, want %v %v", wait, ok, tt.wait, tt.ok)
			}
		})
	}
}

func TestRetryStaysWithinFiveTriesAndTwoMinutes(t *testing.T) {
	failure := &provider.Failure{Retryable: true}
	for range 200 {
		var elapsed time.Duration
		attempt := 1
		for ; ; attempt++ {
			wait, ok := provider.Retry{}.Next(attempt, failure, elapsed)
			if !ok {
				break
			}
			if wait < 0 || wait > 30*time.Second {
				t.Fatalf("attempt %d waits %v", attempt, wait)
			}
			elapsed += wait
		}
		if attempt != 5 || elapsed > 2*time.Minute {
			t.Fatalf("gave up after %d requests and %v", attempt, elapsed)
		}
	}
}

func TestRetryAfterHeader(t *testing.T) {
	now := time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		value string
		want  time.Duration
	}{
		{"", 0},
		{"2", 2 * time.Second},
		{" 120 ", 2 * time.Minute},
		{"0", 0},
		{"0.25", 250 * time.Millisecond},
		{"-5", 0},
		{"NaN", 0},
		{"1e300", 365 * 24 * time.Hour},
		{"Inf", 365 * 24 * time.Hour},
		{"soon", 0},
		{"Sun, 08 Mar 2026 12:00:30 GMT", 30 * time.Second},
		{"Sun, 08 Mar 2026 11:00:00 GMT", 0},
		{"Sunday, 08-Mar-26 12:00:30 GMT", 30 * time.Second},
		{"Fri, 08 Mar 2999 12:00:30 GMT", 365 * 24 * time.Hour},
	}
	for _, tt := range tests {
		if got := provider.RetryAfter(tt.value, now); got != tt.want {
			t.Errorf("RetryAfter(%q) = %v, want %v", tt.value, got, tt.want)
		}
	}
}
