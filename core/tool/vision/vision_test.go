package vision_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/message"
	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
	_ "reasonix/core/tool/vision"
	"reasonix/core/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func builtin(t testing.TB) tool.Tool {
	t.Helper()
	for _, tl := range tool.Builtins() {
		if tl.Name() == "view_image" {
			return tl
		}
	}
	t.Fatal("view_image is not registered")
	return nil
}

// drawing has a red quarter at the top left, a blue one at the bottom right.
func drawing(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{A: 255, G: 128}
			switch {
			case x < w/2 && y < h/2:
				c = color.RGBA{R: 255, A: 255}
			case x >= w/2 && y >= h/2:
				c = color.RGBA{B: 255, A: 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// noise cannot be packed.
func noise(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// turned adds an EXIF segment to a JPEG file.
func turned(data []byte, orientation uint16) []byte {
	tiff := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	tiff = append(binary.BigEndian.AppendUint16(tiff, orientation), 0, 0, 0, 0, 0, 0)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	out := append([]byte{}, data[:2]...)
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(segment)+2))
	return append(append(out, segment...), data[2:]...)
}

// webp is the smallest picture there is.
func webp(t testing.TB) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type shown struct {
	text     string
	attached []message.Attachment
	saved    [][]byte
}

func view(t testing.TB, ctx context.Context, name string, data []byte, opts ...tooltest.EnvOption) (shown, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return viewIn(t, ctx, dir, name, opts...)
}

func viewIn(t testing.TB, ctx context.Context, dir, name string, opts ...tooltest.EnvOption) (s shown, err error) {
	t.Helper()
	args, _ := json.Marshal(map[string]string{"path": name})
	call := &tool.Call{
		Save: func(r io.Reader) (string, string, error) {
			data, err := io.ReadAll(r)
			s.saved = append(s.saved, data)
			return workspace.Hash(data), "/kept", err
		},
		Attach: func(a message.Attachment) { s.attached = append(s.attached, a) },
	}
	s.text, err = tooltest.Bind(t, builtin(t), tooltest.Env(t, dir, opts...)).Execute(tool.WithCall(ctx, call), args)
	return s, err
}

func TestViewImageConforms(t *testing.T) {
	tooltest.Run(t, builtin(t), tooltest.Args(`{"path":"a.png"}`), tooltest.Setup(func(t testing.TB, dir string) {
		if err := os.WriteFile(filepath.Join(dir, "a.png"), asPNG(t, drawing(8, 4)), 0o600); err != nil {
			t.Fatal(err)
		}
	}))
}

// Every session pays for what a tool says of itself.
func TestViewImageIsTerse(t *testing.T) {
	tl := builtin(t)
	if got := len(tl.Name()) + len(tl.Description()) + len(tl.Schema()); got > 160 {
		t.Errorf("view_image costs %d bytes", got)
	}
}

func TestSmallPicturesAreSentAsTheyAre(t *testing.T) {
	for name, data := range map[string][]byte{"a.png": asPNG(t, drawing(60, 40)), "b.jpeg": asJPEG(t, drawing(60, 40)), "c.webp": webp(t), "d.png": asPNG(t, drawing(1568, 3))} {
		s, err := view(t, t.Context(), name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kind := strings.TrimPrefix(filepath.Ext(name), ".")
		want := []message.Attachment{{MIME: "image/" + kind, Name: name, Hash: workspace.Hash(data), Size: int64(len(data))}}
		if diff := cmp.Diff(want, s.attached); diff != "" || !bytes.Equal(s.saved[0], data) {
			t.Errorf("%s: saved as it was: %v; -want +got\n%s", name, bytes.Equal(s.saved[0], data), diff)
		}
	}
	data := asPNG(t, drawing(60, 40))
	s, err := view(t, t.Context(), "a.png", data)
	if want := fmt.Sprintf("a.png: PNG, 60x40 pixels, %d bytes", len(data)); err != nil || s.text != want {
		t.Errorf("got %q, %v, want %q", s.text, err, want)
	}
}

// sent decodes the one picture that was handed over.
func sent(t testing.TB, s shown) (image.Image, string) {
	t.Helper()
	if len(s.attached) != 1 || len(s.saved) != 1 {
		t.Fatalf("got %+v", s.attached)
	}
	img, format, err := image.Decode(bytes.NewReader(s.saved[0]))
	if err != nil {
		t.Fatal(err)
	}
	if s.attached[0].MIME != "image/"+format || s.attached[0].Size != int64(len(s.saved[0])) || len(s.saved[0]) > 3<<20 {
		t.Errorf("attached %+v, which is %s of %d bytes", s.attached[0], format, len(s.saved[0]))
	}
	return img, format
}

func TestLargePicturesAreMadeSmaller(t *testing.T) {
	for _, tt := range []struct {
		name   string
		data   []byte
		w, h   int
		format string
	}{
		{"wide.png", asPNG(t, drawing(1600, 100)), 1568, 98, "png"},
		{"high.jpg", asJPEG(t, drawing(100, 3300)), 48, 1568, "jpeg"},
		{"thread.png", asPNG(t, drawing(5000, 2)), 1568, 1, "png"},
		{"noise.png", asPNG(t, noise(1050, 1050)), 1050, 1050, "jpeg"},
		{"first.gif", asGIF(t, drawing(20, 10)), 20, 10, "png"},
	} {
		s, err := view(t, t.Context(), tt.name, tt.data)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		img, format := sent(t, s)
		if b := img.Bounds(); b.Dx() != tt.w || b.Dy() != tt.h || format != tt.format {
			t.Errorf("%s: sent %s of %v, want %s of %dx%d", tt.name, format, b, tt.format, tt.w, tt.h)
		}
		if !strings.Contains(s.text, "; shown as image/"+tt.format) {
			t.Errorf("%s: got %q", tt.name, s.text)
		}
		if tt.w > 10 && tt.h > 10 && tt.name != "noise.png" {
			near(t, tt.name, img, 0.25, 0.25, color.RGBA{R: 255})
			near(t, tt.name, img, 0.75, 0.75, color.RGBA{B: 255})
		}
	}
}

func near(t testing.TB, name string, img image.Image, fx, fy float64, want color.RGBA) {
	t.Helper()
	b := img.Bounds()
	r, _, bl, _ := img.At(b.Min.X+int(fx*float64(b.Dx())), b.Min.Y+int(fy*float64(b.Dy()))).RGBA()
	if (r > 0x8000) != (want.R > 128) || (bl > 0x8000) != (want.B > 128) {
		t.Errorf("%s: at %v, %v: red %x, blue %x, want %v", name, fx, fy, r, bl, want)
	}
}

func TestTransparencyIsKept(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 1600, 20))
	s, err := view(t, t.Context(), "glass.png", asPNG(t, img))
	if err != nil {
		t.Fatal(err)
	}
	got, format := sent(t, s)
	if _, _, _, a := got.At(5, 5).RGBA(); format != "png" || a != 0 {
		t.Errorf("sent %s with alpha %d", format, a)
	}
}

// TestCameraOrientation puts the red quarter at the place each value means.
func TestCameraOrientation(t *testing.T) {
	data := asJPEG(t, drawing(64, 32))
	for o, red := range map[uint16][2]float64{1: {0.25, 0.25}, 2: {0.75, 0.25}, 3: {0.75, 0.75}, 4: {0.25, 0.75}, 5: {0.25, 0.25}, 6: {0.75, 0.25}, 7: {0.75, 0.75}, 8: {0.25, 0.75}} {
		s, err := view(t, t.Context(), "photo.jpg", turned(data, o))
		if err != nil {
			t.Fatal(err)
		}
		img, _ := sent(t, s)
		if tall := img.Bounds().Dy() > img.Bounds().Dx(); tall != (o >= 5) {
			t.Errorf("orientation %d: %v", o, img.Bounds())
		}
		near(t, "orientation", img, red[0], red[1], color.RGBA{R: 255})
	}
	s, err := view(t, t.Context(), "photo.jpg", turned(data, 6))
	if err != nil || !strings.HasPrefix(s.text, "photo.jpg: JPEG, 32x64 pixels") {
		t.Errorf("got %q, %v", s.text, err)
	}
}

// bomb is a PNG header that promises w times h pixels.
func bomb(w, h uint32) []byte {
	ihdr := []byte("IHDR")
	ihdr = binary.BigEndian.AppendUint32(ihdr, w)
	ihdr = append(binary.BigEndian.AppendUint32(ihdr, h), 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr))
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"text.png":   {[]byte("hello"), "view text.png: not a PNG, JPEG, GIF or WebP picture (text/plain"},
		"a.svg":      {[]byte("<svg/>"), "not a PNG"},
		"empty.png":  {nil, "not a PNG"},
		"bomb.png":   {bomb(30000, 30000), "30000x30000 pixels; at most 40 million are decoded"},
		"cut.png":    {asPNG(t, drawing(60, 40))[:100], "broken png"},
		"header.png": {bomb(10, 10)[:20], "broken picture"},
		"cut.webp":   {webp(t)[:24], "broken"},
		"huge.png":   {make([]byte, 32<<20+1), "larger than"},
	} {
		s, err := view(t, t.Context(), name, tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.want) || s.attached != nil {
			t.Errorf("%s: got %q, %v, want %q", name, s.text, err, tt.want)
		}
	}
}

func TestPathsAreHeldToTheWorkspacesRules(t *testing.T) {
	dir := t.TempDir()
	hide := filepath.Join(dir, "hidden")
	if err := os.Mkdir(hide, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hide, "a.png"), asPNG(t, drawing(2, 2)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"hidden/a.png": workspace.ErrHidden, ".": workspace.ErrDirectory, "none.png": os.ErrNotExist} {
		if s, err := viewIn(t, t.Context(), dir, name, tooltest.Roots(nil, []string{hide})); !errors.Is(err, want) {
			t.Errorf("%s: got %q, %v", name, s.text, err)
		}
	}
}

func TestAFailedSaveIsAFailedCall(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.png"), asPNG(t, drawing(2, 2)), 0o600); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	call := &tool.Call{
		Save:   func(io.Reader) (string, string, error) { return "", "", full },
		Attach: func(message.Attachment) { t.Error("attached what was not saved") },
	}
	_, err := tooltest.Bind(t, builtin(t), tooltest.Env(t, dir)).Execute(tool.WithCall(t.Context(), call), []byte(`{"path":"a.png"}`))
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkLargePhoto(b *testing.B) {
	data := asJPEG(b, drawing(6000, 4000))
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jpg"), data, 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := viewIn(b, context.Background(), dir, "a.jpg"); err != nil {
			b.Fatal(err)
		}
	}
}
