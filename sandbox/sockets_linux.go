package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Unix socket is used by its name whatever is mounted read-only around it, and
// in whatever network namespace. So each that has a name is masked: those the
// kernel lists, those the environment leads to, and the whole of runDir.

// usableSockets lists the named Unix sockets that are there at present, as far as
// the kernel or cmd's environment knows their names.
func usableSockets(cmd Cmd) []string {
	var all []string
	table, _ := os.ReadFile("/proc/net/unix")
	for line := range strings.Lines(string(table)) {
		if i := strings.IndexByte(line, '/'); i > 0 {
			all = append(all, strings.TrimSuffix(line[i:], "\n"))
		}
	}
	for _, kv := range cmd.Env {
		_, value, _ := strings.Cut(kv, "=")
		all = append(all, socketIn(value)...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || info.Mode()&os.ModeSocket == 0
	})
}

// socketIn returns the path that a value such as that of SSH_AUTH_SOCK,
// DOCKER_HOST or DBUS_SESSION_BUS_ADDRESS may name a socket by.
func socketIn(value string) []string {
	value = strings.TrimPrefix(value, "unix:")
	value = strings.TrimPrefix(value, "path=")
	value, _, _ = strings.Cut(value, ",")
	if !filepath.IsAbs(value) || strings.ContainsRune(value, filepath.ListSeparator) {
		return nil
	}
	real, there := resolve(value)
	if !there {
		return nil
	}
	return []string{real}
}

// mask adds the sockets that commands could use where nothing hides them.
func (c *confinement) mask(sockets []string) {
	places := c.places()
	for _, path := range sockets {
		class, inside := classOf(places, path)
		if inside && class != bare || !inside && within(runDir, path) {
			continue
		}
		info, _ := os.Lstat(path)
		c.Sockets = append(c.Sockets, path)
		c.identity = append(c.identity, identity(info))
	}
}
