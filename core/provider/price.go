package provider

import "reasonix/core/message"

// Price is what one model costs, per million tokens in Currency. A zero CacheHit
// or CacheWrite means that the vendor has no price of its own for it: the tokens
// count as Input, so that a cost limit errs on the safe side.
type Price struct {
	Input, Output, CacheHit, CacheWrite float64
	Currency                            string // ISO 4217, such as USD
}

// Cost is the price of u in p's currency. Reasoning is a part of the output and
// is not counted again.
func (p Price) Cost(u message.Usage) float64 {
	hit, write := p.CacheHit, p.CacheWrite
	if hit == 0 {
		hit = p.Input
	}
	if write == 0 {
		write = p.Input
	}
	return (float64(u.Input)*p.Input +
		float64(u.Output)*p.Output +
		float64(u.CacheRead)*hit +
		float64(u.CacheWrite)*write) / 1e6
}
