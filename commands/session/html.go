package session

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"fmt"
	stdhtml "html"
	"slices"
	"strings"

	"reasonix/core/message"
	"reasonix/core/session"
)

// html writes a transcript as one page that needs nothing else: its style is in it, it
// has no script, and a policy forbids it to fetch anything. All text is escaped.
type html struct {
	out  *bufio.Writer
	load func(hash string) ([]byte, error)
}

// style follows the reader's preference for dark or light.
const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8882;--dim:#777;--user:#2a6fdb;--bad:#c33;--good:#2a8a4a}
body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1rem;color:var(--dim);border-top:1px solid var(--line);padding-top:1rem;margin-top:2rem}
h3{font-size:.8rem;color:var(--dim);margin:1rem 0 .2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;color:var(--dim);font-size:.9rem}dd{margin:0;overflow-wrap:anywhere}
.text{white-space:pre-wrap;overflow-wrap:anywhere}.user{border-left:3px solid var(--user);padding-left:.8rem}
pre{background:var(--soft);border-radius:6px;padding:.6rem .8rem;overflow-x:auto;font:13px/1.45 ui-monospace,monospace;margin:.4rem 0}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--dim);font-size:.9rem;overflow-wrap:anywhere}
.note,.end{color:var(--dim);font-size:.9rem}.add{color:var(--good)}.del{color:var(--bad)}img{max-width:100%}
@media print{details{display:block}}`

func (h *html) begin(in session.Info) {
	title := esc(cmp.Or(in.Title, string(in.ID)))
	fmt.Fprintf(h.out, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<h1>%s</h1>
<dl>
`, title, style, title)
	for _, row := range [][2]string{
		{"Session", string(in.ID)},
		{"Workspace", slash(in.Workspace)},
		{"Created", at(in.Created)},
		{"Last used", at(in.Updated)},
		{"Model", in.Model},
		{"State", stateOf(in)},
	} {
		if row[1] != "" {
			fmt.Fprintf(h.out, "<dt>%s</dt><dd>%s</dd>\n", row[0], esc(row[1]))
		}
	}
	fmt.Fprint(h.out, "</dl>\n")
}

func (h *html) block(b block) {
	head := esc(b.head)
	switch b.kind {
	case turnBlock:
		fmt.Fprintf(h.out, "<h2>%s%s</h2>\n", head, when(b))
	case userBlock:
		fmt.Fprintf(h.out, "<section class=\"user\"><h3>%s</h3>%s</section>\n", head, prose(b.text))
	case assistantBlock:
		fmt.Fprintf(h.out, "<section><h3>%s</h3>%s</section>\n", head, prose(b.text))
	case reasoningBlock, callBlock, resultBlock:
		fmt.Fprintf(h.out, "<details><summary>%s %s</summary>%s</details>\n", map[string]string{
			reasoningBlock: "&#8230;", callBlock: "&rarr;", resultBlock: "&larr;",
		}[b.kind], head, pre(b.text))
	case noteBlock:
		fmt.Fprintf(h.out, "<p class=\"note text\">%s: %s</p>\n", head, esc(b.text))
	case endBlock:
		fmt.Fprintf(h.out, "<p class=\"end\">%s%s %s</p>\n", head, when(b), esc(b.text))
	}
	for _, d := range b.diffs {
		fmt.Fprintf(h.out, "<details open><summary>%s</summary>%s</details>\n", esc(slash(d.Path)), diff(d.Unified))
	}
	for _, a := range b.images {
		h.image(a)
	}
}

func (h *html) end() { fmt.Fprint(h.out, "</body>\n</html>\n") }

func when(b block) string {
	if b.time.IsZero() {
		return ""
	}
	return " &middot; " + at(b.time)
}

// maxImage is how many bytes of a picture are put into the page.
const maxImage = 8 << 20

// image shows a picture of a kind that holds nothing else, and names anything else.
func (h *html) image(a message.Attachment) {
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, a.MIME) && a.Size <= maxImage {
		if data, err := h.load(a.Hash); err == nil && len(data) <= maxImage {
			fmt.Fprintf(h.out, "<p><img alt=\"%s\" src=\"data:%s;base64,%s\"></p>\n", esc(a.Name), a.MIME, base64.StdEncoding.EncodeToString(data))
			return
		}
	}
	fmt.Fprintf(h.out, "<p class=\"note\">%s</p>\n", esc(attached(a)))
}

func esc(text string) string { return stdhtml.EscapeString(lines(text)) }

func pre(text string) string {
	if text == "" {
		return ""
	}
	return "<pre>" + esc(text) + "</pre>"
}

// prose shows text with its code fences as code.
func prose(text string) string {
	var b strings.Builder
	var part []string
	flush := func(code bool) {
		if text := strings.Trim(strings.Join(part, "\n"), "\n"); text != "" {
			if code {
				b.WriteString(pre(text))
			} else {
				b.WriteString("<div class=\"text\">" + esc(text) + "</div>")
			}
		}
		part = part[:0]
	}
	fence := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		switch opened := opens(line); {
		case fence == "" && opened != "":
			flush(false)
			fence = opened
		case fence != "" && closes(line, fence):
			flush(true)
			fence = ""
		default:
			part = append(part, line)
		}
	}
	flush(fence != "")
	return b.String()
}

// diff colours the lines of a unified diff.
func diff(unified string) string {
	var b strings.Builder
	b.WriteString("<pre>")
	for line := range strings.SplitSeq(strings.TrimSuffix(unified, "\n"), "\n") {
		class := ""
		switch {
		case strings.HasPrefix(line, "+"):
			class = "add"
		case strings.HasPrefix(line, "-"):
			class = "del"
		}
		if class == "" {
			b.WriteString(esc(line) + "\n")
		} else {
			fmt.Fprintf(&b, "<span class=%q>%s</span>\n", class, esc(line))
		}
	}
	b.WriteString("</pre>")
	return b.String()
}
