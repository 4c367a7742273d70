package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bwrap is bubblewrap as a way of confinement: a supervisor is started in mount,
// process and IPC namespaces of its own, with the whole file system read-only but
// for what may be written. As root it keeps the capabilities by which root may
// write other users' files; what is mounted read-only is so for them too.
type bwrap struct {
	search string   // to look bwrap up in
	extra  []string // options that this machine needs
}

func bwrapWay(search string) *way {
	b := &bwrap{search: search}
	return &way{
		name:   WayBwrap,
		probe:  b.probe,
		holds:  bwrapHolds,
		eager:  true,
		system: system{launch: b.launch, mounts: true},
	}
}

// bwrapHolds lists what bubblewrap holds commands to.
func bwrapHolds() []Guarantee {
	return []Guarantee{HoldsWrites, HoldsProtected, HoldsHidden, HoldsListing, HoldsMetadata, HoldsNetwork, HoldsSockets, HoldsDaemons, HoldsProcesses}
}

// launch prepares a supervisor held to c.
func (b *bwrap) launch(c confinement) (launch, error) {
	path, err := b.find()
	if err != nil {
		return launch{}, err
	}
	if class, inside := classOf(c.places(), path); inside && class == writable {
		return launch{}, fmt.Errorf("%s can be changed by the commands it is to confine", path)
	}
	exec, err := os.Open("/proc/self/exe")
	if err != nil {
		return launch{}, err
	}
	argv := append([]string{"bwrap"}, b.extra...)
	argv = append(argv, bwrapOptions(c, os.Geteuid() == 0)...)
	argv = append(argv, "--", own, helperName, WayBwrap)
	if !c.Network {
		argv = append(argv, offline)
	}
	return launch{path: path, argv: argv, exec: exec}, nil
}

// find looks bwrap up. Relative directories do not count: they would be the
// workspace's.
func (b *bwrap) find() (string, error) {
	for _, dir := range filepath.SplitList(b.search) {
		path := filepath.Join(dir, "bwrap")
		info, err := os.Stat(path)
		if err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			real, _ := resolve(path)
			return real, nil
		}
	}
	return "", &defect{
		why: fmt.Errorf("bwrap is not in PATH: %w", fs.ErrNotExist),
		fix: "install the package bubblewrap",
	}
}

// probe starts a supervisor that may write nothing.
func (b *bwrap) probe() error {
	path, err := b.find()
	if err != nil {
		return err
	}
	variants := [][]string{nil}
	if os.Geteuid() == 0 { // without the capability to mount, as in a container
		variants = append(variants, []string{"--unshare-user"})
	}
	for _, b.extra = range variants {
		if err = b.try(); err == nil {
			return nil
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break // it hangs, whatever it is asked
		}
	}
	said := err.Error()
	if f := (*startFailure)(nil); errors.As(err, &f) {
		said = f.why()
	}
	return &defect{
		why: fmt.Errorf("%s is there but fails: %s", path, said),
		fix: namespaceFix(said, sysctl),
	}
}

func (b *bwrap) try() error {
	l, err := b.launch(confinement{Network: true})
	if err != nil {
		return err
	}
	l.patience = probePatience
	var m marker
	s, err := startSupervisor(m.next(), "", l)
	if err != nil {
		return err
	}
	return s.end(closePatience)
}

// sysctl reads a setting of the kernel; "" when there is none.
func sysctl(name string) string {
	data, _ := os.ReadFile("/proc/sys/" + name)
	return strings.TrimSpace(string(data))
}

// namespaceFix says what a person can do when namespaces cannot be made.
func namespaceFix(said string, sysctl func(name string) string) string {
	forbidden := slices.ContainsFunc([]string{"denied", "not permitted", "namespace", "uid map", "ermissions"}, func(word string) bool {
		return strings.Contains(said, word)
	})
	switch {
	case strings.Contains(said, "nknown option"):
		return "install a newer bubblewrap (0.4 or later)"
	case !forbidden:
		return ""
	case sysctl("kernel/unprivileged_userns_clone") == "0":
		return "allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1"
	case sysctl("user/max_user_namespaces") == "0":
		return "allow user namespaces: sudo sysctl -w user.max_user_namespaces=15000"
	case sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "let AppArmor allow bwrap user namespaces: install the package apparmor-profiles and load its profile " +
			"bwrap-userns-restrict, or sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	}
	return "user namespaces seem to be forbidden: check the sysctls kernel.unprivileged_userns_clone, " +
		"kernel.apparmor_restrict_unprivileged_userns (or an AppArmor profile for bwrap); " +
		"in a container, its seccomp profile must allow them"
}
