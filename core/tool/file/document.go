package file

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"unsafe"

	"reasonix/core/diff"
	"reasonix/core/event"
	"reasonix/core/internal/textenc"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// document is a text file: its text, and what is needed to store it again.
type document struct {
	file *workspace.File
	enc  textenc.Encoding
	text string // without byte order mark
}

// open is how every tool that changes a part of a file gets at it: it may be
// written, it is what the model saw last, and it is text.
func (s session) open(ctx context.Context, name string) (*document, error) {
	abs, err := s.files.WritePath(name)
	if err != nil {
		return nil, err
	}
	file, err := s.files.ReadFile(ctx, abs)
	if err != nil {
		return nil, s.missing(ctx, name, err)
	}
	if err := s.current(ctx, file); err != nil {
		return nil, err
	}
	return s.parse(file)
}

// apply is the document's apply with the error for the model.
func (s session) apply(d *document, changes []change) ([]byte, error) {
	data, err := d.apply(changes)
	if err != nil {
		return nil, s.unencodable(d.file.Path, err)
	}
	return data, nil
}

// rewrite stores a document of which a part was changed: what the model knew of
// the rest, it still knows.
func (s session) rewrite(ctx context.Context, d *document, data []byte) error {
	_, partial, ok := s.files.LastSeen(d.file.Path)
	return s.store(ctx, d.file.Path, d, data, ok && !partial)
}

// shownDiff is the diff of the call's last change, shortened for the model.
func shownDiff(ctx context.Context) string {
	diffs := tool.CallFrom(ctx).Diffs
	if len(diffs) == 0 {
		return ""
	}
	return clip(diffs[len(diffs)-1].Unified)
}

// parse takes a file that was read as text.
func (s session) parse(f *workspace.File) (*document, error) {
	d := &document{file: f, enc: textenc.Detect(f.Data)}
	switch {
	case d.enc == textenc.Binary:
		return nil, &refusal{fmt.Sprintf("%s is a binary file (%s, %d bytes); only text can be edited",
			s.files.Show(f.Path), http.DetectContentType(f.Data), len(f.Data)), nil}
	case d.enc.IsUTF8():
		d.text = shared(f.Data[len(d.enc.BOM()):])
	default:
		d.text = d.enc.Decode(f.Data)
	}
	return d, nil
}

// shared is data as a string without a copy: files may be large, and nobody
// changes their bytes after they were read.
func shared(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// change puts text in place of a span of a document's text.
type change struct {
	span
	text string
}

// apply returns the bytes of the file with the changes made, which are in order
// and do not overlap. All other bytes are copied from the file.
func (d *document) apply(changes []change) ([]byte, error) {
	size := len(d.file.Data)
	for _, c := range changes {
		size += len(c.text) - (c.end - c.start)
		if size > 2*workspace.MaxFile { // of text; its bytes may be half of it
			break
		}
	}
	if size > workspace.MaxFile {
		return nil, fmt.Errorf("the file would be %d bytes or more, over the limit of %d: nothing was changed", size, workspace.MaxFile)
	}
	raw := d.file.Data
	out := make([]byte, 0, max(size, 0))
	from, at := 0, len(d.enc.BOM()) // the same place in the text and in the bytes
	out = append(out, raw[:at]...)
	for _, c := range changes {
		start := at + d.enc.Len(d.text[from:c.start])
		end := start + d.enc.Len(d.text[c.start:c.end])
		put, err := d.enc.Encode(c.text)
		if err != nil {
			return nil, err
		}
		out = append(append(out, raw[at:start]...), put...)
		from, at = c.end, end
	}
	return append(out, raw[at:]...), nil
}

// decode is the text of data, which is stored as d is.
func (d *document) decode(data []byte) string {
	if d.enc.IsUTF8() {
		return shared(data[len(d.enc.BOM()):])
	}
	return d.enc.Decode(data)
}

// store replaces the file's content, tells the call what changed and remembers
// that the model knows the new content. d is nil for a new file; whole says that
// the model knows all of it.
func (s session) store(ctx context.Context, abs string, d *document, data []byte, whole bool) error {
	var was *workspace.File
	oldName, old, text := "/dev/null", "", shared(data)
	if d != nil {
		was, oldName, old, text = d.file, "a/"+s.files.Show(abs), d.text, d.decode(data)
	}
	if err := s.put(ctx, abs, was, data, whole); err != nil {
		return err
	}
	call := tool.CallFrom(ctx)
	unified := diff.Unified(oldName, "b/"+s.files.Show(abs), old, text)
	call.Diffs = append(call.Diffs, event.Diff{Path: filepath.ToSlash(abs), Unified: strings.ReplaceAll(unified, "\r\n", "\n")})
	return nil
}

// put writes the file unless the call is dry. It was read in this same call, behind any
// question whether the call may run.
func (s session) put(ctx context.Context, abs string, was *workspace.File, data []byte, whole bool) error {
	if s.dry {
		return nil
	}
	if was != nil {
		was.AtOnce = true
	}
	hash, err := s.files.Replace(ctx, abs, data, was)
	if errors.Is(err, workspace.ErrChanged) {
		return s.changed(ctx, abs)
	}
	if err != nil {
		return err
	}
	s.files.Seen(abs, hash, !whole)
	s.files.Remember(abs, data)
	return nil
}

// unencodable says which character the file cannot hold.
func (s session) unencodable(abs string, err error) error {
	var char *textenc.CharError
	if !errors.As(err, &char) {
		return err
	}
	return &refusal{fmt.Sprintf("%s: %v. Nothing was written. Use other characters, or convert the file to UTF-8 first.",
		s.files.Show(abs), char), err}
}
