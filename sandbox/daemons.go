package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// daemons are the sockets of services that run programs for whoever asks, as another
// user or out of every confinement.
var daemons = []string{
	"/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/io.systemd.Manager", "/run/docker.sock",
	"/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/crio/crio.sock", "/run/buildkit/buildkitd.sock",
	"/run/snapd.socket", "/run/libvirt/libvirt-sock", "/run/libvirt/virtqemud-sock", "/var/lib/lxd/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket",
}

// daemonsOfUser are those below the directory of a user's sockets.
var daemonsOfUser = []string{
	"bus", "systemd/private", "systemd/io.systemd.Manager", "docker.sock", "podman/podman.sock", "containerd/containerd.sock",
	"buildkit/buildkitd.sock", "libvirt/libvirt-sock", "libvirt/virtqemud-sock",
}

// daemonsOfHome are those below the home directory.
var daemonsOfHome = []string{".docker/run/docker.sock", ".docker/desktop/docker.sock", ".colima/default/docker.sock", ".rd/docker.sock"}

// daemonVariables lead to others.
var daemonVariables = []string{"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DOCKER_HOST", "CONTAINER_HOST", "CONTAINERD_ADDRESS", "BUILDKIT_HOST"}

// daemonSockets lists the sockets of daemons that are there.
func daemonSockets(env []string) []string {
	all := slices.Clone(daemons)
	for _, dir := range []string{valueOf(env, "XDG_RUNTIME_DIR"), filepath.Join("/run/user", strconv.Itoa(os.Geteuid()))} {
		all = append(all, joined(dir, daemonsOfUser)...)
	}
	all = append(all, joined(valueOf(env, "HOME"), daemonsOfHome)...)
	for _, name := range daemonVariables {
		all = append(all, socketIn(valueOf(env, name))...)
	}
	look := resolver{}
	var there []string
	for _, path := range all {
		if at := look.at(filepath.Clean(path)); at.info != nil && at.info.Mode()&os.ModeSocket != 0 {
			there = append(there, at.path)
		}
	}
	slices.Sort(there)
	return slices.Compact(there)
}

// joined joins names to dir; none to one that is not absolute.
func joined(dir string, names []string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	var all []string
	for _, name := range names {
		all = append(all, filepath.Join(dir, name))
	}
	return all
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
