package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"reasonix/core/diff"
	"reasonix/core/event"
	"reasonix/core/memory"
	"reasonix/core/tool"
)

func init() {
	tool.RegisterBuiltin(readMemory{})
	tool.RegisterBuiltin(remember{})
	tool.RegisterBuiltin(forget{})
}

// facts is the session's memory.
type facts struct {
	store *memory.Store
	dirs  memory.Dirs
	cap   int // bytes of a result

	mu sync.Mutex
	// shown are the revisions that a person was shown the change of, by the
	// arguments of the call.
	shown map[string]int
}

// defaultCap is tool.Settings.OutputCap when it is not set.
const defaultCap = 16000

func openFacts(env tool.Env) (*facts, error) {
	return tool.Shared(env, func() (*facts, error) {
		set, dirs := env.Settings, memory.Dirs(env.Settings.MemoryDirs)
		store := memory.Open(dirs, memory.Options{Now: env.Now, Secrets: func() []string { return set.Secrets }})
		most := set.OutputCap
		if most <= 0 {
			most = defaultCap
		}
		return &facts{store: store, dirs: dirs, cap: most, shown: map[string]int{}}, nil
	})
}

// ready checks that a call can begin and decodes its arguments.
func (f *facts) ready(ctx context.Context, args json.RawMessage, schema string, dst any) error {
	if f == nil {
		return tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return tool.Decode(args, json.RawMessage(schema), dst)
}

// maxShown bounds how many previews are remembered: those of calls that a person
// refused are never taken back.
const maxShown = 64

// show remembers the revision that a call was shown against; 0 is a new fact.
func (f *facts) show(args json.RawMessage, revision int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.shown) >= maxShown {
		clear(f.shown)
	}
	f.shown[string(args)] = revision
}

// taken returns the revision that a call was shown against, 0 when it was not
// shown or makes a new fact, and forgets it.
func (f *facts) taken(args json.RawMessage) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer delete(f.shown, string(args))
	return f.shown[string(args)]
}

// change is what a call does to one fact, as a person reads it. A zero fact is
// none.
func (f *facts) change(before, after memory.Fact) event.Diff {
	was, is := plain(before), plain(after)
	of := before
	if of.ID == "" {
		of = after
	}
	// Preview and result name a new fact alike, so neither can use its file's name.
	name := "memory/" + fileName(of.Title)
	path := filepath.Join(f.dirs.Project, fileName(of.Title))
	if of.Scope == memory.ScopeGlobal {
		path = filepath.Join(f.dirs.Global, fileName(of.Title))
	}
	return event.Diff{Path: filepath.ToSlash(path), Unified: diff.Unified("a/"+name, "b/"+name, was, is)}
}

// plain is a fact as text: what is kept of it, and nothing that only the store
// needs.
func plain(f memory.Fact) string {
	if f.Title == "" {
		return ""
	}
	var b strings.Builder
	for _, line := range [][2]string{
		{"title", f.Title},
		{"about", string(f.Type) + ", " + string(f.Scope)},
		{"description", f.Description},
		{"keywords", strings.Join(f.Keywords, ", ")},
	} {
		if line[1] != "" {
			b.WriteString(line[0] + ": " + line[1] + "\n")
		}
	}
	if f.Body != "" {
		b.WriteString("\n" + f.Body + "\n")
	}
	return b.String()
}

func fileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-") + ".md"
}

// line is a fact in a list.
func line(f memory.Fact) string {
	text := fmt.Sprintf("%s [%s %s] %s", f.Ref(), f.Scope, f.Type, f.Title)
	if f.Description != "" {
		text += ": " + f.Description
	}
	return text + "\n"
}
