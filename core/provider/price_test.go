package provider_test

import (
	"math"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
)

func TestPriceCost(t *testing.T) {
	full := provider.Price{Input: 0.3, Output: 1.2, CacheHit: 0.006, CacheWrite: 0.375, Currency: "USD"}
	tests := []struct {
		name  string
		price provider.Price
		usage message.Usage
		want  float64
	}{
		{"nothing used", full, message.Usage{}, 0},
		{"nothing charged", provider.Price{}, message.Usage{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1}, 0},
		{"input", full, message.Usage{Input: 1_000_000}, 0.3},
		{"output", full, message.Usage{Output: 500_000}, 0.6},
		{"reasoning is output already", full, message.Usage{Output: 500_000, Reasoning: 400_000}, 0.6},
		{"cache read", full, message.Usage{CacheRead: 1_000_000}, 0.006},
		{"cache write", full, message.Usage{CacheWrite: 1_000_000}, 0.375},
		{"all together", full, message.Usage{Input: 1000, Output: 2000, CacheRead: 3000, CacheWrite: 4000}, 0.004218},
		{"unpriced cache is input", provider.Price{Input: 2}, message.Usage{CacheRead: 250_000, CacheWrite: 250_000}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.price.Cost(tt.usage); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
