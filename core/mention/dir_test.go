package mention_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/mention"
)

// listed is the lines of the listing of a directory.
func (r rig) listed(typed string) []string {
	lines := strings.Split(r.expand(typed).Blocks, "\n")
	if len(lines) < 2 {
		return lines
	}
	return lines[1 : len(lines)-1]
}

func TestListingIsDepthFirstWithoutNoise(t *testing.T) {
	r := newRig(t, map[string]string{
		"b/z.go": "", "b/a/deep.go": "", "b-side.go": "", "a.go": "", ".github/ci.yml": "", ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "",
		"node_modules/p/index.js": "", "vendor/v/v.go": "", "build/out.o": "", "kept.log": "", "x.log": "", "new\nline": "",
		".gitignore": "build/\n*.log\n!kept.log\n", "b/.gitignore": "z.go\n",
	})
	want := []string{
		"[14 entries]", ".github/", ".github/ci.yml", ".gitignore", "a.go", "b-side.go", "b/", "b/.gitignore", "b/a/", "b/a/deep.go",
		"kept.log", `"new\nline"`, "node_modules/", "vendor/",
	}
	want[0] = fmt.Sprintf("[%d entries]", len(want)-1)
	if diff := cmp.Diff(r.listed("@./"), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if diff := cmp.Diff(r.listed("@vendor"), []string{"[2 entries]", "v/", "v/v.go"}); diff != "" {
		t.Errorf("one that is named is listed: (-got +want)\n%s", diff)
	}
	if diff := cmp.Diff(r.listed("@build"), []string{"[1 entry]", "out.o"}); diff != "" {
		t.Errorf("so is one that is ignored: (-got +want)\n%s", diff)
	}
}

func TestListingIsBounded(t *testing.T) {
	files := map[string]string{}
	var all []string
	for i := range 60 {
		for j := range 10 {
			files[fmt.Sprintf("wide/d%02d/f%d", i, j)] = ""
		}
	}
	for i := range 10 {
		all = append(all, fmt.Sprintf("d%02d/", i))
		for j := range 10 {
			all = append(all, fmt.Sprintf("d%02d/f%d", i, j))
		}
	}
	files["deep/"+strings.Repeat("d/", 20)+"f"] = ""
	r := newRig(t, files)
	want := append([]string{"[the first 100 entries; list a directory in it for more]"}, all[:mention.MaxEntries]...)
	if diff := cmp.Diff(r.listed("@wide"), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if got := r.listed("@deep"); len(got) != 1+mention.MaxDepth || got[mention.MaxDepth] != strings.Repeat("d/", mention.MaxDepth) {
		t.Errorf("%d: %q", len(got), got)
	}
}
