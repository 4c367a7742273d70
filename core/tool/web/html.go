package web

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxText is how much text is made of one page: links written out can make it
	// many times longer than the page.
	maxText = 4 << 20
	// maxTitle is how much of a title is shown.
	maxTitle = 300
	// maxNesting is how far lists are indented.
	maxNesting = 8
	// minMain is how long the main part of a page must be to stand for the page.
	minMain = 200
)

// convert makes readable text of a page, close to Markdown: headings, lists,
// links, code and tables keep their form. When the page marks its main part, the
// rest is left out. It reads tokens and builds no tree, so nesting costs nothing.
func convert(page string, base *url.URL) (title, text string) {
	r := renderer{base: base, mainFrom: -1}
	tokens := html.NewTokenizer(strings.NewReader(page))
	for !r.full() {
		switch tokens.Next() {
		case html.ErrorToken:
			return r.done()
		case html.TextToken:
			r.text(tokens.Text())
		case html.StartTagToken:
			r.start(tokens.Token())
		case html.SelfClosingTagToken:
			r.start(tokens.Token())
		case html.EndTagToken:
			name, _ := tokens.TagName()
			r.end(atom.Lookup(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
	return r.done()
}

// renderer writes the text of a page as its tokens come.
type renderer struct {
	base  *url.URL
	out   bytes.Buffer
	title string

	skip  atom.Atom // the element whose content is left out
	depth int       // how many of its kind are open
	pre   int       // preformatted elements open
	lists []list
	link  link
	cells int // in the table row

	lines int  // line ends due before the next text
	space bool // a space is due

	inTitle          bool
	mainFrom, mainTo int // in out; mainFrom is -1 before the main part
	mains            int // open
}

// list is an open list; next counts the items of a numbered one.
type list struct {
	numbered bool
	next     int
}

// link is the open link, if it has a target: where its text begins in out, 0 before
// it has one.
type link struct {
	target string
	from   int
}

func (r *renderer) full() bool { return r.out.Len() >= maxText }

// done is the whole text, or that of the main part.
func (r *renderer) done() (title, text string) {
	r.endLink()
	all := r.out.Bytes()
	if r.mains > 0 {
		r.mainTo = len(all)
	}
	// Spaces at the end of a line may have been taken back since.
	r.mainTo = min(r.mainTo, len(all))
	if r.mainFrom >= 0 && r.mainTo-r.mainFrom >= minMain {
		all = all[r.mainFrom:r.mainTo]
	}
	text = strings.TrimSpace(string(all))
	if r.full() {
		text += "\n[the page goes on]"
	}
	return clip(oneLine(r.title), maxTitle), text
}

// isSkipped names elements without readable content.
func isSkipped(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas,
		atom.Select, atom.Datalist, atom.Audio, atom.Video, atom.Noembed, atom.Noframes:
		return true
	}
	return false
}

// gap is how many line ends stand before and after an element: one for a line of
// its own, two for a paragraph, none for what is part of a line.
func gap(a atom.Atom) int {
	switch a {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Table, atom.Ul, atom.Ol, atom.Dl,
		atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Figure, atom.Form, atom.Fieldset, atom.Details, atom.Hr:
		return 2
	case atom.Div, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Figcaption, atom.Summary, atom.Address, atom.Caption, atom.Legend, atom.Option, atom.Body, atom.Head:
		return 1
	}
	return 0
}

func (r *renderer) start(t html.Token) {
	a := t.DataAtom
	if r.skip != 0 {
		if a == r.skip && t.Type == html.StartTagToken {
			r.depth++
		}
		return
	}
	if isSkipped(a) {
		if t.Type == html.StartTagToken {
			r.skip, r.depth = a, 1
		}
		return
	}
	r.due(r.within(a))
	switch a {
	case atom.Title:
		r.inTitle = r.title == ""
	case atom.Main:
		r.startMain()
	case atom.Br:
		r.lines = min(r.lines+1, 2)
	case atom.Hr:
		r.put("---")
		r.due(2)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.put(strings.Repeat("#", int(t.Data[1]-'0')) + " ")
	case atom.Pre:
		if r.pre++; r.pre == 1 {
			r.put("```\n")
		}
	case atom.Code, atom.Kbd, atom.Samp:
		r.tick("`")
	case atom.Ul, atom.Ol:
		r.lists = append(r.lists, list{numbered: a == atom.Ol, next: 1})
	case atom.Li:
		r.item()
	case atom.Td, atom.Th:
		if r.cells++; r.cells > 1 {
			r.put(" | ")
		}
	case atom.Tr:
		r.cells = 0
	case atom.Dd:
		r.put("  ")
	case atom.A:
		r.endLink() // links do not nest
		r.link = link{target: r.target(attribute(t, "href"))}
	case atom.Img:
		if alt := oneLine(attribute(t, "alt")); alt != "" {
			r.text([]byte(" [image: " + clip(alt, maxTitle) + "] "))
		}
	}
}

// within is the gap of a, smaller inside a list, so that lists stay together.
func (r *renderer) within(a atom.Atom) int {
	n := gap(a)
	if len(r.lists) > 0 {
		n = min(n, 1)
	}
	return n
}

func (r *renderer) end(a atom.Atom) {
	if r.skip != 0 {
		if a == r.skip {
			if r.depth--; r.depth == 0 {
				r.skip = 0
			}
		}
		return
	}
	switch a {
	case atom.Title:
		r.inTitle = false
	case atom.Pre:
		r.endPre()
	case atom.Code, atom.Kbd, atom.Samp:
		r.tick("`")
	case atom.Ul, atom.Ol:
		if len(r.lists) > 0 {
			r.lists = r.lists[:len(r.lists)-1]
		}
	case atom.A:
		r.endLink()
	case atom.Main:
		if r.mains > 0 {
			r.mains--
			r.mainTo = r.out.Len()
		}
	}
	r.due(r.within(a))
}

// due asks for n line ends before the next text.
func (r *renderer) due(n int) {
	if r.pre == 0 && n > 0 {
		r.lines, r.space = max(r.lines, n), false
	}
}

// startMain notes where the main part begins; what two of them hold between them
// belongs to it.
func (r *renderer) startMain() {
	if r.mainFrom < 0 {
		r.mainFrom = r.out.Len()
	}
	r.mains++
}

// put writes mark as the beginning of what follows.
func (r *renderer) put(mark string) {
	r.flush()
	r.out.WriteString(mark)
}

// flush writes the line ends or the space that are due.
func (r *renderer) flush() {
	switch {
	case r.out.Len() == 0:
	case r.lines > 0:
		r.out.Truncate(len(bytes.TrimRight(r.out.Bytes(), " ")))
		r.out.WriteString("\n\n"[:min(r.lines, 2)])
	case r.space && !bytes.HasSuffix(r.out.Bytes(), []byte(" ")):
		r.out.WriteByte(' ')
	}
	r.lines, r.space = 0, false
}

// tick writes the mark of a piece of code, but not within a block of it.
func (r *renderer) tick(mark string) {
	if r.pre == 0 {
		r.flush()
		r.out.WriteString(mark)
	}
}

func (r *renderer) endPre() {
	if r.pre == 0 {
		return
	}
	if r.pre--; r.pre == 0 {
		if !bytes.HasSuffix(r.out.Bytes(), []byte("\n")) {
			r.out.WriteByte('\n')
		}
		r.out.WriteString("```")
	}
}

func (r *renderer) item() {
	mark := "- "
	if n := len(r.lists); n > 0 {
		if l := &r.lists[n-1]; l.numbered {
			mark = fmt.Sprintf("%d. ", l.next)
			l.next++
		}
		mark = strings.Repeat("  ", min(n-1, maxNesting)) + mark
	}
	r.put(mark)
}

// text writes characters of the page, runs of space as one.
func (r *renderer) text(data []byte) {
	switch {
	case r.skip != 0:
		return
	case r.inTitle:
		r.title += clip(string(data), 4*maxTitle)
		return
	case r.pre > 0:
		r.flush()
		r.beginLink()
		r.out.Write(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
		return
	}
	for len(data) > 0 {
		word := data
		i := bytes.IndexFunc(data, unicode.IsSpace)
		if i >= 0 {
			word = data[:i]
		}
		if len(word) > 0 {
			r.flush()
			r.beginLink()
			r.out.Write(word)
		}
		if i < 0 {
			return
		}
		r.space = true
		data = bytes.TrimLeftFunc(data[i:], unicode.IsSpace)
	}
}

// beginLink writes the bracket of a link once its text begins.
func (r *renderer) beginLink() {
	if r.link.target != "" && r.link.from == 0 && r.pre == 0 {
		r.out.WriteByte('[')
		r.link.from = r.out.Len()
	}
}

// endLink writes the target of a link that has a text.
func (r *renderer) endLink() {
	if r.link.from > 0 {
		r.out.WriteString("](" + r.link.target + ")")
	}
	r.link = link{}
}

// target is the absolute address of a link, "" for one that leads nowhere else.
func (r *renderer) target(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' || len(href) > 2000 {
		return ""
	}
	u, err := r.base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return escapes.Replace(u.String())
}

// escapes are for the characters that would end a link's target.
var escapes = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29")

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
