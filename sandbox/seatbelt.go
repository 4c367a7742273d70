//go:build linux || darwin

package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Seatbelt, the sandbox of macOS, takes a program of rules of which the last that
// matches holds. Ours allows what it does not mention: builds use too many services
// of the system to list. It denies writing, what is hidden, other processes, and the
// ways to have something run outside.
//
// Rules go by path, so that a directory above a protected or hidden path must not
// be moved away from it. What is protected and not there is not denied, for a
// command may make a repository; it is put back by a keeper. A second name of a
// hidden file that existed before shows it.

// launchers are the services by which a process outside is started on request.
var launchers = []string{
	"com.apple.coreservices.launchservicesd", "com.apple.coreservices.quarantine-resolver",
	"com.apple.coreservices.appleevents", "com.apple.lsd.open", "com.apple.xpc.smd", "com.apple.pbs.fetch_services",
}

// A profile is a program of rules in the making.
type profile struct{ strings.Builder }

// seatbeltProfile returns the profile for c, which is in canonical form.
func seatbeltProfile(c confinement) string {
	var p profile
	p.line("(version 1)")
	p.line("(allow default)")
	p.others()
	p.line("(deny file-write*)")
	p.devices()
	if !c.Network {
		p.line("(deny network*)")
	}
	for _, place := range c.places() {
		p.place(place, &c)
	}
	p.fixed(&c)
	return p.String()
}

func (p *profile) line(parts ...string) {
	for _, part := range parts {
		p.WriteString(part)
	}
	p.WriteString("\n")
}

// rule writes one rule for one path; filter is literal or subpath.
func (p *profile) rule(action, filter, path string) {
	p.line("(", action, " (", filter, " ", quote(path), "))")
}

// others denies what concerns processes outside.
func (p *profile) others() {
	p.line("(deny signal process-info* mach-priv-task-port)")
	p.line("(allow signal process-info* mach-priv-task-port (target same-sandbox))")
	p.line(`(deny sysctl-read (sysctl-name "kern.procargs2"))`) // arguments and environment of any process
	p.line("(deny appleevent-send lsopen job-creation)")
	for _, name := range launchers {
		p.line("(deny mach-lookup (global-name ", quote(name), "))")
	}
}

// devices allows the nodes without state, and terminals that the command makes.
func (p *profile) devices() {
	for _, name := range []string{"null", "zero", "random", "urandom", "tty", "dtracehelper", "ptmx"} {
		p.rule("allow file-write-data file-ioctl", "literal", "/dev/"+name)
	}
	p.rule("allow file-write-data", "subpath", "/dev/fd")
	p.line("(allow pseudo-tty)")
	p.line(`(deny file-read* file-write* (regex #"^/dev/ttys[0-9]+$"))`)
	p.line(`(allow file-read* file-write* file-ioctl (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))`)
}

func (p *profile) place(place place, c *confinement) {
	switch place.class {
	case writable:
		p.rule("allow file* process-exec*", "subpath", place.path)
		if !c.Network {
			p.line("(allow network-bind network-inbound (local unix-socket (subpath ", quote(place.path), ")))")
			p.line("(allow network-outbound (remote unix-socket (subpath ", quote(place.path), ")))")
		}
	case protected:
		p.rule("deny file-write*", "subpath", place.path)
	case hidden:
		p.rule("deny file* process-exec*", "subpath", place.path)
		p.line("(deny network-outbound (remote unix-socket (subpath ", quote(place.path), ")))")
	case bare:
		p.rule("allow file-read* file-map-executable process-exec*", "subpath", place.path)
	}
}

// fixed keeps writable directories and those above denied places where they are,
// and lets those above open places be passed through.
func (p *profile) fixed(c *confinement) {
	places := c.places()
	stay, pass := map[string]bool{}, map[string]bool{}
	for _, place := range places {
		if place.class == writable {
			stay[place.path] = true
		}
		for dir := filepath.Dir(place.path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			around, inside := classOf(places, dir)
			switch {
			case inside && around == writable && place.class != writable:
				stay[dir] = true
			case inside && around == hidden && (place.class == writable || place.class == bare):
				pass[dir] = true
			}
		}
	}
	for _, dir := range sortedKeys(stay) {
		p.rule("deny file-write-unlink", "literal", dir)
	}
	for _, dir := range sortedKeys(pass) {
		p.rule("allow file-read-metadata", "literal", dir)
	}
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// quote writes a string of the profile's language.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}
