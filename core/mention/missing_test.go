package mention_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// missing is what typed is said to refer to and does not.
func (r rig) missing(typed string) string {
	var names []string
	for _, n := range r.expand(typed).Notices {
		name, _, _ := strings.Cut(n, ": there is no such file or directory")
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

func TestWhatLooksLikeAReferenceAndLeadsNowhereIsNamed(t *testing.T) {
	r := newRig(t, map[string]string{"src/a.go": "a", "secret/k": "k"})
	for typed, want := range map[string]string{
		"fix @mian.go":                                                    "@mian.go",
		"(see @mian.go), @mian.go!":                                       "@mian.go",
		"@mian.go:12 and @other.py#L1-3":                                  "@mian.go, @other.py",
		"@src/nothing @src/no/b.GO":                                       "@src/nothing, @src/no/b.GO",
		"@someone/a.go":                                                   "@someone/a.go",
		"@./nothing @../nothing @~/nothing":                               "@./nothing, @../nothing, @~/nothing",
		"看@mian.go里面":                                                     "@mian.go",
		`@"my notes.txt" @"src/two words"`:                                "@my notes.txt, @src/two words",
		"@1.go @2.go @3.go @4.go @5.go @6.go @7.go":                       "@1.go, @2.go, @3.go, @4.go, @5.go and 2 more",
		"@src/a.go":                                                       "",
		"mail me@example.go or x.y@src/b.go":                              "",
		"@param name, @return {@link x.go}":                               "",
		"@types/node @babel/core/lib @scope/p@1.2.3 @user/repo":           "",
		`@app.route("/x/y.go") @pytest.mark.skip @Override @media(a.css)`: "",
		"@someone, @team. @example.com @1.2.3 @https://example.com/a.go":  "",
		"@@ -1,2 +1,2 @@ @//host/share/a.go @$x.go a@.service":            "",
		`@"two words" @"%s: %s"`:                                          "",
		"@ @. @.. @/ @./ @src/ @x/ @.go @/nothing/x":                      "",
	} {
		if diff := cmp.Diff(r.missing(typed), want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", typed, diff)
		}
	}
}

func TestWhatIsMissingStaysText(t *testing.T) {
	r := newRig(t, map[string]string{"a.go": "a"})
	e := r.expand("@a.go @b.go")
	if len(e.Sources) != 1 || e.Sources[0].Ref != "a.go" {
		t.Errorf("%v", e.Sources)
	}
	want := []string{"@b.go: there is no such file or directory, so it stays text"}
	if diff := cmp.Diff(e.Notices, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}
