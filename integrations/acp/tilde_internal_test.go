package acp

import "testing"

func TestOnlyTheHomeDirectoryIsATilde(t *testing.T) {
	for _, c := range []struct{ home, text, want string }{
		{"/root", "open /root/x: no", "open ~/x: no"},
		{"/root/", "/root", "~"},
		{"/root", "is /root.", "is ~."},
		{"/root", "/root: no; \"/root\", (/root), PATH=/root:/root/bin", "~: no; \"~\", (~), PATH=~:~/bin"},
		{"/root", "file:///root/x", "file://~/x"},
		{"/root", "读取/root/x失败", "读取~/x失败"},
		{"/root", "/rootfs/x /root2 /root-old /root.bak /root_", "/rootfs/x /root2 /root-old /root.bak /root_"},
		{"/root", "/srv/root/y ../root/y ./root $D/root", "/srv/root/y ../root/y ./root $D/root"},
		{"/home/al", "/home/alice /home/al/x /home/al", "/home/alice ~/x ~"},
		{"", "/root", "/root"},
		{"/", "/root", "/root"},
	} {
		if got := withoutHome(c.home, c.text); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.home, c.text, got, c.want)
		}
	}
}
