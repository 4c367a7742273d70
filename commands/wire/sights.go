package wire

import (
	"path/filepath"
	"slices"

	"reasonix/core/event"
	"reasonix/core/workspace"
)

// fresh is what the model has seen of files since the last call, for the journal.
func fresh(files *workspace.FS) []event.Sight {
	var sights []event.Sight
	for path, s := range files.Fresh() {
		sights = append(sights, event.Sight{Path: filepath.ToSlash(path), Hash: s.Hash, Partial: s.Partial})
	}
	slices.SortFunc(sights, func(a, b event.Sight) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return sights
}

// reopen lets a resumed session write the directories a person opened for it. One
// that is gone is said and stays closed.
func reopen(files *workspace.FS, dirs []string, warn func(string)) {
	for _, dir := range dirs {
		if err := files.AddWritable(dir); err != nil && warn != nil {
			warn(err.Error())
		}
	}
}

// restore gives a resumed session the sights of its journal, so that the read
// guard holds across processes.
func restore(files *workspace.FS, sights []event.Sight) {
	seen := map[string]workspace.Sight{}
	for _, s := range sights {
		if s.Hash != "" {
			seen[filepath.FromSlash(s.Path)] = workspace.Sight{Hash: s.Hash, Partial: s.Partial}
		}
	}
	files.Restore(seen)
}
