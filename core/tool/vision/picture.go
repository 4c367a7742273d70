package vision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // decoders register themselves
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"slices"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// picture is what is sent, and what it was.
type picture struct {
	format                  string // of the file: png, jpeg, gif, webp
	width, height           int    // of the file, as it is meant to be looked at
	data                    []byte
	mime                    string
	changed                 bool // data is not the file's own content
	shownWidth, shownHeight int
}

// decoding lets a session decode one picture at a time: each takes hundreds of
// megabytes, and calls of one turn run side by side.
type decoding struct{ slot chan struct{} }

func newDecoding() (*decoding, error) { return &decoding{make(chan struct{}, 1)}, nil }

// enter waits for the slot; leave gives it back.
func (d *decoding) enter(ctx context.Context) error {
	select {
	case d.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d *decoding) leave() { <-d.slot }

// maxDecoding bounds the decoding of one picture.
const maxDecoding = 10 * time.Second

// stoppable is a reader that ends with its context, small pieces at a time.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p[:min(len(p), 512)])
}

// prepare makes of a file what is sent.
func prepare(ctx context.Context, data []byte) (*picture, error) {
	conf, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || !slices.Contains([]string{"png", "jpeg", "gif", "webp"}, format) {
		return nil, notAPicture(data, err)
	}
	if conf.Width <= 0 || conf.Height <= 0 || int64(conf.Width)*int64(conf.Height) > maxPixels {
		return nil, fmt.Errorf("%dx%d pixels; at most %d million are decoded", conf.Width, conf.Height, maxPixels/1_000_000)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// A small file can ask for hours of decoding.
	ctx, cancel := context.WithTimeout(ctx, maxDecoding)
	defer cancel()
	img, _, err := image.Decode(&stoppable{ctx, bytes.NewReader(data)})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("decode %s: %w", format, ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("broken %s: %w", format, err)
	}
	turn := upright
	if format == "jpeg" {
		turn = orientationOf(data)
	}
	pic := &picture{format: format, width: conf.Width, height: conf.Height, data: data, mime: "image/" + format}
	if turn.swaps() {
		pic.width, pic.height = pic.height, pic.width
	}
	// Of a GIF the first frame is sent: not everyone takes animations.
	if format != "gif" && turn == upright && max(conf.Width, conf.Height) <= maxEdge && len(data) <= maxSent {
		return pic, nil
	}
	img = turn.apply(shrink(ctx, img))
	pic.changed, pic.shownWidth, pic.shownHeight = true, img.Bounds().Dx(), img.Bounds().Dy()
	pic.data, pic.mime, err = encode(img, format == "jpeg" || format == "webp")
	return pic, err
}

func notAPicture(data []byte, err error) error {
	if err == nil || errors.Is(err, image.ErrFormat) {
		return fmt.Errorf("not a PNG, JPEG, GIF or WebP picture (%s)", http.DetectContentType(data))
	}
	return fmt.Errorf("broken picture: %w", err)
}

// shrink scales img down to maxEdge. A much larger one is halved first, as the
// better filter needs memory for each of its rows.
func shrink(ctx context.Context, img image.Image) image.Image {
	for size(img) >= 2*maxEdge && ctx.Err() == nil {
		img = scale(draw.ApproxBiLinear, img, 2)
	}
	if n := size(img); n > maxEdge {
		img = scale(draw.CatmullRom, img, float64(n)/maxEdge)
	}
	return img
}

func size(img image.Image) int { return max(img.Bounds().Dx(), img.Bounds().Dy()) }

// scale makes img smaller by factor, and no edge shorter than one pixel.
func scale(with draw.Scaler, img image.Image, factor float64) image.Image {
	b := img.Bounds()
	edge := func(n int) int { return max(1, int(float64(n)/factor+0.5)) }
	to := image.NewRGBA(image.Rect(0, 0, edge(b.Dx()), edge(b.Dy())))
	with.Scale(to, to.Bounds(), img, b, draw.Src, nil)
	return to
}

// encode writes img as a photograph, JPEG, or as a drawing, PNG, which keeps
// transparency. A drawing that is too large is written as a photograph.
func encode(img image.Image, photo bool) (data []byte, mime string, err error) {
	var out bytes.Buffer
	if !photo || !opaque(img) {
		if err := png.Encode(&out, img); err != nil {
			return nil, "", fmt.Errorf("write it as PNG: %w", err)
		}
		if out.Len() <= maxSent {
			return out.Bytes(), "image/png", nil
		}
		img = onWhite(img)
	}
	for _, quality := range []int{85, 60} {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", fmt.Errorf("write it as JPEG: %w", err)
		}
		if out.Len() <= maxSent {
			return out.Bytes(), "image/jpeg", nil
		}
	}
	return nil, "", fmt.Errorf("larger than %d bytes even when scaled down", maxSent)
}

func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

func onWhite(img image.Image) image.Image {
	to := image.NewRGBA(img.Bounds())
	draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(to, to.Bounds(), img, img.Bounds().Min, draw.Over)
	return to
}
