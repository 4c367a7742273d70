package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/memory"
)

func TestAFormIsReadBack(t *testing.T) {
	full := memory.Draft{Title: "Use pnpm: always", Type: memory.Feedback, Scope: memory.ScopeGlobal, Description: "d", Keywords: []string{"a, b"}, Body: "one\n\ntwo"}
	for _, d := range []memory.Draft{full, {Type: memory.Project, Scope: memory.ScopeProject}} {
		got, err := memory.Draft{}.Fill(d.Form())
		if diff := cmp.Diff(d, got); diff != "" || err != nil {
			t.Errorf("%v -want +got\n%s\n%s", err, diff, d.Form())
		}
	}
	base := full
	base.ID, base.Revision = "mem-1", 3
	got, err := base.Fill([]byte("---\ntitle: Other\n---\nbody"))
	base.Title, base.Body = "Other", "body"
	if diff := cmp.Diff(base, got); diff != "" || err != nil {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
}

func TestPlainTextIsAFact(t *testing.T) {
	for text, want := range map[string][2]string{
		"deploy on Fridays\n":             {"deploy on Fridays", "deploy on Fridays"},
		"# Deploys\n\nOn Fridays.\n":      {"Deploys", "On Fridays."},
		"# Deploys\n":                     {"Deploys", "# Deploys"},
		"\n\n" + strings.Repeat("x", 200): {strings.Repeat("x", 119) + "…", strings.Repeat("x", 200)},
		"":                                {"", ""},
	} {
		d, err := memory.Draft{}.Fill([]byte(text))
		if err != nil || d.Title != want[0] || d.Body != want[1] {
			t.Errorf("%q: got %q, %q, %v", text, d.Title, d.Body, err)
		}
	}
	var invalid *memory.InvalidError
	for _, bad := range []string{"---\nopen", "---\nscope: galaxy\n---\nb"} {
		if _, err := (memory.Draft{}).Fill([]byte(bad)); !errors.As(err, &invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
