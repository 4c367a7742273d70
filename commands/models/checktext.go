package models

import (
	"fmt"
	"io"
	"strings"

	"reasonix/core/config"
	"reasonix/core/provider"
	"reasonix/core/provider/trial"
)

// heading begins what is said of one provider.
func (c *checker) heading(r checked) {
	if !c.text {
		return
	}
	name := r.Provider
	if r.Model != "" {
		name = r.Model
	}
	if r.Default {
		name += " *"
	}
	fmt.Fprintln(c.app.Out, name)
}

// add notes and prints one static check.
func (c *checker) add(r *checked, name, status, detail string) {
	l := line{name, status, detail}
	r.Checks = append(r.Checks, l)
	if c.text {
		print1(c.app.Out, l)
	}
}

func print1(w io.Writer, l line) {
	fmt.Fprintf(w, "  %-8s %-15s %s\n", l.Status, l.Name, l.Detail)
}

// describe prints a profile.
func (c *checker) describe(p *profile) {
	if !c.text || p == nil {
		return
	}
	reasoning := list(p.Reasoning, "not shown")
	if len(p.Reasoning) > 0 {
		reasoning += "; sent back: " + p.Replay
	}
	protocol := p.Protocol
	if p.byUser {
		protocol += " (reasoning_protocol; it decides what is sent back)"
	}
	w := c.app.Out
	fmt.Fprintf(w, "  profile  %s\n", p.Display)
	for _, f := range [][2]string{
		{"reasoning", reasoning},
		{"protocol", protocol},
		{"output limit", p.Limit},
		{"not sent", list(p.Dropped, "")},
		{"call ids", p.CallIDs},
		{"token counts", p.Usage},
		{"cache hits", list(p.Cache, "not counted")},
	} {
		if f[1] != "" {
			fmt.Fprintf(w, "           %-15s %s\n", f[0], f[1])
		}
	}
	for _, q := range p.Quirks {
		fmt.Fprintf(w, "           %-15s %s\n", "known", q)
	}
}

func list(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}

// announce says what a trial may cost before it begins, where it is in nobody's
// way.
func (c *checker) announce(m config.Model, rate *provider.Price) {
	cost := "its price is not known"
	if rate != nil {
		cost = fmt.Sprintf("%.4f %s at most", dearest(rate), rate.Currency)
	}
	fmt.Fprintf(c.app.Err, "asking %s: at most %d requests of about %d tokens, each answered with at most %d (%s)\n",
		m.Ref, trial.MaxRequests, trial.MaxInput, trial.MaxOutput, cost)
}

// progress prints a check of the trial as soon as it is over.
func (c *checker) progress(l line) {
	switch {
	case c.text:
		print1(c.app.Out, l)
	case c.app.StderrTTY:
		print1(c.app.Err, l)
	}
}

// found prints what a trial found.
func (c *checker) found(r checked) {
	if !c.text {
		return
	}
	w, t := c.app.Out, r.Online
	cost := ""
	if t.Cost != nil {
		cost = fmt.Sprintf(", %.4f %s", *t.Cost, t.Currency)
	}
	fmt.Fprintf(w, "  sent     %d requests, %d tokens in, %d out%s\n", t.Requests, t.InputTokens, t.OutputTokens, cost)
	for _, d := range t.Differs {
		fmt.Fprintf(w, "  differs  %s\n", d)
	}
	for _, l := range r.Config {
		fmt.Fprintf(w, "  set      %s\n", l)
	}
}
