package shape

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/message"
)

// DefaultLimit is how many bytes of a result the model reads when Options say nothing.
const DefaultLimit = 16000

// maxPicture is the largest picture, in bytes, that goes to a model; a larger one
// is kept as a file.
const maxPicture = 3 << 20

// Options say how a result is kept.
type Options struct {
	// Limit is the most bytes of Text; 0: DefaultLimit.
	Limit int
	// Save keeps bytes in a file and returns their hash and the file's path, as
	// tool.Call.Save does. nil: nothing is kept, pictures are only named.
	Save func(r io.Reader) (hash, path string, err error)
}

// Shaped is a result as the model gets it.
type Shaped struct {
	// Text is at most Options.Limit bytes, and never empty: the server's text, and
	// one line for everything that is not text.
	Text string
	// Images are for models that look at pictures. Text has a line for each.
	Images []message.Attachment
	// Failed is the server's word that the call failed; Text says why.
	Failed bool
	// Full is the hash under which the whole text is kept when Text is cut.
	Full string
}

// Result turns what a tool returned into text and pictures. Structured content is
// left out when the text says all of it already. Nothing encoded in base64 gets
// into the text: pictures are attached, the rest is saved and named. A text over
// the limit keeps its head and its tail, and all of it goes to a file. What cannot
// be saved is named all the same; a result is never lost for it.
func Result(res *mcp.CallToolResult, opt Options) Shaped {
	if res == nil {
		res = &mcp.CallToolResult{}
	}
	s := shaper{opt: opt}
	for _, c := range res.Content {
		s.content(c)
	}
	s.structured(res.StructuredContent)
	out := Shaped{Images: s.images, Failed: res.IsError}
	whole := strings.Join(s.blocks, "\n")
	if strings.TrimSpace(whole) == "" {
		whole = "(no output)"
		if res.IsError {
			whole = "the call failed, and the server does not say why"
		}
	}
	out.Text, out.Full = fit(whole, opt)
	return out
}

// shaper gathers one result.
type shaper struct {
	opt    Options
	blocks []string
	said   []string // the server's own words, before anything was taken out
	images []message.Attachment
	saved  map[string]string // what is kept already: bytes -> the words for it
	kinds  map[string]bool   // of what is kept, and its media types
}

func (s *shaper) content(c mcp.Content) {
	switch c := c.(type) {
	case *mcp.TextContent:
		s.text(c.Text)
	case *mcp.ImageContent:
		s.data(c.MIMEType, "image", "", c.Data)
	case *mcp.AudioContent:
		s.data(c.MIMEType, "audio", "", c.Data)
	case *mcp.EmbeddedResource:
		s.resource(c.Resource)
	case *mcp.ResourceLink:
		s.link(c)
	default:
		s.line("content of a kind that is not known")
	}
}

func (s *shaper) text(text string) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	s.said = append(s.said, text)
	if text != "" {
		s.blocks = append(s.blocks, s.withoutBase64(text))
	}
}

func (s *shaper) resource(r *mcp.ResourceContents) {
	switch {
	case r == nil:
		s.line("a resource without content")
	case r.Text != "" || r.Blob == nil:
		s.line("resource " + words(r.URI, r.MIMEType))
		s.text(r.Text)
	default:
		s.data(r.MIMEType, "resource", r.URI, r.Blob)
	}
}

func (s *shaper) link(l *mcp.ResourceLink) {
	size := ""
	if l.Size != nil {
		size = bytesOf(int(*l.Size))
	}
	s.line("link to a resource: " + words(l.URI, l.Name, l.Title, l.MIMEType, size, l.Description))
}

// data keeps bytes and puts a line in their place. A picture is attached as well.
func (s *shaper) data(mimeType, kind, name string, data []byte) {
	s.line(s.keep(mimeType, kind, name, data))
}

// keep returns the words for data, which is saved once however often it comes.
func (s *shaper) keep(mimeType, kind, name string, data []byte) string {
	if said, ok := s.saved[string(data)]; ok {
		return said + " (as above)"
	}
	if s.saved == nil {
		s.saved, s.kinds = map[string]string{}, map[string]bool{}
	}
	s.kinds[kind], s.kinds[mimeType] = true, true
	mimeType = mediaType(mimeType)
	said := words(kind+" "+name, mimeType, bytesOf(len(data)))
	if len(data) > 0 && s.opt.Save != nil {
		hash, path, err := s.opt.Save(bytes.NewReader(data))
		if err != nil {
			return said + ", could not be saved: " + err.Error()
		}
		said += ", saved at " + filepath.ToSlash(path)
		if seen := pictureType(data); seen != "" && len(data) <= maxPicture {
			s.images = append(s.images, message.Attachment{MIME: seen, Name: pictureName(name, seen), Hash: hash, Size: int64(len(data))})
		}
	}
	s.saved[string(data)] = said
	return said
}

func (s *shaper) line(text string) { s.blocks = append(s.blocks, "["+oneLine(text)+"]") }

// pictureType is the type of a picture that models look at, told by its first
// bytes: what a server says of it may be wrong, and then the whole request fails.
func pictureType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

func pictureName(name, mimeType string) string {
	if name != "" {
		return oneLine(name)
	}
	return "image." + strings.TrimPrefix(mimeType, "image/")
}

func mediaType(s string) string {
	if t, _, err := mime.ParseMediaType(s); err == nil {
		return t
	}
	return ""
}

// words joins what is not empty.
func words(all ...string) string {
	var some []string
	for _, w := range all {
		if w = strings.TrimSpace(w); w != "" {
			some = append(some, w)
		}
	}
	return strings.Join(some, ", ")
}

// oneLine keeps a server's words in the one line they are given.
func oneLine(s string) string {
	const most = 400
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) > most {
		s = cutEnd(s, most) + "..."
	}
	return s
}

func bytesOf(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d KB", (n+500)/1000)
}
