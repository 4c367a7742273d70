package acp

import (
	"encoding/base64"
	"fmt"
	"net/http"
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
	Text   string // what the person typed, references included
	Data   string // what nobody typed: embedded text, links
	Images []protocol.Image
}

func (in input) empty() bool {
	return strings.TrimSpace(in.Text) == "" && strings.TrimSpace(in.Data) == "" && len(in.Images) == 0
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
	links     int // that are no references
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
		r.link(b)
	case "image":
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil || len(data) == 0 {
			return refuse("data", "it is no base64 of an image")
		}
		if !strings.HasPrefix(b.MIMEType, "image/") {
			return refuse("mimeType", "%q is no type of an image", b.MIMEType)
		}
		if !isImage(b.MIMEType, data) {
			return refuse("data", "its bytes are no %s", b.MIMEType)
		}
		r.image(b.MIMEType, b.URI, data)
	case "resource":
		if b.Resource == nil {
			return refuse("resource", "it is missing")
		}
		if reason := r.resource(*b.Resource); reason != "" {
			return refuse("resource.blob", "%s", reason)
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

// resource adds embedded content, or says why it cannot.
func (r *blockReader) resource(res acpwire.Resource) (refused string) {
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
		return ""
	case res.Blob == nil:
		r.data = append(r.data, fmt.Sprintf("<resource %s/>", attr))
		return ""
	}
	blob, err := base64.StdEncoding.DecodeString(*res.Blob)
	switch {
	case err != nil:
		return "it is no base64"
	case strings.HasPrefix(res.MIMEType, "image/") && len(blob) > 0 && !isImage(res.MIMEType, blob):
		return "its bytes are no " + res.MIMEType
	case strings.HasPrefix(res.MIMEType, "image/") && len(blob) > 0:
		r.image(res.MIMEType, res.URI, blob)
	case isText(blob):
		embed(string(blob))
	default:
		r.data = append(r.data, fmt.Sprintf("<resource %s>not shown: %d bytes that are no text</resource>", attr, len(blob)))
	}
	return ""
}

// isImage reports whether data may be a picture of that type. Only those types that
// models see are told by their bytes.
func isImage(mime string, data []byte) bool {
	mime = strings.ToLower(mime)
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return http.DetectContentType(data) == mime
	case "image/jpg":
		return http.DetectContentType(data) == "image/jpeg"
	}
	return true
}

func isText(data []byte) bool { return utf8.Valid(data) && !strings.ContainsRune(string(data), 0) }

// link adds a linked resource: a reference, whose content the model reads, when it is a
// small file of the workspace. Any other is data, for nobody typed its name, and a mark
// stands at its place.
func (r *blockReader) link(b acpwire.Block) {
	if ref := r.reference(b.URI); ref != "" {
		r.say(ref)
		return
	}
	r.links++
	r.say(fmt.Sprintf("[link %d]", r.links))
	attr := ""
	if b.Name != "" {
		attr = fmt.Sprintf(" name=%q", b.Name)
	}
	r.data = append(r.data, fmt.Sprintf("<link number=\"%d\" uri=%q%s/>", r.links, b.URI, attr))
}

// reference is the reference to the file or directory that uri names, empty when it is
// not in the workspace, links followed, or large, or cannot be written as one.
func (r *blockReader) reference(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || r.workspace == "" {
		return ""
	}
	file := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" { // file:///C:/dir
		file = strings.TrimPrefix(file, `\`)
	}
	rel := inside(r.workspace, file)
	if rel == "" || strings.ContainsAny(rel, "\"\n\r") {
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

// inside is the name of file in dir, as it is found when every link is followed; empty
// when it is elsewhere.
func inside(dir, file string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return ""
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	return rel
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
