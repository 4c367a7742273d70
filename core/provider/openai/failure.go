package openai

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"reasonix/core/provider"
)

// fault is a provider.Failure in the making: it does not know whose it is, and
// its text may still hold secrets and line ends.
type fault struct {
	kind, phase string
	text        string
	status      int
	after       time.Duration
	retryable   bool
	err         error
	complaint   complaint // of an HTTP error
	stale       bool      // a kept-alive connection turned out to be dead
}

// failure is f for the world.
func (p *Provider) failure(f *fault, phase string) *provider.Failure {
	if f.phase != "" {
		phase = f.phase
	}
	return &provider.Failure{
		Kind:      f.kind,
		Phase:     phase,
		Provider:  p.name,
		Text:      oneLine(p.redact(f.text)),
		Status:    f.status,
		After:     f.after,
		Retryable: f.retryable,
		Err:       f.err,
	}
}

// readFault reads an error object out of a 200 stream.
func readFault(object []byte) *fault {
	c := readComplaint(object)
	f := &fault{kind: provider.KindServerError, text: c.message, retryable: true}
	if f.text == "" {
		f.text = "the endpoint reported an error without a message"
	}
	switch kind, retryable := classify(c.status, c); {
	case kind == provider.KindOverloaded:
	case kind == provider.KindRequest && c.status == 0 && !c.blamesRequest():
	default:
		f.kind, f.retryable = kind, retryable
	}
	return f
}

// statusFault reads an HTTP error.
func (p *Provider) statusFault(resp *http.Response, body []byte) *fault {
	c := readComplaint(body)
	f := &fault{phase: provider.PhaseFirstByte, status: resp.StatusCode, complaint: c, text: c.message}
	f.kind, f.retryable = classify(resp.StatusCode, c)
	where := "from " + safeURL(resp.Request.URL)
	switch kind := mediaType(resp); {
	case f.text == "" && kind == "text/plain" && len(body) > 0 && body[0] != '<':
		f.text = string(body)
	case f.text == "":
		f.text = fmt.Sprintf("%s %s", orNone(kind), where)
	case resp.StatusCode == http.StatusNotFound:
		f.text += " " + where
	}
	if better := p.unversioned(); better != "" && resp.StatusCode == http.StatusNotFound {
		f.text = fmt.Sprintf("%s; base_url has no version: try %s", f.text, better)
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		f.text = "redirected to another place; set base_url to where the endpoint is"
		if u, err := resp.Request.URL.Parse(to); err == nil {
			f.text = fmt.Sprintf("redirected to %s; set base_url accordingly", safeURL(u))
		}
	}
	if f.retryable {
		f.after = retryAfter(resp.Header)
	}
	return f
}

// classify says what kind of failure a status and a complaint are. Status 0 is an
// error object without a code.
func classify(status int, c complaint) (kind string, retryable bool) {
	words := c.words()
	switch {
	case provider.IsContextLength(status, c.code+" "+c.kind, c.message):
		return provider.KindContext, false
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == 0 && mentions(words, authWords):
		return provider.KindAuth, false
	case status == http.StatusTooManyRequests, status == 0 && mentions(words, rateWords):
		return provider.KindRateLimit, !mentions(words, quotaWords)
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500:
		return provider.KindOverloaded, true
	}
	return provider.KindRequest, false
}

// What vendors write. All in lower case.
const (
	authWords  = "authentication|invalid_api_key|invalid api key|unauthorized|permission_denied"
	rateWords  = "rate_limit|rate limit|too many requests"
	quotaWords = "insufficient_quota|exceeded your current quota|insufficient balance|billing|arrearage"
)

func mentions(words, list string) bool {
	for w := range strings.SplitSeq(list, "|") {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// retryAfter is how long the endpoint wants to be left alone. A date is read by
// the endpoint's own clock when it gives one.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now))
}

// networkFault says what keeps the endpoint from being reached, and what to look
// at.
func (p *Provider) networkFault(err error, u *url.URL, phase string) *fault {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // its text repeats the URL with its query
	}
	f := &fault{kind: provider.KindConnection, phase: phase, err: err, retryable: true}
	f.text, f.retryable = reachText(err, u)
	return f
}

func reachText(err error, u *url.URL) (text string, retryable bool) {
	var (
		dns       *net.DNSError
		record    tls.RecordHeaderError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	host := u.Host
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot find host %s: check base_url and the network", u.Hostname()), true
	case refused(err):
		return fmt.Sprintf("%s refused the connection: check that the server is running and base_url is right", host), true
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fmt.Sprintf("%s does not speak TLS: use http:// in base_url", host), false
	case errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &invalid):
		return fmt.Sprintf("%s has a certificate that is not trusted here: %v", host, err), false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return fmt.Sprintf("%s closed the connection without an answer", host), true
	case strings.Contains(err.Error(), "unsupported protocol scheme"):
		return err.Error(), false
	}
	return fmt.Sprintf("cannot reach %s: %v", host, err), true
}

// refused also knows the number Windows has for it.
func refused(err error) bool {
	const wsaConnRefused = syscall.Errno(10061)
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, wsaConnRefused)
}
