package vision

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// TestOnePictureAtATime: calls of one session wait for each other, and a call
// that is stopped waits no longer.
func TestOnePictureAtATime(t *testing.T) {
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "p.png"))
	if err == nil {
		err = errors.Join(png.Encode(out, image.NewRGBA(image.Rect(0, 0, 2, 2))), out.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := workspace.Open(workspace.Roots{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		env := tool.NewEnv(tool.Env{Files: files})
		other, err := viewImage{}.Bind(env)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := viewImage{}.Bind(env)
		if err != nil {
			t.Fatal(err)
		}
		call := func(ctx context.Context) chan error {
			done := make(chan error, 1)
			go func() {
				_, err := bound.Execute(tool.WithCall(ctx, &tool.Call{}), json.RawMessage(`{"path":"p.png"}`))
				done <- err
			}()
			synctest.Wait()
			return done
		}
		busy := other.(viewImage).one
		if err := busy.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped, waiting := call(ctx), call(t.Context())
		if len(stopped)+len(waiting) != 0 {
			t.Error("did not wait for the other call")
		}
		cause := errors.New("stop")
		cancel(cause)
		if err := <-stopped; !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
		busy.leave()
		if err := <-waiting; err != nil {
			t.Error(err)
		}
		if len(busy.slot) != 0 {
			t.Error("the slot is still taken")
		}
	})
}

// TestTurnCopiesEveryPixel: of a part of a picture too, and of any kind of it.
func TestTurnCopiesEveryPixel(t *testing.T) {
	whole := image.NewRGBA(image.Rect(0, 0, 5, 4))
	gray := image.NewGray(whole.Bounds())
	for i := range 20 {
		whole.SetRGBA(i%5, i/5, color.RGBA{R: uint8(i), G: uint8(2 * i), B: uint8(3 * i), A: 255})
		gray.SetGray(i%5, i/5, color.Gray{Y: uint8(10 * i)})
	}
	part := image.Rect(1, 1, 4, 3)
	for _, img := range []image.Image{whole, whole.SubImage(part), gray, gray.SubImage(part)} {
		b := img.Bounds()
		for o := upright; o <= 8; o++ {
			got := o.apply(img)
			for y := range b.Dy() {
				for x := range b.Dx() {
					tx, ty := o.place(x, y, b.Dx(), b.Dy())
					min := got.Bounds().Min
					want := color.RGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y))
					if have := color.RGBAModel.Convert(got.At(min.X+tx, min.Y+ty)); have != want {
						t.Fatalf("%T %v, orientation %d: %d,%d is %v, want %v", img, b, o, x, y, have, want)
					}
				}
			}
		}
	}
}
