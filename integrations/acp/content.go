package acp

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// maxInlined is the largest file, in bytes, whose link becomes a reference to its
// content; a larger one is named.
const maxInlined = 64 << 10

// input is what the blocks of a prompt come to.
type input struct {
	Text   string // what the person typed, links and references included
	Data   string // what nobody typed: embedded text
	Images []protocol.Image
}

func (in input) empty() bool {
	return strings.TrimSpace(in.Text) == "" && strings.TrimSpace(in.Data) == "" && len(in.Images) == 0
}

// all is the text of a message that cannot keep the two apart.
func (in input) all() string {
	if in.Text == "" || in.Data == "" {
		return in.Text + in.Data
	}
	return in.Text + "\n\n" + in.Data
}

// blocks reads the blocks of a prompt for a session in workspace. What cannot be passed
// on is refused or named, never dropped.
func blocks(method, workspace string, list []acpwire.Block) (input, error) {
	r := blockReader{workspace: workspace}
	for i, b := range list {
		if err := r.block(method, fmt.Sprintf("prompt[%d]", i), b); err != nil {
			return input{}, err
		}
	}
	in := input{Text: r.text.String(), Data: strings.Join(r.data, "\n\n"), Images: r.images}
	if in.empty() {
		return input{}, jsonrpc.InvalidParams(method, "prompt", "it is empty")
	}
	return in, nil
}

type blockReader struct {
	workspace string
	text      strings.Builder
	data      []string
	images    []protocol.Image
}

func (r *blockReader) block(method, field string, b acpwire.Block) error {
	refuse := func(part, format string, args ...any) error {
		return jsonrpc.InvalidParams(method, field+"."+part, format, args...)
	}
	switch b.Type {
	case "text":
		r.say(b.Text)
	case "resource_link":
		if b.URI == "" {
			return refuse("uri", "it is missing")
		}
		r.say(r.link(b))
	case "image":
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil || len(data) == 0 {
			return refuse("data", "it is no base64 of an image")
		}
		if !strings.HasPrefix(b.MIMEType, "image/") {
			return refuse("mimeType", "%q is no type of an image", b.MIMEType)
		}
		r.image(b.MIMEType, b.URI, data)
	case "resource":
		if b.Resource == nil {
			return refuse("resource", "it is missing")
		}
		if !r.resource(*b.Resource) {
			return refuse("resource.blob", "it is no base64")
		}
	default:
		return refuse("type", "blocks of type %q are not supported", b.Type)
	}
	return nil
}

// say adds what was typed. A block is a paragraph of its own, unless white space
// shows that a client cut one text at its links.
func (r *blockReader) say(text string) {
	if text == "" {
		return
	}
	if had := r.text.String(); had != "" {
		last, _ := utf8.DecodeLastRuneInString(had)
		first, _ := utf8.DecodeRuneInString(text)
		if !unicode.IsSpace(last) && !unicode.IsSpace(first) {
			r.text.WriteString("\n\n")
		}
	}
	r.text.WriteString(text)
}

func (r *blockReader) image(mime, uri string, data []byte) {
	name := fmt.Sprintf("image-%d", len(r.images)+1)
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		name = path.Base(u.Path)
	}
	r.images = append(r.images, protocol.Image{MIME: mime, Name: name, Data: data})
}

// resource adds embedded content; false when it cannot be decoded.
func (r *blockReader) resource(res acpwire.Resource) bool {
	attr := fmt.Sprintf("uri=%q", res.URI)
	if res.MIMEType != "" {
		attr += fmt.Sprintf(" type=%q", res.MIMEType)
	}
	embed := func(text string) {
		r.data = append(r.data, fmt.Sprintf("<resource %s>\n%s\n</resource>", attr, strings.TrimSuffix(text, "\n")))
	}
	switch {
	case res.Text != nil:
		embed(*res.Text)
		return true
	case res.Blob == nil:
		r.data = append(r.data, fmt.Sprintf("<resource %s/>", attr))
		return true
	}
	blob, err := base64.StdEncoding.DecodeString(*res.Blob)
	switch {
	case err != nil:
		return false
	case strings.HasPrefix(res.MIMEType, "image/") && len(blob) > 0:
		r.image(res.MIMEType, res.URI, blob)
	case isText(blob):
		embed(string(blob))
	default:
		r.data = append(r.data, fmt.Sprintf("<resource %s>not shown: %d bytes that are no text</resource>", attr, len(blob)))
	}
	return true
}

func isText(data []byte) bool { return utf8.Valid(data) && !strings.ContainsRune(string(data), 0) }

// link is a linked resource in words: a reference, whose content the model reads, when
// it is a small file of the workspace.
func (r *blockReader) link(b acpwire.Block) string {
	if ref := r.reference(b.URI); ref != "" {
		return ref
	}
	name := b.Name
	if name == "" {
		name = b.URI
	}
	return fmt.Sprintf("[%s](%s)", name, b.URI)
}

// reference is the reference to the file or directory that uri names, empty when it is
// not in the workspace, large, or cannot be written as one.
func (r *blockReader) reference(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || r.workspace == "" {
		return ""
	}
	file := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" { // file:///C:/dir
		file = strings.TrimPrefix(file, `\`)
	}
	rel, err := filepath.Rel(r.workspace, file)
	if err != nil || !filepath.IsLocal(rel) || rel == "." || strings.ContainsAny(rel, "\"\n\r") {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().IsRegular() && info.Size() > maxInlined {
		return ""
	}
	name := filepath.ToSlash(rel)
	if info.IsDir() {
		name += "/"
	}
	if strings.HasPrefix(name, "@") || strings.ContainsFunc(name, unicode.IsSpace) {
		name = `"` + name + `"`
	}
	return "@" + name + lines(u.Fragment)
}

// lineRange is how editors write lines in the fragment of an address: L10, L10-20,
// L10:20, L10-L20.
var lineRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^L(\d+)(?:[-:]L?(\d+))?$`) })

func lines(fragment string) string {
	m := lineRange().FindStringSubmatch(fragment)
	switch {
	case m == nil:
		return ""
	case m[2] == "":
		return "#L" + m[1]
	}
	return "#L" + m[1] + "-" + m[2]
}
