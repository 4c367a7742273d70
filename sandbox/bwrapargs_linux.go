package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
)

// bwrapOptions are the options of bwrap by which c is held.
func bwrapOptions(c confinement, root bool) []string {
	args := []string{
		"--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--new-session", "--cap-drop", "ALL",
	}
	if root {
		args = append(args, "--cap-add", "CAP_DAC_OVERRIDE", "--cap-add", "CAP_CHOWN", "--cap-add", "CAP_FOWNER")
	}
	if !c.Network {
		args = append(args, "--unshare-net")
	}
	whole := "--ro-bind"
	if slices.Contains(c.Writable, "/") {
		whole = "--bind"
	}
	args = append(args, whole, "/", "/", "--dev", "/dev", "--proc", "/proc")
	if root { // who could set the kernel by it, for the whole machine
		args = append(args, "--remount-ro", "/proc")
	}
	for _, m := range mountsOf(c) {
		args = append(args, m.args...)
	}
	for _, dir := range hiddenDirs(c) {
		args = append(args, "--remount-ro", dir)
	}
	return append(args, "--chdir", "/")
}

// A mount is what is done at one path.
type mount struct {
	path string
	args []string
}

func bind(path string) mount   { return mount{path, []string{"--bind", path, path}} }
func roBind(path string) mount { return mount{path, []string{"--ro-bind", path, path}} }
func empty(path string) mount  { return mount{path, []string{"--tmpfs", path}} }

// masked lets a file, or a socket, be neither opened nor used.
func masked(path string) mount { return mount{path, []string{"--ro-bind", "/dev/null", path}} }

// mountsOf lists the mounts that make c, outer before inner.
func mountsOf(c confinement) []mount {
	var all []mount
	for _, p := range c.places() {
		switch {
		case p.path == "/":
		case p.class == writable:
			all = append(all, bind(p.path))
		case p.class != hidden:
			all = append(all, roBind(p.path))
		case isDir(p.path):
			all = append(all, empty(p.path))
		default:
			all = append(all, masked(p.path))
		}
	}
	for _, dir := range pins(c) {
		all = append(all, bind(dir))
	}
	for _, path := range c.Sockets {
		all = append(all, masked(path))
	}
	if !c.Network {
		all = append(all, runtimeDir()...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].path < all[j].path })
	return all
}

// pins are the directories between a protected or hidden place and the writable one
// around it. Each is mounted on itself, since what is mounted cannot be renamed: else
// the place could be had under its name anew, and what is hidden under another one by
// the next command.
func pins(c confinement) []string {
	all := c.places()
	var dirs []string
	for _, path := range slices.Concat(c.Protected, c.Hidden) {
		if k, inside := classOf(all, filepath.Dir(path)); !inside || k != writable {
			continue
		}
		for dir := filepath.Dir(path); !isPlace(all, dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func isPlace(all []place, path string) bool {
	return path == "/" || slices.ContainsFunc(all, func(p place) bool { return p.path == path })
}

// hiddenDirs are the empty directories that hide others. They become read-only
// when all that is to be seen in them has been mounted.
func hiddenDirs(c confinement) []string {
	return slices.DeleteFunc(slices.Clone(c.Hidden), func(path string) bool { return !isDir(path) })
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// runDir is where the sockets of the system's services are.
const runDir = "/run"

// staying are entries of runDir that hold programs, or disks of the person.
var staying = []string{"wrappers", "media"}

// runtimeDir are the mounts that leave of runDir its links and what stays.
func runtimeDir() []mount {
	entries, err := os.ReadDir(runDir)
	if err != nil {
		return nil
	}
	all := []mount{empty(runDir)}
	for _, e := range entries {
		path := filepath.Join(runDir, e.Name())
		switch {
		case e.Type()&os.ModeSymlink != 0:
			if target, err := os.Readlink(path); err == nil {
				all = append(all, mount{path, []string{"--symlink", target, path}})
			}
		case e.IsDir() && slices.Contains(staying, e.Name()):
			all = append(all, roBind(path))
		}
	}
	return all
}
