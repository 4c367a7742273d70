package retrieval_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"reasonix/core/retrieval"
)

func words(text string) string {
	var list []string
	for _, t := range retrieval.Tokens(text) {
		list = append(list, t.Term)
	}
	return strings.Join(list, " ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Hello, World!", "hello world"},
		{"a I x 7 ab 42", "ab 42"},
		{"getUserName", "getusername get user name"},
		{"HTTPServer XMLHttpRequest", "httpserver http server xmlhttprequest xml http request"},
		{"ID userID", "id userid user id"},
		{"max_tokens MAX_TOKENS __init__", "maxtokens max tokens maxtokens max tokens init"},
		{"well-known kebab-case-name", "well known kebab case name"},
		{"core/tool/plan.go", "core tool plan go"},
		{`C:\Users\me`, "users me"},
		{"pkg.Func(x)", "pkg func"},
		{"sha256 utf8 v2 file10name", "sha256 sha 256 utf8 utf v2 file10name file 10 name"},
		{"don't", "don"},
		{"会话恢复", "会话 话恢 恢复"},
		{"锁", "锁"},
		{"用Go写的parser", "用 go 写的 parser"},
		{"修复bug了", "修复 bug 了"},
		{"東京タワー", "東京 京タ タワ ワー"},
		{"한국어", "한국 국어"},
		{"ภาษา", "ภา าษ ษา"},
		{"Straße ÉCOLE naïve", "straße école naïve"},
		{"e\u0301cole E\u0301COLE", "école école"},
		{"か\u3099く", "がく"},
		{"ПриветМир", "приветмир привет мир"},
		{"bad\xffbytes", "bad bytes"},
		{"\u0301\u0301", ""},
		{"emoji 😀 here", "emoji here"},
		{strings.Repeat("x", 128), strings.Repeat("x", 128)},
		{strings.Repeat("x", 129), ""},
		{strings.Repeat("a1B2", 8), strings.Repeat("a1b2", 8)},
		{strings.Repeat("a1B2", 20), ""},
		{"", ""},
	} {
		if diff := cmp.Diff(c.want, words(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestTokensSayWhereTheyAre(t *testing.T) {
	const text = "see getName: 会话恢复 e\u0301t\u0301e"
	got := map[string]string{}
	for _, tok := range retrieval.Tokens(text) {
		got[tok.Term] = text[tok.Start:tok.End]
	}
	want := map[string]string{
		"see": "see", "getname": "getName", "get": "getName", "name": "getName",
		"会话": "会话", "话恢": "话恢", "恢复": "恢复", "ét\u0301e": "e\u0301t\u0301e",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"getUserName max_tokens", "会话恢复 か\u3099", "e\u0301\xff\u0301A1b2", "ﬀİǅ ภาษา"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, tok := range retrieval.Tokens(text) {
			switch {
			case tok.Start < at || tok.End <= tok.Start || tok.End > len(text):
				t.Fatalf("%q: %q at %d to %d after %d", text, tok.Term, tok.Start, tok.End, at)
			case tok.Term == "" || !utf8.ValidString(tok.Term) || len(tok.Term) > 4*128:
				t.Fatalf("%q: bad term %q", text, tok.Term)
			case len(tok.Term) == 1:
				t.Fatalf("%q: short term %q", text, tok.Term)
			case strings.ContainsFunc(tok.Term, func(r rune) bool { return unicode.IsSpace(r) || unicode.ToLower(r) != r }):
				t.Fatalf("%q: term %q is not lower case", text, tok.Term)
			}
			at = tok.Start
		}
		if utf8.ValidString(text) && len(text) < 64 {
			if a, b := words(norm.NFC.String(text)), words(norm.NFD.String(text)); a != b && norm.NFC.String(b) == a {
				t.Fatalf("%q: composed %q, decomposed %q", text, a, b)
			}
		}
	})
}
