package vision

import "testing"

func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if o := orientationOf(data); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}

// FuzzPrepare looks for a file that makes a decoder panic or asks for more memory
// than its header says.
func FuzzPrepare(f *testing.F) {
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pic, err := prepare(t.Context(), data)
		if err == nil && (len(pic.data) == 0 || len(pic.data) > maxSent || max(pic.shownWidth, pic.shownHeight) > maxEdge) {
			t.Errorf("sent %d bytes, %dx%d", len(pic.data), pic.shownWidth, pic.shownHeight)
		}
	})
}
