package file

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"reasonix/core/internal/textenc"
	"reasonix/core/tool"
	"reasonix/core/workspace"
)

// readLimit is how many lines are shown when the call does not say.
const readLimit = 2000

// sniffed is how much of a file decides whether it is text, and in what encoding.
const sniffed = 1 << 20

const readSchema = `{"properties":{"limit":{"type":"integer"},"offset":{"type":"integer"},"path":{"type":"string"}},` +
	`"required":["path"],"type":"object"}`

// readFile shows lines of a text file. Offset counts lines from 1; 0 is taken
// for 1.
type readFile struct{ session }

func (readFile) Name() string { return "read_file" }
func (readFile) Description() string {
	return "Read a text file. Before each line come its number, from 1, and a tab."
}
func (readFile) Schema() json.RawMessage { return json.RawMessage(readSchema) }
func (readFile) ReadOnly() bool          { return true }

func (t readFile) Bind(env tool.Env) (tool.Tool, error) {
	var err error
	t.session, err = bind(env)
	return t, err
}

func (t readFile) Subject(args json.RawMessage) tool.Subject { return t.subject(args, "read", "Read") }

func (t readFile) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	in := struct {
		Path          string
		Offset, Limit int
	}{Limit: readLimit}
	if err := t.start(ctx, args, readSchema, &in); err != nil {
		return "", err
	}
	abs, err := t.files.ReadPath(in.Path)
	if err != nil {
		return "", t.missing(ctx, in.Path, err)
	}
	r, err := t.files.Reader(ctx, abs)
	if errors.Is(err, workspace.ErrDirectory) {
		return "", &refusal{"read " + t.files.Show(abs) + ": is a directory; use ls", err}
	}
	if err != nil {
		return "", t.missing(ctx, in.Path, err)
	}
	defer r.Close()
	if in.Limit < 1 {
		in.Limit = readLimit
	}
	w := window{first: max(in.Offset, 1), limit: in.Limit, room: t.cap}
	if err := t.scan(ctx, abs, r, &w); err != nil {
		return "", err
	}
	return t.show(abs, &w)
}

// scan fills w and records what the model will have seen.
func (t readFile) scan(ctx context.Context, abs string, r *workspace.Reader, w *window) error {
	var src io.Reader = r
	var whole []byte
	if r.Size <= sniffed {
		var err error
		if whole, err = io.ReadAll(io.LimitReader(r, sniffed)); err != nil {
			return fmt.Errorf("read %s: %w", t.files.Show(abs), err)
		}
		src = bytes.NewReader(whole)
	}
	head := sniffed
	if whole != nil {
		head = max(len(whole), 16)
	}
	w.stop = r.Size > workspace.MaxFile
	sum := sha256.New()
	if err := w.scan(ctx, src, head, sum); err != nil {
		return t.unreadable(abs, r.Size, err)
	}
	if w.stop {
		return nil // too large to be edited: nothing to remember
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	all := t.views.add(abs, hash, w.shown(), w.total)
	t.files.Seen(abs, hash, !all)
	if whole != nil {
		t.files.Remember(abs, whole)
	}
	return nil
}

// binaryError carries the kind of a file that is not text.
type binaryError struct{ kind string }

func (e *binaryError) Error() string { return "binary file (" + e.kind + ")" }

func (t readFile) unreadable(abs string, size int64, err error) error {
	var bin *binaryError
	if errors.As(err, &bin) {
		return &refusal{fmt.Sprintf("read %s: binary file (%s, %d bytes), not shown", t.files.Show(abs), bin.kind, size), err}
	}
	return fmt.Errorf("read %s: %w", t.files.Show(abs), err)
}

// show is the text for the model: the lines and, when there are more, how to go
// on.
func (t readFile) show(abs string, w *window) (string, error) {
	switch {
	case w.total == 0:
		return "[" + t.files.Show(abs) + " is empty]", nil
	case w.lines == 0:
		return "", &refusal{fmt.Sprintf("read %s: offset %d is past the end, the file has %d lines", t.files.Show(abs), w.first, w.total), nil}
	}
	next := w.first + w.lines
	var notes []string
	if more := w.more || next <= w.total; more {
		of := strconv.Itoa(w.total)
		if w.more {
			of = "more than " + of
		}
		notes = append(notes, fmt.Sprintf("lines %d-%d of %s; continue with offset=%d", w.first, next-1, of, next))
	}
	if w.cut > 0 {
		notes = append(notes, fmt.Sprintf("line %d is cut: %d bytes of it are not shown, use grep or bash for them", w.first, w.cut))
	}
	if !w.enc.IsUTF8() {
		notes = append(notes, "encoding "+w.enc.String())
	}
	if len(notes) > 0 {
		fmt.Fprintf(&w.text, "[%s]\n", strings.Join(notes, "; "))
	}
	return w.text.String(), nil
}

// window collects the lines of a file from first on, as many as limit and room
// allow, while the whole file passes by.
type window struct {
	first, limit int
	room         int  // bytes
	stop         bool // at the last line shown, not at the end of the file

	text  strings.Builder
	enc   textenc.Encoding
	lines int  // shown
	total int  // lines read
	more  bool // total is not all
	cut   int  // bytes left out of the first line, when it alone is too long
	full  bool
}

func (w *window) shown() span { return span{w.first - 1, w.first - 1 + w.lines} }

// scan reads r to its end and writes its bytes to sum. The first sniff bytes
// decide how it is encoded.
func (w *window) scan(ctx context.Context, r io.Reader, sniff int, sum hash.Hash) error {
	raw := bufio.NewReaderSize(io.TeeReader(r, sum), sniff)
	head, err := raw.Peek(sniff)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	w.enc = textenc.Detect(head)
	if sniff == sniffed && len(head) == sniff {
		w.enc = textenc.DetectPrefix(head)
	}
	if w.enc == textenc.Binary {
		return &binaryError{http.DetectContentType(head)}
	}
	if _, err := raw.Discard(len(w.enc.BOM())); err != nil {
		return err
	}
	text := raw
	if !w.enc.IsUTF8() {
		text = bufio.NewReader(w.enc.NewReader(raw))
	}
	return w.collect(ctx, text)
}

// collect takes the text piece by piece; a piece ends at a line end or where the
// reader's buffer does.
func (w *window) collect(ctx context.Context, text *bufio.Reader) error {
	var line []byte
	begun := false
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece, err := text.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return err
		}
		begun = begun || len(piece) > 0
		if w.wants(w.total + 1) {
			line = w.keep(line, piece)
		}
		if errors.Is(err, bufio.ErrBufferFull) || !begun && err != nil {
			if !begun {
				return nil
			}
			continue
		}
		w.total++
		if w.wants(w.total) {
			w.add(line)
		}
		line, begun = line[:0], false
		switch {
		case err != nil:
			return nil
		case w.stop && !w.wants(w.total+1) && w.total >= w.first:
			_, err := text.Peek(1)
			w.more = err == nil
			return nil
		}
	}
}

func (w *window) wants(line int) bool { return line >= w.first && w.lines < w.limit && !w.full }

// keep adds piece to line, but no more than could ever be shown.
func (w *window) keep(line, piece []byte) []byte {
	if space := w.room + 1 - len(line); len(piece) > space {
		if w.lines == 0 {
			w.cut += len(piece) - space
		}
		piece = piece[:max(space, 0)]
	}
	return append(line, piece...)
}

// add shows one line, without its line end, unless the room is used up.
func (w *window) add(line []byte) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	var digits [20]byte
	number := strconv.AppendInt(digits[:0], int64(w.total), 10)
	if w.text.Len()+len(number)+len(line)+2 > w.room {
		w.full = true
		if w.lines > 0 {
			return
		}
		keep := max(0, w.room-len(number)-2)
		w.cut += max(0, len(line)-keep)
		line = line[:min(keep, len(line))]
	}
	w.lines++
	w.text.Write(number)
	w.text.WriteByte('\t')
	switch {
	case utf8.Valid(line):
		w.text.Write(line)
	case w.full: // half a character at the cut
		w.text.Write(bytes.ToValidUTF8(line, nil))
	default:
		w.text.Write(bytes.ToValidUTF8(line, []byte("\uFFFD")))
	}
	w.text.WriteByte('\n')
}
