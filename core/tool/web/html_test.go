package web

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://go.dev/doc/page?q=1")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPagesBecomeText(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"paragraphs and spaces", "<p>one\n  two<p>three<br>four</p>five", "one two\n\nthree\nfour\n\nfive"},
		{"headings", "<h1>A</h1><h3> B <em>c</em></h3>x", "# A\n\n### B c\n\nx"},
		{"lists", "<ul><li>a<li>b<ol><li>x</li><li>y</li></ol></li></ul>z", "- a\n- b\n  1. x\n  2. y\n\nz"},
		{"links", `<a href="/x y">in</a> <a href="#f">same</a> <a href="javascript:x()">js</a> <a href="../up(1)">up</a><a href="/n"></a>`, "[in](https://go.dev/x%20y) same js [up](https://go.dev/up%281%29)"},
		{"code", "<p>run <code>go test</code>:</p><pre>\n a  b\n\tc</pre>after", "run `go test`:\n\n```\n\n a  b\n\tc\n```\n\nafter"},
		{"code in a block", "<pre><code>x := <b>1</b>\n</code></pre>", "```\nx := 1\n```"},
		{"tables", "<table><tr><th>a<th>b</tr><tr><td>1</td><td> 2 </td></tr></table>", "a | b\n1 | 2"},
		{"what is not read", "a<script>if (x<y) {}</script><style>p{}</style><noscript>no</noscript><svg><title>t</title><path/></svg><select><option>o</select>b", "ab"},
		{"entities", "<p>a&nbsp;&lt;b&gt;&amp;&copy;&#x4e2d;</p>", "a <b>&\u00a9\u4e2d"},
		{"images", `see <img src=x.png alt="a  cat"> and <img src=y.png>`, "see [image: a cat] and"},
		{"broken", "</p></ul></a></pre></main><p>a<a href=/b>c", "a[c](https://go.dev/b)"},
		{"comments", "a<!-- no -->b<!doctype html>", "ab"},
		{"a short main part", "<nav>menu</nav><main>x</main>", "menu\n\nx"},
		{"the main part", "<nav>menu</nav><main><p>" + strings.Repeat("text ", 60) + "</main><footer>f</footer>", strings.TrimSpace(strings.Repeat("text ", 60))},
		{"definitions", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n  b\nc\n  d"},
	} {
		title, got := convert("<title> A\n title </title>"+tt.html, base(t))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
		if title != "A title" {
			t.Errorf("%s: title %q", tt.name, title)
		}
	}
}

func TestHostilePagesAreBounded(t *testing.T) {
	for name, page := range map[string]string{
		"links":    strings.Repeat(`<a href="`+strings.Repeat("x", 80)+`">y</a>`, 40_000),
		"nesting":  strings.Repeat("<div><ul><li><b>", 60_000),
		"spaces":   strings.Repeat(" \n", 400_000),
		"pre":      strings.Repeat("<pre>   <br>", 60_000),
		"entities": strings.Repeat("&NotEqualTilde;", 60_000),
		"title":    "<title>" + strings.Repeat("x", 1<<20),
		"unclosed": "<script>" + strings.Repeat("<", 1<<20),
		"attrs":    "<a " + strings.Repeat("a=b ", 200_000) + ">",
	} {
		begun := time.Now()
		title, text := convert(page, base(t))
		if len(text) > maxText+64<<10 || len(title) > maxTitle {
			t.Errorf("%s: %d bytes of text, %d of title", name, len(text), len(title))
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, s := range []string{"<p>a<p>b", "<ul><li>", "<a href=x>y</a>", "<pre>\n</pre>", "<main> x</main>", "<title>t", "<h7>", "<h0><h1>", "<svg><svg></svg>x", "&#0;\xff<\x00>", "<pre> <br> <main>x </main><br></pre>y"} {
		f.Add(s)
	}
	u := base(f)
	f.Fuzz(func(t *testing.T, page string) {
		title, text := convert(page, u)
		if len(title) > maxTitle || len(text) > 200+100*len(page) && len(text) > maxText+len(page) {
			t.Errorf("%d bytes of title, %d of text from %d", len(title), len(text), len(page))
		}
		if !utf8.ValidString(clean(text)) {
			t.Errorf("%q is not text", text)
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	page := strings.Repeat(`<div class="x"><h2>Title</h2><p>Some text with a <a href="/link">link</a> and <code>code</code>.</p><ul><li>one<li>two</ul></div>`, 5000)
	u := base(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		convert(page, u)
	}
}
