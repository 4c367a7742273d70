package skill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Why a skill does not run, as errors of Run wrap it.
var (
	// ErrSubagent says that the skill has runAs: subagent.
	ErrSubagent = errors.New("it runs as a subagent, and subagents are not there yet")
	// ErrManual says that the skill has invocation: manual.
	ErrManual = errors.New("only the user can start it")
)

// runnable says why the model cannot run s.
func (s Skill) runnable() error {
	err := s.Refused()
	if err == nil && s.Invocation == Manual {
		err = fmt.Errorf("skill %s: %w, with /%s", s.Name, ErrManual, s.Name)
	}
	return err
}

// Refused says why nobody can run s, the user included; nil when that is not so.
// The error wraps ErrSubagent and names the skill.
func (s Skill) Refused() error {
	if s.RunAs == Subagent {
		return fmt.Errorf("skill %s: %w", s.Name, ErrSubagent)
	}
	return nil
}

// UnknownError says that no skill has a name.
type UnknownError struct {
	Name    string
	Nearest []string // names the model may run, the nearest first; all of them when there are few
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("there is no skill %q", e.Name)
	if len(e.Nearest) == 0 {
		return text
	}
	return text + "; there are: " + strings.Join(e.Nearest, ", ")
}

// maxNearest is how many names an error lists.
const maxNearest = 8

// nearest are the names that the model may run which are most like name.
func (l Skills) nearest(name string) []string {
	var names []string
	for _, s := range l.offered() {
		names = append(names, s.Name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(unlike(name, a), unlike(name, b)) })
	return names[:min(len(names), maxNearest)]
}

// unlike is 0 for a name that holds the other, otherwise how many letters differ.
func unlike(word, name string) int {
	if word != "" && (strings.Contains(name, word) || strings.Contains(word, name)) {
		return 0
	}
	return levenshtein.ComputeDistance(word, name)
}

// Problem is something about a file or directory that a person should hear of.
type Problem struct {
	Path    string // absolute
	Text    string // an English sentence without the path
	Skipped bool   // what is there is not taken as a skill
}

// String is the problem on one line, whatever is in the path.
func (p Problem) String() string { return shownPath(p.Path) + ": " + oneLine(p.Text) }
