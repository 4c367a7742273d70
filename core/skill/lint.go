package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Lint says what is odd about a skill that counts: what its author probably did not
// mean. It looks at the skill's directory for files that the text speaks of.
func (s Skill) Lint() []Problem {
	var list []Problem
	odd := func(format string, args ...any) {
		list = append(list, Problem{Path: s.Path, Text: fmt.Sprintf(format, args...)})
	}
	switch n, shown := utf8.RuneCountInString(s.Description), widths()[0]; {
	case s.Description == placeholder:
		odd("the description is still that of a new skill: the model does not know when it is for")
	case s.Description == opening(s.Body):
		odd("there is no description; the first line of the text stands for it")
	case n > shown && s.Invocation == Auto:
		odd("the description has %d characters; the model is shown %d at most", n, shown)
	}
	if s.Dir != "" && Normal(filepath.Base(s.Dir)) != s.Name {
		odd("its directory is called %s, the skill is called %s", filepath.Base(s.Dir), s.Name)
	}
	for _, key := range s.misspelt() {
		odd("%s", key)
	}
	for _, name := range s.missing() {
		odd("the text speaks of %s, which is not there", name)
	}
	return list
}

// misspelt are unknown keys that are nearly known ones.
func (s Skill) misspelt() []string {
	bare := func(key string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(key))
	}
	var list []string
	for key := range s.Unknown {
		if at := slices.IndexFunc(keys(), func(known string) bool { return bare(known) == bare(key) }); at >= 0 {
			list = append(list, fmt.Sprintf("the key %s has no meaning: %s has", key, keys()[at]))
		}
	}
	slices.Sort(list)
	return list
}

// reference is a path of the skill's own, as a text speaks of it.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?m)(?:^|[\\s(`\"'])((?:references|scripts|assets)/[A-Za-z0-9_./-]*[A-Za-z0-9_])")
})

// missing are the files of the skill that its text speaks of and that are not
// there.
func (s Skill) missing() []string {
	if s.Dir == "" {
		return nil
	}
	var list []string
	for _, m := range reference().FindAllStringSubmatch(s.Body, maxFiles) {
		name := m[1]
		if !filepath.IsLocal(filepath.FromSlash(name)) || slices.Contains(list, name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(s.Dir, filepath.FromSlash(name))); isMissing(err) {
			list = append(list, name)
		}
	}
	return list
}
