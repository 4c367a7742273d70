package mcp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhereATypedAddressIsInItsTemplate(t *testing.T) {
	type want struct {
		Done, Shown, Value string
		Given              map[string]string
	}
	for _, c := range []struct {
		template, typed string
		want            *want // nil: the address is not of the template
	}{
		{"a://x/{id}", "", &want{"", "a://x/{id}", "", nil}},
		{"a://x/{id}", "a://", &want{"", "a://x/{id}", "", nil}},
		{"a://x/{id}", "b", nil},
		{"a://x/{id}", "a://x/", &want{"a://x/", "{id}", "", nil}},
		{"a://x/{id}", "a://x/1%202", &want{"a://x/", "{id}", "1 2", nil}},
		{"a://x/{id}", "a://x/1/2", nil},
		{"a://x/{+path}", "a://x/1/2", &want{"a://x/", "{path}", "1/2", nil}},
		{"r://{owner}/{repo}/at/{+path}", "r://me", &want{"r://", "{owner}/{repo}/at/{path}", "me", nil}},
		{"r://{owner}/{repo}/at/{+path}", "r://me/", &want{"r://me/", "{repo}/at/{path}", "", map[string]string{"owner": "me"}}},
		{"r://{owner}/{repo}/at/{+path}", "r://me/it/a", &want{"r://me/it", "/at/{path}", "", map[string]string{"owner": "me", "repo": "it"}}},
		{"r://{owner}/{repo}/at/{+path}", "r://me/it/at/a/b", &want{"r://me/it/at/", "{path}", "a/b", map[string]string{"owner": "me", "repo": "it"}}},
		{"r://{owner}/{repo}", "r:///x", nil},
		{"q://s{?q,lang*}", "q://s", &want{"q://s", "?q={q}&lang={lang}", "", nil}},
		{"q://s{?q,lang*}", "q://s?q=a", &want{"q://s?q=", "{q}&lang={lang}", "a", nil}},
		{"q://{x}{/y:3}", "q://1/2", &want{"q://1/", "{y}", "2", map[string]string{"x": "1"}}},
		{"q://fixed", "q://fixed", &want{"q://fixed", "", "", nil}},
	} {
		tmpl, ok := parseTemplate(c.template)
		if !ok {
			t.Errorf("%s is no template", c.template)
			continue
		}
		at, ok := tmpl.find(c.typed)
		if !ok {
			if c.want != nil {
				t.Errorf("%s: %s is not of it", c.template, c.typed)
			}
			continue
		}
		given := at.given
		if len(given) == 0 {
			given = nil
		}
		if diff := cmp.Diff(c.want, &want{at.done, tmpl[at.next:].String(), at.value, given}); diff != "" {
			t.Errorf("%s: %s: %s", c.template, c.typed, diff)
		}
	}
	for _, text := range []string{"", "a{b", "a{}", "a{b,,c}", "a{+}"} {
		if tmpl, ok := parseTemplate(text); ok {
			t.Errorf("%q is the template %v", text, tmpl)
		}
	}
}

func TestValuesGoIntoATemplateUpToTheNextVariable(t *testing.T) {
	for _, c := range []struct{ template, typed, value, address, open string }{
		{"a://{id}", "a://", "x y/z", "a://x%20y%2Fz", ""},
		{"a://{+id}", "a://q", "x y/z", "a://x%20y/z", ""},
		{"r://{owner}/{repo}/at", "r://", "me", "r://me/", "{repo}/at"},
		{"r://{owner}/{repo}/at", "r://me/", "it", "r://me/it/at", ""},
		{"q://{s}{?q}", "q://", "é", "q://%C3%A9", ""},
	} {
		tmpl, _ := parseTemplate(c.template)
		at, _ := tmpl.find(c.typed)
		if address, open := tmpl.put(at, c.value); address != c.address || open.String() != c.open {
			t.Errorf("%s with %s: got %s and %s", c.template, c.value, address, open)
		}
	}
}
