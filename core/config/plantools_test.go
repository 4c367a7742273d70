package config_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A name in agent.plan_mode_allowed_tools is read in the one way it can be meant: what
// a user said of one server is never said of another, least of all of a project's.
func TestAPlanToolIsOneServersTool(t *testing.T) {
	for _, c := range []struct {
		name          string
		user, project []string // names of servers
		full          string
		want          []string // server: tool
	}{
		{"plain", []string{"docs"}, nil, "mcp__docs__search", []string{"docs: search"}},
		{"plain, of a project", nil, []string{"docs"}, "mcp__docs__search", []string{"docs: search"}},
		{"no server's", []string{"docs"}, []string{"other"}, "mcp__doc__search", nil},
		{"no tool", []string{"docs"}, nil, "mcp__docs__", nil},
		{"no full name", []string{"docs"}, nil, "docs__search", nil},

		{"another split is the user's server", []string{"a__b"}, []string{"a"}, "mcp__a__b__c", []string{"a__b: c"}},
		{"another split, without the user's server", nil, []string{"a"}, "mcp__a__b__c", nil},
		{"the project has the longer name", nil, []string{"a__b"}, "mcp__a__b__c", nil},
		{"the user has the shorter name", []string{"a"}, []string{"a__b"}, "mcp__a__b__c", []string{"a: b__c"}},
		{"two servers of the user", []string{"a", "a__b"}, nil, "mcp__a__b__c", nil},
		{"three lines", nil, []string{"a", "a_"}, "mcp__a___b", nil},

		{"the user's name folds", []string{"a b"}, []string{"a_b"}, "mcp__a_b__c", []string{"a b: c"}},
		{"with a dot", []string{"a.b"}, []string{"a_b"}, "mcp__a_b__c", []string{"a.b: c"}},
		{"with an accent", []string{"é"}, []string{"e"}, "mcp__e__c", []string{"é: c"}},
		{"with lines around", []string{"_a__b_"}, []string{"a_b"}, "mcp__a_b__c", []string{"_a__b_: c"}},
		{"the project's name folds", nil, []string{"a b"}, "mcp__a_b__c", nil},
		{"the project's names fold", nil, []string{"a b", "a_b"}, "mcp__a_b__c", nil},
		{"the project's name in full", nil, []string{"a b", "a_b"}, "mcp__a b__c", nil},
		{"two of the user's fold", []string{"a b", "a.b"}, nil, "mcp__a_b__c", nil},
		{"one of the user's does not", []string{"a b", "a_b"}, nil, "mcp__a_b__c", []string{"a_b: c"}},
		{"one of the user's as it is", []string{"a b", "a.b"}, nil, "mcp__a b__c", []string{"a b: c"}},
		{"the end is the user's hash", []string{"a b", "a.b"}, []string{"a_b_0123abcd"}, "mcp__a_b_0123abcd__c", nil},
		{"the end is no hash", []string{"a b"}, []string{"a_b_nothash"}, "mcp__a_b_nothash__c", []string{"a_b_nothash: c"}},
		{"the user's in another case", []string{"Docs"}, []string{"docs"}, "mcp__docs__c", nil},

		{"the project is laid over the user's", []string{"docs", "other"}, []string{"docs"}, "mcp__docs__c", []string{"docs: c"}},
		{"the same, with another split", []string{"a"}, []string{"a"}, "mcp__a__b__c", nil},
	} {
		blocks := func(names []string) string {
			var b strings.Builder
			for _, name := range names {
				quoted, _ := json.Marshal(name)
				b.WriteString("[[plugins]]\nname = " + string(quoted) + "\ncommand = 'x'\n")
			}
			return b.String()
		}
		w := newWorld(t, "agent.plan_mode_allowed_tools = ['"+c.full+"']\n"+blocks(c.user), blocks(c.project))
		w.in.Granted = everything
		var got []string
		for _, s := range w.load().Servers() {
			for _, tool := range s.TrustedReadOnlyTools {
				got = append(got, s.Name+": "+tool)
			}
		}
		slices.Sort(got)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", c.name, d)
		}
	}
}
