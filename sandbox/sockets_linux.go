package sandbox

import (
	"os"
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

// mask adds the sockets that commands could use where nothing hides them.
func (c *confinement) mask(sockets []string) {
	places := c.places()
	for _, path := range sockets {
		class, inside := classOf(places, path)
		hides := !c.Network && within(runDir, path)
		if inside && (c.Network && class == hidden || !c.Network && class != bare) || !inside && hides {
			continue
		}
		info, _ := os.Lstat(path)
		c.Sockets = append(c.Sockets, path)
		c.identity = append(c.identity, identity(info))
	}
}
