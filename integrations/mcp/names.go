package mcp

import (
	"slices"

	"reasonix/integrations/mcp/shape"
)

// fileHash is how many digits of a project's server's identity its files have in
// their names.
const fileHash = 12

// parts gives each of the servers what stands for it in names: the user's own first,
// so that what a repository declares changes nothing about them.
func (w World) parts(servers []Config) map[string]string {
	own, others := slices.Clone(w.Own), []string{}
	project := map[string]bool{}
	var ours []string
	for _, c := range servers {
		if c.FromProject {
			project[c.Name] = true
			others = append(others, c.Name)
		} else {
			ours = append(ours, c.Name)
		}
	}
	if w.Own == nil {
		own = slices.DeleteFunc(slices.Concat(w.Names, ours), func(name string) bool { return project[name] })
	}
	return shape.Servers(own, ours, slices.Concat(w.Names, others))
}
