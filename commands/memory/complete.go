package memory

import (
	"github.com/spf13/cobra"

	"reasonix/core/memory"
)

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeIDs offers the ids of facts, in use and forgotten, with their titles.
func completeIDs(d *desk, active, archived bool) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		s, err := d.store()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, of := range []struct{ wanted, archived bool }{{active, false}, {archived, true}} {
			if !of.wanted {
				continue
			}
			found, _ := s.List(memory.Filter{Archived: of.archived}) // what can be read is enough to complete
			for _, f := range found.Facts {
				ids = append(ids, cobra.CompletionWithDesc(f.ID, f.Title))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
