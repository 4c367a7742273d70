//go:build unix

package skill_test

import (
	"os"
	"path/filepath"
	"testing"

	"reasonix/core/skill"
)

// link makes name a link to target, which is taken as it stands.
func (e estate) link(name, target string) {
	e.t.Helper()
	e.mkdir(filepath.ToSlash(filepath.Dir(name)))
	if err := os.Symlink(target, e.at(name)); err != nil {
		e.t.Fatal(err)
	}
}

// What a repository links to outside of itself is not read; a user's own links are
// followed.
func TestNoLinkLeadsOutOfAProject(t *testing.T) {
	e := newEstate(t, map[string]string{
		"out/secret/SKILL.md":    text("secret"),
		"out/lone.md":            text("lone"),
		"w/shared/in/SKILL.md":   text("in"),
		"w/.reasonix/skills/f/x": "",
		"w/conf/p/SKILL.md":      text("p"),
	})
	e.link("w/.reasonix/skills/dir", "../../../out/secret")
	e.link("w/.reasonix/skills/lone.md", "../../../out/lone.md")
	e.link("w/.reasonix/skills/f/SKILL.md", "../../../../out/secret/SKILL.md")
	e.link("w/.reasonix/skills/gone", "nowhere")
	e.link("w/.reasonix/skills/loop", ".")
	e.link("w/.agents/skills", "../../out")
	e.link("w/.claude/skills", "../shared")
	e.link("w/conf/out", "../../out/secret")
	e.link("u/.agents/skills", e.at("out"))
	o := e.options()
	o.Paths = []string{e.at("w/conf")}
	const leadsOut = "a link there leads out of the project, or is an absolute one; it is not followed true"
	e.want(skill.Load(o),
		"in project w/.claude/skills/in/SKILL.md",
		"lone user u/.agents/skills/lone.md",
		"p path w/conf/p/SKILL.md",
		"secret user u/.agents/skills/secret/SKILL.md",
		"problem w/.reasonix/skills/dir: "+leadsOut,
		"problem w/.reasonix/skills/f/SKILL.md: "+leadsOut,
		"problem w/.reasonix/skills/gone: it is a link to nothing true",
		"problem w/.reasonix/skills/lone.md: "+leadsOut,
		"problem w/conf/out: "+leadsOut,
	)
}

func TestOneFileUnderTwoNamesIsOneSkill(t *testing.T) {
	e := newEstate(t, map[string]string{"w/.agents/skills/a/SKILL.md": text("a")})
	e.link("w/.claude/skills", "../.agents/skills")
	e.link("w/.reasonix/skills/a", "../../.agents/skills/a")
	e.want(skill.Load(e.options()), "a project w/.reasonix/skills/a/SKILL.md")
}

func TestTheListOfFilesFollowsNoLink(t *testing.T) {
	s, e := load1(t, "x")
	e.write("secret/key", "")
	e.write("w/.agents/skills/a/own", "")
	e.link("w/.agents/skills/a/dir", e.at("secret"))
	e.link("w/.agents/skills/a/key", e.at("secret/key"))
	if files, more := s.Files(); len(files) != 1 || files[0] != "own" || more != 0 {
		t.Errorf("got %v, %d more", files, more)
	}
}

func TestANewSkillIsNotMadeThroughALinkOutOfTheWorkspace(t *testing.T) {
	e := newEstate(t, nil)
	e.link("w/.reasonix", e.at("u"))
	if path, err := skill.Create(e.options(), skill.Project, "x", ""); err == nil {
		t.Errorf("made %s", path)
	}
}

func TestAnExcludedDirectoryIsNotFoundByAnotherNameEither(t *testing.T) {
	e := newEstate(t, map[string]string{"w/shared/a/SKILL.md": text("a"), "w/.agents/skills/b/SKILL.md": text("b")})
	e.link("w/.claude/skills", "../shared")
	e.link("w/.agents/skills/c", "../../shared/a")
	o := e.options()
	o.Excluded = []string{e.at("w/shared")}
	e.want(skill.Load(o), "b project w/.agents/skills/b/SKILL.md")
}

func TestAProblemIsOneLine(t *testing.T) {
	p := skill.Problem{Path: "/w/a\nb\x1b[1m", Text: "it is\nodd"}
	if got := p.String(); got != "/w/a b [1m: it is odd" {
		t.Errorf("got %q", got)
	}
}
