package config

import (
	"fmt"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

// explainedTable is what `explain` says of a table.
type explainedTable struct {
	Key      string     `json:"key"`
	Type     string     `json:"type"`
	Keys     []tableKey `json:"keys"`
	Off      []offPart  `json:"off,omitempty"`
	Problems []problem  `json:"problems"`
}

type tableKey struct {
	Key    string `json:"key"`
	Doc    string `json:"doc"`
	Value  any    `json:"value"`
	Origin origin `json:"origin"`
}

// tableOf is the table at path with the keys it has, those with a value first.
// What is no table has no keys.
func tableOf(c *config.Config, path string) explainedTable {
	parts, err := config.SplitPath(path)
	if err != nil {
		return explainedTable{}
	}
	table := config.JoinPath(parts)
	var keys []tableKey
	seen := map[string]bool{}
	for _, key := range c.Paths() {
		if k, _, err := config.Lookup(key); err == nil && strings.HasPrefix(key, table+".") {
			seen[key] = true
			keys = append(keys, tableKey{Key: key, Doc: k.Doc, Value: c.Value(key), Origin: originOf(c.Origin(key))})
		}
	}
	named := len(keys) > 0 // names of the user's stand for <name>
	for _, k := range config.Keys() {
		if strings.HasPrefix(k.Path, table+".") && !k.Retired && !seen[k.Path] && !(named && strings.Contains(k.Path, "<")) {
			keys = append(keys, tableKey{Key: k.Path, Doc: k.Doc, Origin: origin{Layer: string(config.LayerDefault)}})
		}
	}
	return explainedTable{Key: table, Type: "table", Keys: keys, Off: offParts(c, table)}
}

func (e explainedTable) print(app *cmdutil.App, c *config.Config, err error, format string) error {
	e.Problems = problems(c, err)
	if format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(app.Out, e); err != nil {
			return err
		}
		return broken(err)
	}
	fmt.Fprintf(app.Out, "%s is a table of these keys:\n", e.Key)
	for _, k := range e.Keys {
		if _, err := fmt.Fprintf(app.Out, "\n%s = %s\n    %s\n", k.Key, text(k.Value), k.Doc); err != nil {
			return err
		}
	}
	if len(e.Off) > 0 {
		fmt.Fprint(app.Out, "\noff:\n")
	}
	for _, p := range e.Off {
		fmt.Fprintf(app.Out, "    %s\n", p)
	}
	if err != nil {
		printProblems(app.Err, e.Problems)
	}
	return broken(err)
}
