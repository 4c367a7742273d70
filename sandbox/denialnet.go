package sandbox

import (
	"context"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// judgeNetwork looks for the network in the line of a failure of a command that
// had none.
func (d *denials) judgeNetwork(kind failure, line string) {
	lower := strings.ToLower(line)
	says := func(word string) bool { return strings.Contains(lower, word) }
	at := addressIn(line)
	switch {
	case kind == failUnreachable,
		kind == failForbidden && slices.ContainsFunc([]string{"socket", "connect", "/dev/tcp/", "/dev/udp/"}, says),
		// Whether something listens there the command could not know.
		kind == failRefused && at != "" && listening(at):
		d.add(DeniedNetwork, at)
	}
}

// address is a host with a port, in the forms that programs name it in.
var address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\[[0-9a-fA-F:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::|,? [Pp]ort:? )([0-9]{1,5})\b|/dev/(?:tcp|udp)/([^/\s]+)/([0-9]+)`)
})

// addressIn returns the last address in a line; "" when there is none.
func addressIn(line string) string {
	all := address().FindAllStringSubmatch(line, -1)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	host, port := last[1]+last[3], last[2]+last[4]
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// listenPatience is enough for an address of this machine.
const listenPatience = 200 * time.Millisecond

// listening tells whether a service of this machine listens at an address.
func listening(at string) bool {
	host, _, err := net.SplitHostPort(at)
	if err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return false
	}
	d := net.Dialer{Timeout: listenPatience}
	c, err := d.DialContext(context.Background(), "tcp", at)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

func isSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}

// answers tells whether somebody listens at a socket. What could be reached was not
// denied.
func answers(path string) bool {
	c, err := (&net.Dialer{Timeout: listenPatience}).DialContext(context.Background(), "unix", path)
	if err != nil {
		return false
	}
	_ = c.Close() // nothing was sent
	return true
}
