package wire

import (
	"errors"
	"testing"

	"reasonix/core/config"
	"reasonix/core/event"
	"reasonix/core/provider"
)

// A cost limit that somebody wishes and nobody can keep is refused; one that the session
// had with another model is given up, and that is told.
func TestACostLimitNobodyCanKeep(t *testing.T) {
	unpriced := model{Model: config.Model{Ref: "p/m", Provider: &config.Provider{Name: "p"}}}
	priced := unpriced
	priced.price = &provider.Price{Currency: "CNY"}
	limits := event.Limits{Steps: 2, Cost: &event.Money{Amount: 1, Currency: "USD"}}
	for _, c := range []struct {
		name    string
		m       model
		wished  bool
		refused bool
		cost    string // its currency
		told    int
	}{
		{"wished and kept", priced, true, false, "CNY", 0},
		{"had and kept", priced, false, false, "CNY", 0},
		{"wished and not kept", unpriced, true, true, "USD", 0},
		{"had and not kept", unpriced, false, false, "", 1},
	} {
		to := choice{limits: limits}
		err := to.keepable(c.m, c.wished)
		var usage *UsageError
		if errors.As(err, &usage) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		currency := ""
		if to.limits.Cost != nil {
			currency = to.limits.Cost.Currency
		}
		if currency != c.cost || len(to.notices) != c.told || to.limits.Steps != 2 {
			t.Errorf("%s: %+v, told %v", c.name, to.limits, to.notices)
		}
	}
}
