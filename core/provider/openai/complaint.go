package openai

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// complaint is what an error body says, whatever its shape.
type complaint struct {
	message, code, kind, param string
	status                     int // a code that is an HTTP status
}

// readComplaint understands {"error":{"message"}}, {"error":"..."}, {"message"},
// {"detail"}, a bare string, and a list of one of these.
func readComplaint(body []byte) complaint {
	var value any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return complaint{}
	}
	var c complaint
	c.read(value, 0)
	return c
}

func (c *complaint) read(value any, depth int) {
	if depth > 4 {
		return
	}
	switch v := value.(type) {
	case string:
		if c.message == "" {
			c.message = v
		}
	case []any:
		if len(v) > 0 {
			c.read(v[0], depth+1)
		}
	case map[string]any:
		c.readObject(v, depth)
	}
}

func (c *complaint) readObject(v map[string]any, depth int) {
	if inner, ok := v["error"]; ok {
		c.read(inner, depth+1)
	}
	for _, key := range []string{"message", "msg", "detail", "error_msg", "errors"} {
		if inner, ok := v[key]; ok && c.message == "" {
			c.read(inner, depth+1)
		}
	}
	c.setCode(v["code"])
	c.setCode(v["status"])
	if s, ok := v["type"].(string); ok && c.kind == "" && s != "error" {
		c.kind = s
	}
	if s, ok := v["param"].(string); ok && c.param == "" {
		c.param = s
	}
	if path, ok := v["loc"].([]any); ok && len(path) > 0 && c.param == "" {
		c.param, _ = path[len(path)-1].(string)
	}
}

func (c *complaint) setCode(value any) {
	switch v := value.(type) {
	case string:
		if c.code == "" {
			c.code = v
		}
		if c.status == 0 {
			c.status = httpStatus(json.Number(v))
		}
	case json.Number:
		if c.status == 0 {
			c.status = httpStatus(v)
		}
		if c.code == "" {
			c.code = v.String()
		}
	}
}

func httpStatus(n json.Number) int {
	if status, err := n.Int64(); err == nil && status >= 400 && status < 600 {
		return int(status)
	}
	return 0
}

// words is everything it says, in lower case.
func (c complaint) words() string {
	return strings.ToLower(c.code + " " + c.kind + " " + c.message)
}

// blamesRequest reports whether the endpoint says outright that asking again is
// useless.
func (c complaint) blamesRequest() bool {
	return mentions(c.words(), "invalid_request|invalid request|bad_request|not_found|unsupported")
}

const maxText = 300 // runes of a message that is shown

// oneLine makes s fit for one line: blanks and control bytes become single
// spaces, and what is too long is cut.
func oneLine(s string) string {
	fields := strings.FieldsFunc(valid(s), func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 })
	out := strings.Join(fields, " ")
	n := 0
	for i := range out {
		if n++; n > maxText {
			return out[:i] + "…"
		}
	}
	return out
}

// keyLike finds what looks like a credential, also when a vendor has starred out
// its middle.
var keyLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bBearer\s+\S+|\b(sk|pk|rk|gsk|xai|tgp|nvapi|hf)[-_][-_A-Za-z0-9*.]{6,}|\b(AIza|AKIA)[-_A-Za-z0-9]{12,}`)
})

const redacted = "[redacted]"

// redact takes the instance's own secrets out of s, and whatever else looks like
// one.
func (p *Provider) redact(s string) string {
	for _, secret := range p.secrets {
		s = strings.ReplaceAll(s, secret, redacted)
	}
	return keyLike().ReplaceAllString(s, redacted)
}

// safeURL is u without user, query and fragment, where secrets are.
func safeURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// mediaType is the content type without its parameters.
func mediaType(resp *http.Response) string {
	header := resp.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(header); err == nil {
		return kind
	}
	return header
}

func orNone(kind string) string {
	if kind == "" {
		return "no content type"
	}
	return "content type " + kind
}
