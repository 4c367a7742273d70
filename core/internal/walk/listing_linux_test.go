package walk

import (
	"errors"
	"testing"
)

// A /proc mounted anywhere in a tree, as in a container's, is left out; a walk that
// starts in one goes on.
func TestListingLeavesOutTheKernelsDirectories(t *testing.T) {
	for _, dir := range []string{"/proc/sys", "/sys/kernel"} {
		var l listing
		if _, err := l.read(dir, false); !errors.Is(err, errKernel) {
			t.Errorf("%s: %v, want it refused", dir, err)
		}
		entries, err := l.read(dir, true)
		if err != nil || len(entries) == 0 {
			t.Errorf("%s when allowed: %d entries, %v", dir, len(entries), err)
		}
		if !ofKernel(dir) {
			t.Errorf("%s is not the kernel's", dir)
		}
	}
	var l listing
	if _, err := l.read(t.TempDir(), false); err != nil || ofKernel(t.TempDir()) {
		t.Errorf("an ordinary directory: %v", err)
	}
}
