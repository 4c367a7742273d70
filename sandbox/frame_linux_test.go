package sandbox

import (
	"slices"
	"testing"
)

func FuzzFrameList(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeList([]string{"run", "", "a\x00b"}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := decodeList(body)
		if err != nil {
			return
		}
		again, err := decodeList(encodeList(list))
		if err != nil || !slices.Equal(list, again) {
			t.Errorf("%q came back as %q, %v", list, again, err)
		}
	})
}
