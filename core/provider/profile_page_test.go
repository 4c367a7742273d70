package provider_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/provider"
)

var update = flag.Bool("update", false, "write the table of docs/providers.md")

const page = "../../docs/providers.md"

// TestProvidersPage fails when the table of docs/providers.md is not what the
// profiles say.
func TestProvidersPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	const begin, end = "-update -->\n", "<!-- end -->"
	head, rest, ok := strings.Cut(string(text), begin)
	got, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has no place for the table")
	}
	want := "\n" + profileTables() + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/providers.md is stale; run go test ./core/provider -run TestProvidersPage -update\n%s", diff)
	}
}

func profileTables() string {
	all := append(provider.Profiles(), provider.Generic())
	code := func(words []string, none string) string {
		if len(words) == 0 {
			return none
		}
		return "`" + strings.Join(words, "`, `") + "`"
	}
	var b strings.Builder
	b.WriteString("Where it is, and what is sent:\n\n| profile | base_url | key | known by | protocol | output limit | not sent | call ids |\n|---|---|---|---|---|---|---|---|\n")
	for _, p := range all {
		one := func(s string) []string { return strings.Fields(s) }
		fmt.Fprintf(&b, "| %s | %s | %s | %s | `%s` | `%s` | %s | %s |\n", p.Name, code(one(p.BaseURL), ""), code(one(p.KeyEnv), "none"),
			code(p.Hosts, "nothing else fits"), p.Protocol, p.LimitName, code(p.Drop, ""), p.CallIDs)
	}
	b.WriteString("\nWhat comes:\n\n| profile | reasoning in | sent back | token counts in | cache hits in | known oddities |\n|---|---|---|---|---|---|\n")
	for _, p := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", p.Name, code(p.Reasoning, "not shown"), p.Replay, p.Usage,
			code(p.Cache, "not counted"), strings.Join(p.Quirks, "; "))
	}
	return b.String()
}
