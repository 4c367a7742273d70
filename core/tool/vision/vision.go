// Package vision has the built-in tool that shows a picture to the model.
//
// A picture is read through the session's workspace, judged by its header before a
// pixel is decoded, decoded as a whole, so that nothing broken is sent, and made
// smaller when it is larger than models look at. What is sent lies beside the
// journal under its hash; the text of the result only describes it. The tool is of
// use to models that take images; whoever builds a session leaves it out for
// others. Importing the package registers the tool.
package vision

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/message"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

func init() {
	tool.RegisterBuiltin(viewImage{})
}

const (
	// maxSource is the largest file, in bytes, that is looked at.
	maxSource = 32 << 20
	// maxPixels is the most pixels, width times height, that are decoded.
	maxPixels = 40_000_000
	// maxEdge is the longest edge, in pixels, that is sent.
	maxEdge = 1568
	// maxSent is the most bytes that are sent.
	maxSent = 3 << 20
)

const viewSchema = `{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`

// viewImage attaches a picture to its result.
type viewImage struct {
	files *workspace.FS
	one   *decoding
}

func (viewImage) Name() string            { return "view_image" }
func (viewImage) Description() string     { return "Look at an image." }
func (viewImage) Schema() json.RawMessage { return json.RawMessage(viewSchema) }
func (viewImage) ReadOnly() bool          { return true }

func (t viewImage) Bind(env tool.Env) (tool.Tool, error) {
	if env.Files == nil {
		return nil, tool.ErrUnbound
	}
	one, err := tool.Shared(env, newDecoding)
	if err != nil {
		return nil, err
	}
	t.files, t.one = env.Files, one
	return t, nil
}

func (t viewImage) Subject(args json.RawMessage) tool.Subject {
	subj := tool.Subject{Title: "View", Kind: "read"}
	var in struct{ Path string }
	if json.Unmarshal(args, &in) != nil || in.Path == "" {
		return subj
	}
	if t.files == nil {
		subj.Title += " " + workspace.Quote(filepath.ToSlash(in.Path))
		return subj
	}
	abs := t.files.Abs(in.Path)
	subj.Title, subj.Paths = "View "+t.files.Show(abs), []string{abs}
	if real, err := t.files.ReadPath(in.Path); err == nil && !slices.Contains(subj.Paths, real) {
		subj.Paths = append(subj.Paths, real)
	}
	return subj
}

func (t viewImage) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	if t.files == nil {
		return "", tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var in struct{ Path string }
	if err := tool.Decode(args, json.RawMessage(viewSchema), &in); err != nil {
		return "", err
	}
	abs, err := t.files.ReadPath(in.Path)
	if err != nil {
		return "", err
	}
	pic, size, err := t.load(ctx, abs)
	if err != nil {
		return "", err
	}
	return t.show(tool.CallFrom(ctx), abs, size, pic)
}

// load reads and prepares a picture of size bytes when it is its turn.
func (t viewImage) load(ctx context.Context, abs string) (pic *picture, size int, err error) {
	if err := t.one.enter(ctx); err != nil {
		return nil, 0, err
	}
	defer t.one.leave()
	data, err := t.read(ctx, abs)
	if err != nil {
		return nil, 0, err
	}
	pic, err = prepare(ctx, data)
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("view %s: %w", t.files.Show(abs), err)
	}
	return pic, len(data), nil
}

func (t viewImage) read(ctx context.Context, abs string) ([]byte, error) {
	r, err := t.files.Reader(ctx, abs)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err != nil {
		return nil, fmt.Errorf("view %s: %w", t.files.Show(abs), err)
	}
	if len(data) > maxSource {
		return nil, fmt.Errorf("view %s: larger than %d bytes; make a smaller copy first", t.files.Show(abs), maxSource)
	}
	return data, nil
}

// show hands the picture over and describes it.
func (t viewImage) show(call *tool.Call, abs string, size int, pic *picture) (string, error) {
	text := fmt.Sprintf("%s: %s, %dx%d pixels, %d bytes", t.files.Show(abs), strings.ToUpper(pic.format), pic.width, pic.height, size)
	if pic.changed {
		text += fmt.Sprintf("; shown as %s, %dx%d, %d bytes", pic.mime, pic.shownWidth, pic.shownHeight, len(pic.data))
	}
	if call.Save == nil || call.Attach == nil {
		return text + " (no picture can be shown here)", nil
	}
	hash, _, err := call.Save(bytes.NewReader(pic.data))
	if err != nil {
		return "", fmt.Errorf("view %s: keep the picture: %w", t.files.Show(abs), err)
	}
	call.Attach(message.Attachment{MIME: pic.mime, Name: workspace.Quote(filepath.Base(abs)), Hash: hash, Size: int64(len(pic.data))})
	return text, nil
}
