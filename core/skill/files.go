package skill

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxFiles is how many files of a skill Files lists.
const maxFiles = 50

// Files are the files of the skill's directory besides the text itself, as paths
// below it with forward slashes, in the order of their names, two directories deep.
// Links and what begins with a dot are left out, and so is all behind the 50th: more
// is how many at least.
func (s Skill) Files() (list []string, more int) {
	if s.Dir == "" {
		return nil, 0
	}
	list = filesBelow(s.Dir, "", 2)
	if len(list) > maxFiles {
		return list[:maxFiles], len(list) - maxFiles
	}
	return list, 0
}

func filesBelow(dir, prefix string, deep int) []string {
	entries, err := tree{base: dir}.readDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		name := oneLine(e.Name())
		switch {
		case strings.HasPrefix(name, "."), name == "node_modules", prefix == "" && name == fileName:
		case e.IsDir() && deep > 0:
			list = append(list, filesBelow(filepath.Join(dir, e.Name()), prefix+name+"/", deep-1)...)
		case e.Type()&fs.ModeType == 0:
			list = append(list, prefix+name)
		}
		if len(list) > 2*maxFiles {
			break
		}
	}
	return list
}

// fileList is Files for the model, one line each.
func (s Skill) fileList() string {
	list, more := s.Files()
	var b strings.Builder
	for _, name := range list {
		b.WriteString("- " + shownPath(s.Dir) + "/" + name + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "- and %d more at least\n", more)
	}
	return b.String()
}
