package commands_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// SH-12: the file that a cut result names can be read by the tools of its
// session, and nothing else of <home> can.
func TestSH12TheFullOutputCanBeRead(t *testing.T) {
	path := regexp.MustCompile(`/\S+\.files/[0-9a-f]{64}`)
	v := newVictim(t, providertest.New(t))
	read := func(file string) providertest.Reply {
		args, err := json.Marshal(map[string]any{"path": file, "offset": 4444, "limit": 1})
		if err != nil {
			t.Fatal(err)
		}
		return providertest.Calls(providertest.Call{Name: "read_file", Arguments: string(args)})
	}
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		results := r.Results()
		switch {
		case len(results) == 0:
			return providertest.Calls(shell("seq 1 9000"))
		case path.MatchString(results[0]):
			return read(path.FindString(results[0]))
		case strings.Contains(results[0], "4444\t4444"):
			return read(filepath.Join(v.home, ".env"))
		}
		return providertest.Text(results[0])
	})
	out, err := v.command("run", "-p", "work").Output()
	if err != nil || !strings.Contains(string(out), "is neither read nor written here") {
		t.Errorf("%v\n%s", err, out)
	}
	if n := len(v.model.Requests()); n != 4 {
		t.Errorf("%d requests, want 4: the output, its file, the keys, the answer", n)
	}
}
