package web

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
)

// reserved are the networks, beside those that net/netip knows, in which no
// public server is.
var reserved = sync.OnceValue(func() []netip.Prefix {
	return []netip.Prefix{
		prefix("0.0.0.0/8"), prefix("100.64.0.0/10"), prefix("192.0.0.0/24"), prefix("192.0.2.0/24"), prefix("198.18.0.0/15"),
		prefix("198.51.100.0/24"), prefix("203.0.113.0/24"), prefix("240.0.0.0/4"),
		prefix("::/96"), prefix("64:ff9b:1::/48"), prefix("100::/64"), prefix("2001::/23"), prefix("2001:db8::/32"), prefix("fec0::/10"),
	}
})

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// kindOf says why an address is not a public one, "" when it is.
func kindOf(a netip.Addr) string {
	a = a.WithZone("").Unmap()
	if inner, ok := embedded(a); ok {
		a = inner
	}
	switch {
	case !a.IsValid() || a.IsUnspecified():
		return "no address at all"
	case a.IsLoopback():
		return "this machine"
	case a.IsLinkLocalUnicast():
		return "link-local"
	case a.IsPrivate():
		return "private"
	case a.IsMulticast():
		return "multicast"
	}
	for _, p := range reserved() {
		if p.Contains(a) {
			return "reserved"
		}
	}
	return ""
}

// embedded is the IPv4 address to which a translator or a tunnel brings what is
// sent to an IPv6 address: NAT64, SIIT and 6to4.
func embedded(a netip.Addr) (netip.Addr, bool) {
	b := a.As16()
	switch {
	case !a.Is6():
		return a, false
	case prefix("64:ff9b::/96").Contains(a), prefix("::ffff:0:0:0/96").Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case prefix("2002::/16").Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return a, false
}

// An addressError is a connection that was not made.
type addressError struct {
	host string
	addr netip.Addr
	kind string
}

func (e *addressError) Error() string {
	where := e.host
	if where != e.addr.String() {
		where += " is at " + e.addr.String() + ", which"
	}
	return fmt.Sprintf("%s is not a public address (%s); the rule web_fetch(domain:%s) in permissions.allow would let it through", where, e.kind, e.host)
}

// check says whether a connection to addr, made for host, may be. Rules of the
// user name hosts that may be anywhere, but a link-local address, where clouds
// keep their keys, must be named itself.
func (c client) check(host string, addr netip.Addr) error {
	kind := kindOf(addr)
	if kind == "" {
		return nil
	}
	allowed := c.allows(host) && kind != "link-local"
	if allowed || c.allows(addr.WithZone("").Unmap().String()) {
		return nil
	}
	return &addressError{host: host, addr: addr.WithZone("").Unmap(), kind: kind}
}

func (c client) allows(host string) bool {
	for _, pattern := range c.allow {
		if wildcard(strings.ToLower(pattern), host) {
			return true
		}
	}
	return false
}

// wildcard matches the whole of text: "*" is any run of characters.
func wildcard(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, head)
	if !ok {
		return false
	}
	for i := range len(text) + 1 {
		if wildcard(rest, text[i:]) {
			return true
		}
	}
	return false
}
