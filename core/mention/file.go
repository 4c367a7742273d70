package mention

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/internal/textenc"
	"reasonix/core/workspace"
)

// imageTypes are the kinds of images that models look at.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// file adds the text of a file, or the lines of it that are meant, or attaches it when
// it is an image.
func (x *expansion) file(ctx context.Context, r ref) error {
	abs, err := x.o.Files.ReadPath(r.path)
	if err != nil {
		return err
	}
	f, err := x.o.Files.Reader(ctx, abs)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLoad+1))
	if err != nil {
		return err
	}
	l := loaded{ref: r, abs: abs, data: data, size: max(f.Size, int64(len(data)))}
	if l.more = len(data) > maxLoad; l.more {
		l.data = data[:maxLoad]
	}
	if kind := http.DetectContentType(l.data); slices.Contains(imageTypes, kind) {
		return x.image(l, kind)
	}
	return x.text(l)
}

// loaded is a file that was read.
type loaded struct {
	ref
	abs  string
	data []byte
	size int64
	more bool // data is only its beginning
}

func (x *expansion) image(l loaded, kind string) error {
	why := ""
	switch {
	case !x.o.Images:
		why = "the model looks at no images"
	case l.size > MaxImage:
		why = fmt.Sprintf("it is larger than %d MB", MaxImage>>20)
	case len(x.out.Images) == MaxImages:
		why = fmt.Sprintf("only %d images are attached to one message", MaxImages)
	}
	said := "attached"
	if why != "" {
		said = "not attached: " + why
		x.notice("%s was not attached: %s", l.name(), why)
	}
	b := block("file", fmt.Sprintf("[%s, %s, %s]", kind, size(l.size), said), attr{"path", x.o.Files.Rel(l.abs)})
	if err := x.take(len(b)); err != nil {
		return err
	}
	x.add(KindImage, l.ref, b)
	if why == "" {
		x.out.Images = append(x.out.Images, Image{Name: filepath.Base(l.abs), Path: l.abs, MIME: kind, Data: l.data})
	}
	return nil
}

// text adds what is meant of a text, as far as there is room.
func (x *expansion) text(l loaded) error {
	enc := textenc.Detect(l.data)
	if l.more {
		enc = textenc.DetectPrefix(l.data)
	}
	if enc == textenc.Binary {
		return x.binary(l)
	}
	text := strings.ToValidUTF8(enc.Decode(l.data), "\uFFFD")
	attrs := []attr{{"path", x.o.Files.Rel(l.abs)}}
	whole := !l.more
	if l.span.some {
		part, span, total, err := cutLines(text, l.span, l.more)
		if err != nil {
			return err
		}
		text, whole = part, whole && span.first == 1 && span.last == total
		attrs = append(attrs, attr{"lines", fmt.Sprintf("%d-%d", span.first, span.last)})
	}
	if !enc.IsUTF8() {
		attrs = append(attrs, attr{"encoding", enc.String()})
	}
	shown, cut, err := x.fit(l, text)
	if err != nil {
		return err
	}
	b := block("file", shown, attrs...)
	x.room -= min(x.room, len(b))
	x.add(KindFile, l.ref, b)
	x.saw(l, whole && !cut)
	return nil
}

// fit is as much of text as there is room for, and says so when that is not all that
// was meant.
func (x *expansion) fit(l loaded, text string) (shown string, cut bool, err error) {
	if text == "" {
		return "[empty]", false, nil
	}
	shown = cutAt(text, min(MaxFile, x.room))
	switch {
	case shown == "":
		return "", false, errFull
	case len(shown) == len(text) && (!l.more || l.span.some):
		return shown, false, nil
	}
	x.notice("%s was cut: only the first %s are in the message", l.name(), size(int64(len(shown))))
	note := fmt.Sprintf("[cut: this is the first %s of %s; read_file shows more]\n", size(int64(len(shown))), size(max(l.size, int64(len(text)))))
	if l.span.some {
		note = fmt.Sprintf("[cut: this is the first %s of these lines; read_file shows more]\n", size(int64(len(shown))))
	}
	return strings.TrimSuffix(shown, "\n") + "\n" + note, true, nil
}

func (x *expansion) binary(l loaded) error {
	b := block("file", fmt.Sprintf("[binary file, %s, %s, not shown]", http.DetectContentType(l.data), size(l.size)), attr{"path", x.o.Files.Rel(l.abs)})
	if err := x.take(len(b)); err != nil {
		return err
	}
	x.add(KindFile, l.ref, b)
	return nil
}

// saw records what the model will have read, so that it can edit the file without
// reading it again.
func (x *expansion) saw(l loaded, whole bool) {
	if l.more {
		return // the hash of the file is not known
	}
	x.o.Files.Seen(l.abs, workspace.Hash(l.data), !whole)
	x.o.Files.Remember(l.abs, l.data)
}

// take reserves room for n bytes.
func (x *expansion) take(n int) error {
	if n > x.room {
		return errFull
	}
	x.room -= n
	return nil
}

// cutLines is the lines of text that are meant, which they are, and how many there
// are. A span that ends behind the last line ends there; more says that text is not
// all.
func cutLines(text string, span lines, more bool) (part string, got lines, total int, err error) {
	total = strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		total++
	}
	switch {
	case span.first < 1:
		err = errors.New("lines are counted from 1")
	case span.last < span.first:
		err = fmt.Errorf("line %d is before line %d", span.last, span.first)
	case span.first > total && more:
		err = fmt.Errorf("only the first %s of it are looked at, and they have %d lines", size(maxLoad), total)
	case span.first > total:
		err = fmt.Errorf("it has %d lines", total)
	}
	if err != nil {
		return "", span, total, err
	}
	span.last = min(span.last, total)
	_, rest := cutAfter(text, span.first-1)
	part, _ = cutAfter(rest, span.last-span.first+1)
	return part, span, total, nil
}

// cutAfter splits text behind its first n lines.
func cutAfter(text string, n int) (head, rest string) {
	at := 0
	for range n {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return text, ""
		}
		at += next + 1
	}
	return text[:at], text[at:]
}
