package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"reasonix/core/internal/textenc"
	"reasonix/core/tool"
)

// maxFailure is how many bytes are shown of the page that comes with an error.
const maxFailure = 2000

// An httpError is an answer with a status of 400 or more; its text has the
// beginning of the page.
type httpError struct{ text string }

func (e *httpError) Error() string { return e.text }

// result is what the model reads of p.
func (t fetch) result(ctx context.Context, p *page, raw bool) (string, error) {
	mediaType := p.mediaType()
	if p.isBinary() {
		return "", fmt.Errorf("fetch %s: not text (%s, %s)", p.url, mediaType, p.length())
	}
	text := p.text()
	isPage := mediaType == "text/html" || mediaType == "application/xhtml+xml"
	head := fmt.Sprintf("status %s \u00b7 %s \u00b7 %s", p.status, mediaType, p.length())
	if p.cut {
		head += fmt.Sprintf(", only the first %d are here", len(p.body))
	}
	if isPage && !raw {
		var title string
		title, text = convert(text, p.url)
		if title != "" {
			head += "\n" + title
		}
	}
	if text = strings.TrimSpace(clean(text)); text == "" {
		text = "(no text)"
	}
	if p.code >= http.StatusBadRequest {
		return "", &httpError{fmt.Sprintf("fetch %s: %s\n\n%s", p.url, head, clip(text, maxFailure))}
	}
	return t.fit(ctx, head+"\n\n"+text)
}

// fit shortens text to what is shown at once and keeps the whole of it.
func (t fetch) fit(ctx context.Context, text string) (string, error) {
	if len(text) <= t.cap {
		return text, nil
	}
	where, err := t.keep(tool.CallFrom(ctx), text)
	if err != nil {
		where = "it could not be kept: " + err.Error()
	}
	shown := clip(text, t.cap)
	if i := strings.LastIndexByte(shown, '\n'); i > t.cap/2 {
		shown = shown[:i]
	}
	return fmt.Sprintf("%s\n[... %d of %d bytes left out; all of it: %s]", shown, len(text)-len(shown), len(text), where), nil
}

// keep saves text beside the journal, or in the session's temporary directory.
func (t fetch) keep(call *tool.Call, text string) (string, error) {
	if call.Save != nil {
		hash, path, err := call.Save(strings.NewReader(text))
		call.Full = hash
		return filepath.ToSlash(path), err
	}
	f, err := os.CreateTemp(t.temp, "page-*.txt")
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(f, text)
	return filepath.ToSlash(f.Name()), errors.Join(err, f.Close())
}

// mediaType is the type without parameters, guessed when there is none.
func (p *page) mediaType() string {
	if t, _, err := mime.ParseMediaType(p.typ); err == nil && t != "application/octet-stream" {
		return t
	}
	t, _, _ := mime.ParseMediaType(http.DetectContentType(p.body))
	return t
}

func (p *page) length() string {
	if p.size < 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%d bytes", p.size)
}

// isBinaryType reports whether a Content-Type by itself says that there is no
// text.
func isBinaryType(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	family, sub, _ := strings.Cut(t, "/")
	switch family {
	case "image":
		return sub != "svg+xml"
	case "audio", "video", "font", "model":
		return true
	}
	switch sub {
	case "pdf", "zip", "gzip", "x-gzip", "x-tar", "x-7z-compressed", "wasm", "vnd.ms-excel", "msword":
		return true
	}
	return strings.HasPrefix(sub, "vnd.openxmlformats")
}

func (p *page) isBinary() bool {
	return isBinaryType(p.typ) || len(p.body) > 0 && !strings.HasPrefix(http.DetectContentType(p.body), "text/") && !p.declaresWide()
}

// declaresWide reports whether the type names an encoding in which zero bytes
// are text.
func (p *page) declaresWide() bool {
	_, params, err := mime.ParseMediaType(p.typ)
	return err == nil && strings.HasPrefix(strings.ToLower(params["charset"]), "utf-16")
}

// text is the body as UTF-8: by its byte order mark, what the server says, what
// the page says of itself, or how it looks.
func (p *page) text() string {
	enc, name, certain := charset.DetermineEncoding(p.body, p.typ)
	if !certain {
		switch own := textenc.DetectPrefix(p.body); {
		case own == textenc.Binary:
		case own.IsUTF8() || name == "windows-1252":
			return own.Decode(p.body)
		}
	}
	if name == "utf-8" {
		return strings.TrimPrefix(string(p.body), "\uFEFF")
	}
	text, err := enc.NewDecoder().Bytes(p.body)
	if err != nil {
		return string(p.body)
	}
	return strings.TrimPrefix(string(text), "\uFEFF")
}

// clean leaves out what is not text and what would steer a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && r < ' ' || 0x7f <= r && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// clip cuts text to at most size bytes, between two characters.
func clip(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
