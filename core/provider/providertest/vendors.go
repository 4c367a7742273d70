package providertest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// vendor is how one vendor's endpoint writes and what it refuses. What a field
// leaves out is as OpenAI does it.
type vendor struct {
	profile provider.Profile
	noise   string // between events: comments that keep the connection
	// reasoning writes reasoning as fields of a delta; nil: it is counted and not
	// shown.
	reasoning func(text string) string
	content   func(text string) string
	calls     callShape
	place     usagePlace
	unasked   bool // usage comes without stream_options
	counts    func(u message.Usage) string
	fault     func(status int, kind, param, text string) *refusal
	check     func(r *Received) *refusal
	tooLong   string // how it says that a prompt does not fit
}

// callShape is how tool calls are written.
type callShape struct {
	whole     bool                                // in one chunk
	zero      bool                                // every call has the number 0
	emptyTail bool                                // pieces repeat an empty id and name
	id        func(request, i int, c Call) string // for a call of the script without one
}

// usagePlace is where in the stream the counts are.
type usagePlace int

const (
	usageAlone      usagePlace = iota // a chunk without choices
	usageWithFinish                   // beside the choice that finishes
	usageInChoice                     // inside it
	usageXGroq                        // in x_groq beside it
	usageEverywhere                   // in every chunk
)

// As makes the server one of a vendor's endpoints: its paths, the shape of its
// streams and errors, and what it refuses. It returns the vendor's own base URL,
// over plain HTTP, and a transport that takes every host for this server. Replies
// of the script that are raw stay as they are. The names are those of
// provider.Profiles; another one panics.
func (s *Server) As(name string) (baseURL string, transport *http.Transport) {
	v := vendorNamed(name)
	u, err := url.Parse(v.profile.BaseURL)
	if err != nil {
		panic("providertest: " + err.Error())
	}
	u.Scheme = "http"
	s.SetPaths(u.Path+"/chat/completions", u.Path+"/models")
	s.configure(func(c *settings) { c.vendor = v })
	address := s.listener.Addr().String()
	return u.String(), &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, address)
		},
	}
}

// Fault is an HTTP error in the words of the server's vendor.
func (s *Server) Fault(status int, text string) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.settings.refuse(status, "invalid_request_error", "", text)
	return Status(f.status, string(f.body))
}

// refuse is an error answer as the server's vendor writes it.
func (c *settings) refuse(status int, kind, param, text string) *refusal {
	if c.vendor != nil && c.vendor.fault != nil {
		return c.vendor.fault(status, kind, param, text)
	}
	return fault(status, kind, param, text)
}

// checkVendor is what this vendor refuses and others take.
func (c *settings) checkVendor(rec *Received) *refusal {
	if c.vendor == nil || c.vendor.check == nil {
		return nil
	}
	return c.vendor.check(rec)
}

func vendorNamed(name string) *vendor {
	for _, v := range vendors() {
		if p, ok := provider.ProfileNamed(v.profile.Name); ok && v.profile.Name == name {
			v.profile = p
			return &v
		}
	}
	panic("providertest: no vendor " + name)
}

// dress makes a well-formed reply the vendor's answer to rec.
func (v *vendor) dress(r Reply, rec *Received) Reply {
	if r.said == nil {
		return r
	}
	s := *r.said
	s.as, s.asked = v, strings.Contains(string(rec.Fields["stream_options"]), `"include_usage":true`)
	r.said = &s
	return r
}

// identify is the id of a call that the script gave none.
func (v *vendor) identify(request, i int, c Call) string {
	if v == nil || v.calls.id == nil {
		return fmt.Sprintf("call_%d_%d", request, i)
	}
	return v.calls.id(request, i, c)
}

// events writes s as the vendor does.
func (v *vendor) events(s *said) []string {
	w := vendorWriter{v: v, said: s}
	w.delta(`"role":"assistant","content":""`)
	if v.reasoning != nil {
		for _, piece := range pieces(s.reasoning, 2) {
			w.delta(v.reasoning(piece))
		}
	}
	for _, piece := range pieces(s.text, 3) {
		w.delta(v.text(piece))
	}
	for i, c := range s.calls {
		w.call(i, c)
	}
	w.finish()
	return append(w.out, Done)
}

func (v *vendor) text(piece string) string {
	if v.content != nil {
		return v.content(piece)
	}
	return `"content":` + string(mustJSON(piece))
}

// vendorWriter writes one stream.
type vendorWriter struct {
	v    *vendor
	said *said
	out  []string
}

func (w *vendorWriter) delta(fields string) {
	w.chunk(`{"index":0,"delta":{`+fields+`},"finish_reason":null}`, "")
}

// chunk writes one event with these choices and further members.
func (w *vendorWriter) chunk(choices, more string) {
	if w.v.place == usageEverywhere && w.reports() && more == "" {
		part := w.said.usage
		part.Output = len(w.out)
		more = `,"usage":` + w.count(part)
	}
	w.out = append(w.out, w.v.noise+Event(`{"id":"gen-1","object":"chat.completion.chunk","created":1700000000,"model":"scripted",`+
		`"choices":[`+choices+`]`+more+`}`))
}

func (w *vendorWriter) call(i int, c Call) {
	number := i
	if w.v.calls.zero {
		number = 0
	}
	open := `"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}`
	if w.v.calls.whole {
		w.delta(fmt.Sprintf(`"tool_calls":[{`+open+`}]`, number, mustJSON(c.ID), mustJSON(c.Name), mustJSON(c.Arguments)))
		return
	}
	w.delta(fmt.Sprintf(`"tool_calls":[{`+open+`}]`, number, mustJSON(c.ID), mustJSON(c.Name), `""`))
	tail := `"index":%d,"function":{"arguments":%s}`
	if w.v.calls.emptyTail {
		tail = `"index":%d,"id":"","type":"function","function":{"name":"","arguments":%s}`
	}
	for _, piece := range pieces(c.Arguments, 3) {
		w.delta(fmt.Sprintf(`"tool_calls":[{`+tail+`}]`, number, mustJSON(piece)))
	}
}

// finish closes the choice and gives the counts where the vendor has them.
func (w *vendorWriter) finish() {
	reason := string(mustJSON(w.said.finish))
	usage, last, more := w.count(w.said.usage), `{"index":0,"delta":{},"finish_reason":`+reason, ""
	switch {
	case !w.reports(), w.v.place == usageAlone:
	case w.v.place == usageInChoice:
		last += `,"usage":` + usage
	case w.v.place == usageXGroq:
		more = `,"x_groq":{"id":"req_1","usage":` + usage + `}`
	default:
		more = `,"usage":` + usage
	}
	w.chunk(last+"}", more)
	if w.reports() && w.v.place == usageAlone {
		w.chunk("", `,"usage":`+usage)
	}
}

func (w *vendorWriter) reports() bool { return w.said.asked || w.v.unasked }

// count writes a usage object. Half of the output of a reply with reasoning is
// reasoning.
func (w *vendorWriter) count(u message.Usage) string {
	if w.said.reasoning != "" {
		u.Reasoning = u.Output / 2
	}
	if w.v.counts != nil {
		return w.v.counts(u)
	}
	return countsDetailed(u)
}
