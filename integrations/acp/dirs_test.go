package acp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/protocol"
	"reasonix/integrations/acp"
)

// The directories of the flags are for new sessions. Those of a client are for whatever
// it opens.
func TestFurtherDirectoriesAreOfTheFlagsForNewSessionsOnly(t *testing.T) {
	flag, asked, dir := t.TempDir(), t.TempDir(), t.TempDir()
	host := &seeing{}
	s := serveWith(t, &host.Fake, protocol.Host{Opener: host, Library: host}, acp.Options{Spec: protocol.Spec{AddDirs: []string{flag}}})
	id := s.open(dir)
	params := object{"cwd": dir, "sessionId": id, "mcpServers": []any{}, "additionalDirectories": []string{asked}}
	for method, want := range map[string][]string{
		"session/new": {flag, asked}, "session/load": {asked}, "session/resume": {asked}, "_reasonix.io/session/fork": {asked},
	} {
		s.call("session/close", object{"sessionId": id})
		if m := s.call(method, params); m.Error != nil {
			t.Fatalf("%s: %s", method, m.raw)
		}
		if diff := cmp.Diff(host.specs[len(host.specs)-1].AddDirs, want); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
	}
}
