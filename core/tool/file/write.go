package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"reasonix/core/tool"
)

const writeSchema = `{"properties":{"content":{"type":"string"},"path":{"type":"string"}},` +
	`"required":["path","content"],"type":"object"}`

// writeFile creates a file or replaces its whole content. An existing file keeps
// its encoding, byte order mark and mode; one with mostly CRLF line ends gets CRLF.
type writeFile struct{ session }

func (writeFile) Name() string { return "write_file" }
func (writeFile) Description() string {
	return "Create a file or replace all of it. For changes prefer edit_file."
}
func (writeFile) Schema() json.RawMessage { return json.RawMessage(writeSchema) }
func (writeFile) ReadOnly() bool          { return false }

func (t writeFile) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t writeFile) Subject(args json.RawMessage) tool.Subject {
	return t.edits(args, "Write", func(s session) tool.Tool { t.session = s; return t })
}

func (t writeFile) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	var in struct{ Path, Content string }
	if err := t.start(ctx, args, writeSchema, &in); err != nil {
		return "", err
	}
	abs, err := t.files.WritePath(in.Path)
	if err != nil {
		return "", err
	}
	file, err := t.files.ReadFile(ctx, abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.create(ctx, abs, in.Content)
	case err != nil:
		return "", err
	}
	if len(file.Data) > 0 {
		if err := t.current(ctx, file); err != nil {
			return "", err
		}
		if err := t.known(abs); err != nil {
			return "", err
		}
	}
	d, err := t.parse(file)
	if err != nil {
		return "", err
	}
	return t.replace(ctx, abs, d, in.Content)
}

func (t writeFile) create(ctx context.Context, abs, content string) (string, error) {
	if err := t.store(ctx, abs, nil, []byte(content), true); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %d bytes to %s", len(content), t.files.Show(abs)), nil
}

// known refuses to throw away content the model has not seen.
func (t writeFile) known(abs string) error {
	_, partial, ok := t.files.LastSeen(abs)
	switch {
	case !ok:
		return &refusal{t.files.Show(abs) + " exists and you have not read it. Nothing was written. " +
			"Read it with read_file first, or change a part of it with edit_file.", nil}
	case partial:
		return &refusal{t.files.Show(abs) + " exists and you have read only a part of it. Nothing was written. " +
			"Read the rest with read_file first, or change a part of it with edit_file.", nil}
	}
	return nil
}

func (t writeFile) replace(ctx context.Context, abs string, d *document, content string) (string, error) {
	note := ""
	if d.enc.BOM() != "" {
		content = strings.TrimPrefix(content, "\uFEFF")
	}
	if mostlyCRLF(d.text) && content != "" {
		if crlf := withEnds(content, "\r\n"); crlf != content {
			content, note = crlf, ", line ends kept as CRLF"
		}
	}
	if !d.enc.IsUTF8() {
		note += ", encoding kept as " + d.enc.String()
	}
	data, err := d.enc.Encode(content)
	if err != nil {
		return "", t.unencodable(abs, err)
	}
	data = append([]byte(d.enc.BOM()), data...)
	if string(data) == string(d.file.Data) {
		if !t.dry {
			t.files.Seen(abs, d.file.Hash, false)
		}
		return t.files.Show(abs) + " has this content already; nothing was written", nil
	}
	if err := t.store(ctx, abs, d, data, true); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %d bytes to %s%s", len(data), t.files.Show(abs), note), nil
}
