package cmdutil_test

import (
	"testing"

	"reasonix/commands/cmdutil"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 models", 1: "1 model", 2: "2 models"} {
		if got := cmdutil.Count(n, "model"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
