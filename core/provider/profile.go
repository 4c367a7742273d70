package provider

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Profile is what is known of one vendor's OpenAI-compatible endpoint. It says
// where the vendor is found, and what differs there from the generic endpoint; a
// kind may use all of it and needs none. The zero Profile is not a profile:
// ProfileOf gives the generic one for an endpoint nobody knows.
type Profile struct {
	Name, Display string
	BaseURL       string
	KeyEnv        string // the customary variable; "": it wants no key
	Local         bool   // a server on this machine
	OpenList      bool   // its list of models needs no key, so it proves none
	// Hosts are domains that mean this vendor, subdomains included. ":port" means
	// that port of this machine.
	Hosts []string

	// Protocol is the reasoning protocol that "auto" stands for.
	Protocol  string
	Reasoning []string // where reasoning comes: wire fields, "content" for parts or tags in it
	Replay    Replay
	// Drop are parameters the endpoint does not take or does not need. They are not
	// sent unless extra_body has them.
	Drop []string
	// LimitName is how the output limit is called, max_tokens or
	// max_completion_tokens.
	LimitName string
	CallIDs   CallIDs
	Usage     string   // where the counts come
	Cache     []string // what of usage counts hits of the prompt cache
	Quirks    []string // sentences: what else is different
}

// Replay says which assistant messages carry their reasoning when they are sent
// back.
type Replay string

// The ways of replaying.
const (
	ReplayNever Replay = "never"
	ReplayCalls Replay = "with calls" // the messages that have tool calls
	ReplayAll   Replay = "always"
)

// CallIDs says what an endpoint takes as the id of a tool call.
type CallIDs string

// The known demands.
const (
	AnyID   CallIDs = "any"
	NineIDs CallIDs = "nine letters or digits"
)

// Names of limits and protocols that profiles share.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	reasoningContent    = "reasoning_content"
	generic             = "generic"
	auto                = "auto"
)

// Profiles lists every vendor, those on this machine last. The generic profile is
// not among them.
func Profiles() []Profile {
	list := slices.Concat(vendors(), locals())
	for i := range list {
		list[i].complete()
	}
	return list
}

// Generic is the profile of an endpoint nobody knows: everything usual is sent,
// whatever comes is understood, and what is refused is learnt from the refusal.
func Generic() Profile {
	p := Profile{
		Name: generic, Display: "any other endpoint", Reasoning: []string{reasoningContent, "reasoning", "reasoning_details", "content"},
		Cache: []string{"prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"},
	}
	p.complete()
	return p
}

// complete fills in what a profile leaves to the usual.
func (p *Profile) complete() {
	p.Protocol = orElse(p.Protocol, auto)
	p.Replay = orElse(p.Replay, ReplayCalls)
	p.LimitName = orElse(p.LimitName, maxTokens)
	p.CallIDs = orElse(p.CallIDs, AnyID)
	p.Usage = orElse(p.Usage, "last chunk, without choices")
}

func orElse[S ~string](s, other S) S {
	if s == "" {
		return other
	}
	return s
}

// ProfileNamed finds a profile by its name, the generic one included.
func ProfileNamed(name string) (Profile, bool) {
	for _, p := range append(Profiles(), Generic()) {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// ProfileOf is the profile of the endpoint at u, by its host.
func ProfileOf(u *url.URL) Profile {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	port := ""
	if thisMachine(host) {
		port = ":" + u.Port()
	}
	for _, list := range []func() []Profile{vendors, locals} {
		for _, p := range list() {
			if p.at(host, port) {
				p.complete()
				return p
			}
		}
	}
	return Generic()
}

func (p *Profile) at(host, port string) bool {
	for _, pattern := range p.Hosts {
		if strings.HasPrefix(pattern, ":") {
			if pattern == port {
				return true
			}
		} else if host == pattern || strings.HasSuffix(host, "."+pattern) {
			return true
		}
	}
	return false
}

func thisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
