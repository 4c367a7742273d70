package vision

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
)

// orientation is how a camera was held, in the numbers of EXIF, 1 to 8.
type orientation uint16

const upright orientation = 1

// swaps reports whether width and height change places.
func (o orientation) swaps() bool { return o >= 5 }

// apply turns img so that up is up.
func (o orientation) apply(img image.Image) image.Image {
	if o == upright {
		return img
	}
	src := asRGBA(img)
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if o.swaps() {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := o.place(x, y, w, h)
			i, j := to.PixOffset(tx, ty), src.PixOffset(b.Min.X+x, b.Min.Y+y)
			copy(to.Pix[i:i+4], src.Pix[j:j+4])
		}
	}
	return to
}

// asRGBA is img itself where it is of that kind.
func asRGBA(img image.Image) *image.RGBA {
	if rgba, ok := img.(*image.RGBA); ok {
		return rgba
	}
	to := image.NewRGBA(img.Bounds())
	draw.Draw(to, to.Bounds(), img, img.Bounds().Min, draw.Src)
	return to
}

// place is where the pixel at x, y of a picture of w times h goes.
func (o orientation) place(x, y, w, h int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case upright:
		return x, y
	case 8:
		return y, w - 1 - x
	}
	return x, y
}

// orientationOf looks for the orientation in the EXIF segment of a JPEG file.
func orientationOf(data []byte) orientation {
	const startOfScan, exif = 0xda, 0xe1
	for i := 2; i+4 <= len(data) && data[i] == 0xff; {
		kind, length := data[i+1], int(binary.BigEndian.Uint16(data[i+2:]))
		end := i + 2 + length
		if kind == startOfScan || length < 2 || end > len(data) {
			break
		}
		if tiff, ok := bytes.CutPrefix(data[i+4:end], []byte("Exif\x00\x00")); ok && kind == exif {
			return fromTIFF(tiff)
		}
		i = end
	}
	return upright
}

// fromTIFF reads the tag for the orientation in the first directory.
func fromTIFF(data []byte) orientation {
	const header, entrySize, tag = 8, 12, 0x0112
	if len(data) < header {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(data[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(data[4:]))
	if at < header || at+2 > int64(len(data)) {
		return upright
	}
	entries := data[at+2:]
	for range order.Uint16(data[at:]) {
		if len(entries) < entrySize {
			break
		}
		if o := orientation(order.Uint16(entries[8:])); order.Uint16(entries) == tag && 1 <= o && o <= 8 {
			return o
		}
		entries = entries[entrySize:]
	}
	return upright
}
