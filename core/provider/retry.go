package provider

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Retry decides whether and when a failed request is sent again: exponential
// back-off with full jitter, a Retry-After kept to the second, and two limits. It
// only computes; the caller waits. The zero value is the product's policy.
type Retry struct {
	Tries int            // requests in total, the first one included; 0: 5
	Total time.Duration  // from the first request to the last one's start; 0: 2 minutes
	Base  time.Duration  // longest wait before the second request; 0: 1 second
	Max   time.Duration  // longest wait before any later one; 0: 30 seconds
	Rand  func() float64 // in [0, 1); nil: a random source
}

// Next says how long to wait before the next request, after attempt requests (1
// after the first) the last of which failed with f, elapsed after the first was
// sent. Not ok means give up: f is not retryable, the tries are used up, or the
// wait would pass the total. A wait the endpoint asked for is never shortened to
// make it fit.
func (r Retry) Next(attempt int, f *Failure, elapsed time.Duration) (wait time.Duration, ok bool) {
	r = r.withDefaults()
	if f == nil || !f.Retryable || attempt >= r.Tries {
		return 0, false
	}
	wait = f.After
	if wait <= 0 {
		wait = r.jitter(attempt)
	}
	if wait > r.Total-elapsed {
		return 0, false
	}
	return wait, true
}

func (r Retry) withDefaults() Retry {
	if r.Tries == 0 {
		r.Tries = 5
	}
	if r.Total == 0 {
		r.Total = 2 * time.Minute
	}
	if r.Base == 0 {
		r.Base = time.Second
	}
	if r.Max == 0 {
		r.Max = 30 * time.Second
	}
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	return r
}

// jitter is anything from nothing to the ceiling, which doubles with each
// attempt, so that many clients of one endpoint do not come back together.
func (r Retry) jitter(attempt int) time.Duration {
	ceiling := float64(r.Base) * math.Pow(2, float64(max(attempt, 1)-1))
	return time.Duration(r.Rand() * min(ceiling, float64(r.Max)))
}

// longestAfter keeps an absurd Retry-After from overflowing a Duration.
const longestAfter = 365 * 24 * time.Hour

// RetryAfter reads the value of a Retry-After header: seconds, which some
// vendors send with a fraction, or an HTTP date. It is 0 when there is none, when
// it cannot be read and when its time has passed.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if math.IsNaN(seconds) || seconds <= 0 {
			return 0
		}
		return time.Duration(min(seconds, longestAfter.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestAfter)
}
