package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is mounted, outer before inner; the ground stands for "#".
func TestBwrapMounts(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"home/tmp", "home/projects/s/output", "work/.git/hooks", "work/private", "work/sub/deep"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"home/.env", "work/.git/config", "work/sub/deep/.envrc"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) []string {
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		return names
	}
	c := confinementOf(Cmd{
		Writable:  in("work", "home/tmp"),
		Protected: in("work/.git/hooks", "work/.git/config", "work/sub/deep/.envrc", "work/.mcp.json"),
		Hidden:    in("home/.env", "home/projects", "work/private"),
		Bare:      in("home/projects/s/output"),
		Network:   true,
	}, false)
	got := strings.ReplaceAll(strings.Join(bwrapOptions(c, true), " "), dir, "#")
	want := "--unshare-pid --as-pid-1 --unshare-ipc --unshare-uts --unshare-cgroup-try --new-session" +
		" --cap-drop ALL --cap-add CAP_DAC_OVERRIDE --cap-add CAP_CHOWN --cap-add CAP_FOWNER" +
		" --ro-bind / / --dev /dev --proc /proc --remount-ro /proc" +
		" --ro-bind /dev/null #/home/.env --tmpfs #/home/projects --ro-bind #/home/projects/s/output #/home/projects/s/output" +
		" --bind #/home/tmp #/home/tmp --bind #/work #/work" +
		" --bind #/work/.git #/work/.git --ro-bind #/work/.git/config #/work/.git/config --ro-bind #/work/.git/hooks #/work/.git/hooks" +
		" --tmpfs #/work/private --bind #/work/sub #/work/sub --bind #/work/sub/deep #/work/sub/deep" +
		" --ro-bind #/work/sub/deep/.envrc #/work/sub/deep/.envrc" +
		" --remount-ro #/home/projects --remount-ro #/work/private --chdir /"
	if diff := cmp.Diff(strings.Split(got, " --"), strings.Split(want, " --")); diff != "" {
		t.Error(diff)
	}
	c.Network = false
	c.mask([]string{filepath.Join(dir, "s"), filepath.Join(dir, "work/s"), filepath.Join(dir, "home/projects/s/output/s"), "/run/s"})
	offline := bwrapOptions(c, false)
	for _, option := range []string{"--unshare-net", runDir} {
		if !slices.Contains(offline, option) {
			t.Errorf("without network there is no %s in %q", option, offline)
		}
	}
	if diff := cmp.Diff(c.Sockets, in("s", "home/projects/s/output/s")); diff != "" {
		t.Errorf("sockets: %s", diff)
	}
}

func TestSocketIn(t *testing.T) {
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string][]string{
		path: {path}, "unix://" + path: {path}, "unix:path=" + path + ",guid=1": {path},
		path + ":/usr": nil, "tcp://1.2.3.4:5": nil, "relative": nil, path + "/gone": nil, "": nil,
	} {
		if got := socketIn(value); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func TestNamespaceFix(t *testing.T) {
	denied := "bwrap: setting up uid map: Permission denied"
	for _, c := range []struct{ said, name, value, want string }{
		{denied, "kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"},
		{denied, "user/max_user_namespaces", "0", "user.max_user_namespaces"},
		{denied, "kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"},
		{"bwrap: No permissions to create new namespace", "", "", "in a container"},
		{"bwrap: Unknown option --as-pid-1", "", "", "newer bubblewrap"},
		{"exit status 1: out of memory", "", "", ""},
	} {
		got := namespaceFix(c.said, func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		})
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q in it", c.said, got, c.want)
		}
	}
}
