package shape_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/integrations/mcp/shape"
)

var legalName = regexp.MustCompile(`^mcp__[a-zA-Z0-9_-]{1,59}$`)

func TestNames(t *testing.T) {
	long := strings.Repeat("a_long_name_", 8)[:80]
	for _, c := range []struct{ server, tool, want string }{
		{"fs", "read_file", "mcp__fs__read_file"},
		{"my server", "get weather", "mcp__my_server__get_weather"},
		{"fs", "repo.search", "mcp__fs__repo_search"},
		{"fs", "  padded  ", "mcp__fs___padded"},
		{"a__b", "c__d", "mcp__a_b__c__d"},
		{"_a_", "_b", "mcp__a___b"},
		{"café", "Résumé", "mcp__cafe__Resume"},
		{"fs", "读取文件", "mcp__fs__407dd16f"},
		{"fs", "get_天气", "mcp__fs__get_4436b398"},
		{"天气", "now", ""},
		{"fs", long + "0123456789", ""},
		{"fs", "", ""},
		{"", "x", ""},
		{strings.Repeat("s", 90), strings.Repeat("t", 90), ""},
		{"fs", "\xff\xfe", ""},
	} {
		got := shape.Name(c.server, c.tool)
		if c.want != "" && got != c.want {
			t.Errorf("Name(%q, %q) = %s, want %s", c.server, c.tool, got, c.want)
		}
		if len(got) > shape.MaxName || !legalName.MatchString(got) {
			t.Errorf("Name(%q, %q) = %s is not legal", c.server, c.tool, got)
		}
		part, tool, ok := shape.Split(got)
		if !ok || part != shape.Servers([]string{c.server})[c.server] || tool == "" {
			t.Errorf("Split(%s) = %s, %s, %v", got, part, tool, ok)
		}
	}
}

// MC-05: two names of 90 characters with the same first 80 stay apart, and every
// odd name keeps its legal form over restarts, whatever the order of the list.
func TestMC05LongAndOddNamesAreUniqueAndStable(t *testing.T) {
	same := strings.Repeat("x", 80)
	tools := []string{
		same + "0123456789", same + "abcdefghij", "a.b", "a b", "a_b", "a-b", "搜索文件", "搜索目录",
		"naïve", "naive", "", ".", "..", "tool", "Tool", "tool ", "a_b_c0ffee00",
	}
	want := shape.Names("srv", tools)
	if n := len(slices.Compact(slices.Sorted(maps.Values(want)))); n != len(tools) {
		t.Errorf("%d names for %d tools: %v", n, len(tools), want)
	}
	for raw, name := range want {
		if len(name) > shape.MaxName || !legalName.MatchString(name) {
			t.Errorf("%q is called %s", raw, name)
		}
	}
	for _, plain := range []string{"a_b", "a-b", "naive", "tool", "Tool"} {
		if want[plain] != "mcp__srv__"+plain {
			t.Errorf("%s is called %s", plain, want[plain])
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		if diff := cmp.Diff(want, shape.Names("srv", append(tools, tools[0]))); diff != "" {
			t.Fatalf("another order, other names:\n%s", diff)
		}
	}
}

// A tool that appears or goes does not rename those whose names are its own or
// have lost a letter.
func TestNamesDoNotDependOnTheRestOfTheList(t *testing.T) {
	all := []string{"plain", "搜索文件", strings.Repeat("x", 90), "b.c"}
	whole := shape.Names("srv", all)
	for _, one := range all {
		if got := shape.Names("srv", []string{one})[one]; got != whole[one] {
			t.Errorf("%q is called %s alone and %s among others", one, got, whole[one])
		}
	}
}

// MC-09: the same tool on two servers has two names.
func TestMC09SameToolOnTwoServers(t *testing.T) {
	servers := []string{"web", "docs", "docs ", "docs.", "web__x", "web", strings.Repeat("n", 50), strings.Repeat("n", 51), "搜", "索"}
	parts := shape.Servers(servers)
	seen := map[string]string{}
	for server, part := range parts {
		if strings.Contains(part, "__") || strings.Trim(part, "_") != part || len(part) > 32 {
			t.Errorf("server %q has the part %q", server, part)
		}
		for _, tool := range []string{"search", "x__search", "_search"} {
			name := shape.Names(part, []string{tool})[tool]
			if other, ok := seen[name]; ok {
				t.Errorf("%s is a tool of %q and of %q", name, server, other)
			}
			seen[name] = server
		}
	}
	if parts["docs"] != "docs" || parts["web"] != "web" {
		t.Errorf("plain names changed: %v", parts)
	}
	slices.Reverse(servers)
	if diff := cmp.Diff(parts, shape.Servers(servers)); diff != "" {
		t.Errorf("another order, other parts:\n%s", diff)
	}
}

func TestSplitRefusesOtherNames(t *testing.T) {
	for _, name := range []string{"", "bash", "mcp__", "mcp__a", "mcp__a__", "mcp____b", "mcp_a__b"} {
		if server, tool, ok := shape.Split(name); ok {
			t.Errorf("Split(%q) = %s, %s", name, server, tool)
		}
	}
}

// Whatever another group has, the parts of the first stay, and all are different.
func TestServersOfALaterGroupRenameNone(t *testing.T) {
	own := []string{"a b", "搜", strings.Repeat("n", 40), "plain"}
	want := shape.Servers(own)
	var others []string
	for _, part := range want {
		others = append(others, part, part+" ")
	}
	got := shape.Servers(own, append(others, own...))
	for _, name := range own {
		if got[name] != want[name] {
			t.Errorf("%q is %s, not %s", name, got[name], want[name])
		}
	}
	if n := len(slices.Compact(slices.Sorted(maps.Values(got)))); n != len(got) {
		t.Errorf("%d parts for %d servers: %v", n, len(got), got)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("fs", "read", "read.")
	f.Add("a__b", "天气", strings.Repeat("x", 100))
	f.Add("", "", "_")
	f.Add("a b", "a_b", "a b")
	f.Fuzz(func(t *testing.T, server, one, two string) {
		parts := shape.Servers([]string{server, one})
		if server != one && parts[server] == parts[one] {
			t.Fatalf("servers %q and %q are both %s", server, one, parts[server])
		}
		names := shape.Names(parts[server], []string{one, two})
		if one != two && names[one] == names[two] {
			t.Fatalf("tools %q and %q are both %s", one, two, names[one])
		}
		for raw, name := range names {
			if len(name) > shape.MaxName || !legalName.MatchString(name) {
				t.Fatalf("%q of %q is called %q", raw, server, name)
			}
			if part, _, ok := shape.Split(name); !ok || part != parts[server] {
				t.Fatalf("%q does not lead back to %q", name, parts[server])
			}
		}
		if diff := cmp.Diff(names, shape.Names(parts[server], []string{two, one})); diff != "" {
			t.Fatalf("another order, other names:\n%s", diff)
		}
	})
}
