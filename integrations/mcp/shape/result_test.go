package shape_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/message"
	"reasonix/integrations/mcp/shape"
)

// keeper keeps what a result saves.
type keeper struct{ files [][]byte }

func (k *keeper) save(r io.Reader) (hash, path string, err error) {
	data, err := io.ReadAll(r)
	k.files = append(k.files, data)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4]), fmt.Sprintf("/kept/%d", len(k.files)), err
}

// png is a file of size bytes that begins like a picture.
func png(size int) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data) // it never fails
	copy(data, "\x89PNG\r\n\x1a\n")
	return data
}

func decoded(t *testing.T, wire string) *mcp.CallToolResult {
	t.Helper()
	var res mcp.CallToolResult
	if err := json.Unmarshal(shape.Decodable(json.RawMessage(wire)), &res); err != nil {
		t.Fatalf("decode %.200s: %v", wire, err)
	}
	return &res
}

func TestResultOfEveryKindOfContent(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	for _, c := range []struct{ name, wire, want string }{
		{"nothing", `{"content":[]}`, "(no output)"},
		{"text", `{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`, "one\ntwo"},
		{"failure without words", `{"content":[],"isError":true}`, "the call failed, and the server does not say why"},
		{"audio", `{"content":[{"type":"audio","mimeType":"audio/wav","data":"` + b64([]byte("RIFF....WAVE")) + `"}]}`, "[audio, audio/wav, 12 bytes, saved at /kept/1]"},
		{"vector picture", `{"content":[{"type":"image","mimeType":"image/svg+xml","data":"` + b64([]byte("<svg/>")) + `"}]}`, "[image, image/svg+xml, 6 bytes, saved at /kept/1]"},
		{"resource with text", `{"content":[{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"body"}}]}`, "[resource file:///a.txt, text/plain]\nbody"},
		{"resource with bytes", `{"content":[{"type":"resource","resource":{"uri":"file:///a.bin","blob":"` + b64([]byte{0, 1}) + `"}}]}`, "[resource file:///a.bin, 2 bytes, saved at /kept/1]"},
		{"link", `{"content":[{"type":"resource_link","uri":"db://x","name":"x","mimeType":"text/csv","size":2048,"description":"two\nlines"}]}`, "[link to a resource: db://x, x, text/csv, 2 KB, two lines]"},
		{"structured alone", `{"content":[],"structuredContent":{"b":12345678901234567890,"a":"x"}}`, `{"b":12345678901234567890,"a":"x"}`},
		{"structured beside words", `{"content":[{"type":"text","text":"Done in 5 s."}],"structuredContent":{"count":5}}`, "Done in 5 s.\n" + `{"count":5}`},
		{"structured as text", `{"content":[{"type":"text","text":"{\"count\": 5, \"ok\": true}"}],"structuredContent":{"ok":true,"count":5}}`, `{"count": 5, "ok": true}`},
		{"structured around a text", `{"content":[{"type":"text","text":"it is so"}],"structuredContent":{"result":"it is so"}}`, "it is so"},
		{"structured as prose", `{"content":[{"type":"text","text":"Name: the long name"}],"structuredContent":{"name":"the long name"}}`, "Name: the long name"},
		{"no content at all", `{"structuredContent":null,"isError":false}`, "(no output)"},
		{"content that is a string", `{"content":"plain"}`, "plain"},
		{"content that is one block", `{"content":{"type":"text","text":"single"}}`, "single"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k keeper
			got := shape.Result(decoded(t, c.wire), shape.Options{Save: k.save})
			if got.Text != c.want || len(got.Images) > 0 {
				t.Errorf("got %q and %d images, want %q", got.Text, len(got.Images), c.want)
			}
			if got.Failed != strings.Contains(c.wire, `"isError":true`) {
				t.Errorf("Failed = %v", got.Failed)
			}
		})
	}
	if got := shape.Result(nil, shape.Options{}); got.Text != "(no output)" {
		t.Errorf("no result is %q", got.Text)
	}
}

// MC-10: a picture is attached, and named in the text.
func TestMC10AnImageIsAttachedAndNeverText(t *testing.T) {
	picture := png(400_000)
	res := &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "see"}, &mcp.ImageContent{MIMEType: "image/jpeg", Data: picture},
	}}
	var k keeper
	got := shape.Result(res, shape.Options{Save: k.save})
	sum := sha256.Sum256(picture)
	want := shape.Shaped{
		Text:   "see\n[image, image/jpeg, 400 KB, saved at /kept/1]",
		Images: []message.Attachment{{MIME: "image/png", Name: "image.png", Hash: hex.EncodeToString(sum[:4]), Size: 400_000}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Result:\n%s", diff)
	}
	if len(k.files) != 1 || !bytes.Equal(k.files[0], picture) {
		t.Errorf("%d files are kept", len(k.files))
	}
	bare := shape.Result(res, shape.Options{})
	if bare.Text != "see\n[image, image/jpeg, 400 KB]" || bare.Images != nil {
		t.Errorf("nowhere to save: %+v", bare)
	}
	full := shape.Result(res, shape.Options{Save: func(io.Reader) (string, string, error) { return "", "", errors.New("disk full") }})
	if full.Text != "see\n[image, image/jpeg, 400 KB, could not be saved: disk full]" || full.Images != nil {
		t.Errorf("no room to save: %+v", full)
	}
	var l keeper
	large := shape.Result(&mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: png(4 << 20)}}}, shape.Options{Save: l.save})
	if large.Images != nil || !strings.Contains(large.Text, "saved at /kept/1") {
		t.Errorf("a picture of 4 MB: %d images, %s", len(large.Images), large.Text)
	}
}

// MC-11: the same bytes as a picture, in structured content and in a text that
// mirrors it count once, and no base64 is left.
func TestMC11AStructuredCopyCountsOnce(t *testing.T) {
	picture := png(75_000)
	structured := map[string]any{"caption": "a chart of sales", "image": base64.StdEncoding.EncodeToString(picture)}
	mirror, err := json.Marshal(structured)
	if err != nil {
		t.Fatal(err)
	}
	var k keeper
	got := shape.Result(&mcp.CallToolResult{
		Content: []mcp.Content{
			&mcp.TextContent{Text: "a chart of sales"},
			&mcp.ImageContent{MIMEType: "image/png", Data: picture},
			&mcp.TextContent{Text: string(mirror)},
		},
		StructuredContent: structured,
	}, shape.Options{Save: k.save})
	want := "a chart of sales\n[image, image/png, 75 KB, saved at /kept/1]\n" +
		`{"caption":"a chart of sales","image":"[image, image/png, 75 KB, saved at /kept/1 (as above)]"}`
	if got.Text != want || len(got.Images) != 1 || len(k.files) != 1 {
		t.Errorf("got %q\nwith %d images and %d files, want %q", got.Text, len(got.Images), len(k.files), want)
	}
	short := shape.Result(&mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: "a chart of sales"}, &mcp.ImageContent{Data: picture}},
		StructuredContent: structured,
	}, shape.Options{Save: new(keeper).save})
	if strings.Contains(short.Text, "caption") {
		t.Errorf("what was said comes again: %q", short.Text)
	}
}

// Some servers repeat the blocks of content themselves, also those of small pictures.
func TestStructuredCopiesOfBlocks(t *testing.T) {
	small := png(40)
	block := map[string]any{"type": "image", "mimeType": "image/png", "data": base64.StdEncoding.EncodeToString(small)}
	content := []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: small}}
	for _, c := range []struct {
		structured any
		want       string
	}{
		{map[string]any{"content": []any{block}}, "[image, image/png, 40 bytes, saved at /kept/1]"},
		{
			map[string]any{"content": []any{block}, "title": "other"},
			"[image, image/png, 40 bytes, saved at /kept/1]\n" +
				`{"content":[{"data":"[image, image/png, 40 bytes, saved at /kept/1 (as above)]","mimeType":"image/png","type":"image"}],"title":"other"}`,
		},
	} {
		got := shape.Result(&mcp.CallToolResult{Content: content, StructuredContent: c.structured}, shape.Options{Save: new(keeper).save})
		if got.Text != c.want || len(got.Images) != 1 {
			t.Errorf("got %q and %d images, want %q", got.Text, len(got.Images), c.want)
		}
	}
}

func TestBase64InATextIsSaved(t *testing.T) {
	picture := png(3000)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		var k keeper
		text := "data:image/png;base64," + enc.EncodeToString(picture) + " end"
		got := shape.Result(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, shape.Options{Save: k.save})
		if !strings.HasSuffix(got.Text, "[base64, image/png, 3 KB, saved at /kept/1] end") || len(got.Images) != 1 || !bytes.Equal(k.files[0], picture) {
			t.Errorf("got %q, %d images", got.Text, len(got.Images))
		}
	}
	for _, plain := range []string{strings.Repeat("x", 5000), strings.Repeat("0123456789abcdef", 300), strings.Repeat("word ", 1000), base64.StdEncoding.EncodeToString(picture[:300])} {
		if got := shape.Result(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: plain}}}, shape.Options{}); got.Text != plain {
			t.Errorf("%.40q... became %.80q", plain, got.Text)
		}
	}
}

// MC-12: 3 MB of text are cut to head and tail, and kept once, in a file.
func TestMC12AHugeTextIsCutAndKept(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %06d 天气 and more text\n", i)
	}
	var k keeper
	got := shape.Result(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: b.String()}}}, shape.Options{Save: k.save, Limit: 10_000})
	if len(got.Text) > 10_000 || len(got.Text) < 9_800 {
		t.Errorf("the text has %d bytes", len(got.Text))
	}
	if !strings.HasPrefix(got.Text, "line 000000 ") || !strings.HasSuffix(got.Text, "line 099999 天气 and more text\n") {
		t.Errorf("head %.20q, tail %.20q", got.Text, got.Text[len(got.Text)-20:])
	}
	if !strings.Contains(got.Text, fmt.Sprintf("of %d bytes left out here; all of it: /kept/1]\n", b.Len())) {
		t.Errorf("no word of what is left out: %q", got.Text[4_900:5_100])
	}
	if len(k.files) != 1 || string(k.files[0]) != b.String() || got.Full == "" {
		t.Errorf("%d files are kept, hash %q", len(k.files), got.Full)
	}
	for _, limit := range []int{1, 40, 100, 200} {
		if got := shape.Result(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: b.String()}}}, shape.Options{Limit: limit}); len(got.Text) > limit {
			t.Errorf("limit %d, %d bytes", limit, len(got.Text))
		}
	}
}

// MC-17: audio, links and made-up kinds become a line; the rest of the result is there.
func TestMC17UnknownKindsAreNamed(t *testing.T) {
	for _, c := range []struct{ block, want string }{
		{`{"type":"hologram","data":"xyz"}`, `[content of the unknown kind "hologram", 32 bytes]`},
		{`{"text":"no type"}`, `[content of the unknown kind "", 18 bytes]`},
		{`null`, `[content that cannot be read: null]`},
		{`7`, `[content that cannot be read: 7]`},
		{`{"type":"image","mimeType":"image/png","data":"%%%"}`, `[image, image/png, 3 characters that are not base64]`},
		{`{"type":"image"}`, `[image, 0 bytes]`},
		{`{"type":"resource"}`, `[a resource without content]`},
		{`{"type":"resource","resource":[]}`, `[a resource that cannot be read]`},
		{`{"type":"resource","resource":{"uri":"u","blob":"%"}}`, `[resource u, 1 characters that are not base64]`},
		{`{"type":"tool_use","id":"1","name":"x","input":{}}`, `[content of the unknown kind "tool_use", 50 bytes]`},
	} {
		wire := `{"content":[{"type":"text","text":"before"},` + c.block + `,{"type":"text","text":"after"}]}`
		got := shape.Result(decoded(t, wire), shape.Options{})
		if want := "before\n" + c.want + "\nafter"; got.Text != want {
			t.Errorf("%s\n got %q\nwant %q", c.block, got.Text, want)
		}
	}
}

func TestDecodableLeavesOtherMessagesAlone(t *testing.T) {
	for _, wire := range []string{
		`{"tools":[]}`, `[]`, `null`, `7`, ``, `{`, `{"content":[{"type":"text","text":"x"}],"_meta":{"n":1.0}}`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1e3}}`,
	} {
		if got := shape.Decodable(json.RawMessage(wire)); string(got) != wire {
			t.Errorf("Decodable(%s) = %s", wire, got)
		}
	}
}
