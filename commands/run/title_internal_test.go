package run

import "testing"

func TestATitleHidesNothing(t *testing.T) {
	for title, want := range map[string]string{
		"touch a\u202eb":   "touch a<U+202E>b",
		"a\x1b[31mb\nc":    "a[31mb",
		"echo 你好 → é\tend": "echo 你好 → é\tend",
	} {
		if got := oneLineTitle(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
