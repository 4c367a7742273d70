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
