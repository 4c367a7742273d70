package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestAddresses(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700::1111", "2a00::1", "64:ff9b::101:101", "2002:101:101::1", "::ffff:8.8.8.8"} {
		if kind := kindOf(netip.MustParseAddr(a)); kind != "" {
			t.Errorf("%s is refused as %s", a, kind)
		}
	}
	for a, want := range map[string]string{
		"127.0.0.1": "this machine", "127.255.0.1": "this machine", "::1": "this machine", "::ffff:127.0.0.1": "this machine", "64:ff9b::7f00:1": "this machine",
		"10.0.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private", "fd12::1": "private", "2002:c0a8:101::1": "private", "::ffff:10.0.0.1": "private", "::ffff:0:10.0.0.1": "private",
		"169.254.169.254": "link-local", "fe80::1%eth0": "link-local", "64:ff9b::a9fe:a9fe": "link-local", "::ffff:0:a9fe:a9fe": "link-local",
		"100.64.0.1": "reserved", "100.127.255.255": "reserved", "0.1.2.3": "reserved", "198.18.0.1": "reserved", "240.0.0.1": "reserved", "255.255.255.255": "reserved",
		"192.0.2.1": "reserved", "fec0::1": "reserved", "::127.0.0.1": "reserved", "2001::1": "reserved", "2001:db8::1": "reserved",
		"224.0.0.1": "multicast", "ff02::1": "multicast", "0.0.0.0": "no address at all", "::": "no address at all",
	} {
		if kind := kindOf(netip.MustParseAddr(a)); kind != want {
			t.Errorf("%s: got %q, want %q", a, kind, want)
		}
	}
}

func TestLinkLocalMustBeNamedItself(t *testing.T) {
	metadata := netip.MustParseAddr("169.254.169.254")
	if err := (client{allow: []string{"*.corp"}}).check("x.corp", metadata); err == nil {
		t.Error("a rule about a name opens the metadata service")
	}
	if err := (client{allow: []string{"*.corp"}}).check("x.corp", netip.MustParseAddr("10.0.0.1")); err != nil {
		t.Error(err)
	}
	if err := (client{allow: []string{"169.254.169.254"}}).check("169.254.169.254", metadata); err != nil {
		t.Error(err)
	}
}

func TestAServerThatNeverAnswersCostsTheLimit(t *testing.T) {
	gone := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	}))
	defer s.Close()
	tl := fetch{bound: true, limit: 50 * time.Millisecond, client: client{network: true, allow: []string{"127.0.0.1"}, base: &http.Transport{}}}
	_, err := tl.Execute(t.Context(), []byte(`{"url":"`+s.URL+`"}`))
	if !errors.Is(err, errPatience) || !strings.HasSuffix(err.Error(), "the time for one fetch is over (50ms)") {
		t.Errorf("got %v", err)
	}
	<-gone
}
