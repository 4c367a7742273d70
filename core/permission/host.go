package permission

import (
	"net/url"
	"strings"
)

// domain begins the spec of a rule about the host of a URL.
const domain = "domain:"

// hostOf returns the host of an http or https URL in lower case, "" when there is
// none or one that a name server would read in another way than a rule does.
func hostOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.ContainsFunc(host, func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < '0' || '9' < c) && !strings.ContainsRune("-._:", c)
	}) {
		return ""
	}
	return host
}

// matchHost compares the host of a call with a rule domain:HOST, in which "*" is
// any run of characters. To be stricter is to speak of every host below HOST too.
func (r Rule) matchHost(host string, strict bool) bool {
	spec, ok := strings.CutPrefix(r.Spec, domain)
	if !ok || host == "" {
		return false
	}
	spec = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(spec)), ".")
	if r.Literal {
		return spec == host
	}
	return wildcard(spec, host) || strict && wildcard("*."+spec, host)
}

// aboutHost reports whether the rule speaks of hosts.
func (r Rule) aboutHost() bool { return strings.HasPrefix(r.Spec, domain) }

// host is the pattern of a rule about hosts, "" for any other.
func (r Rule) host() string {
	if !r.aboutHost() {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(r.Spec, domain))
}

// FetchHosts lists the hosts that allow rules for web_fetch name, such as
// 127.0.0.1 or *.example.com. A rule about every call of the tool names none.
func (p Policy) FetchHosts() []string {
	var hosts []string
	for _, r := range p.Allow {
		if host := r.host(); host != "" && strings.EqualFold(r.Tool, fetchTool) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
