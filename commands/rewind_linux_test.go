package commands_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
)

// Whatever a command does to a workspace is taken back and brought again, or named. The
// commands run in a fresh workspace that setup made.
func TestRewindOfEveryKindOfChange(t *testing.T) {
	for name, c := range map[string]struct {
		setup, command string
		kept           []string // ends of paths that stay
	}{
		"names that are no text": {
			"printf a > $'caf\\xe9'; printf b > $'gone\\xff'; mkdir $'d\\xfe'; printf c > $'d\\xfe/in'",
			"printf x > $'caf\\xe9'; rm $'gone\\xff'; printf new > $'new\\xfd'; rm -r $'d\\xfe'", nil,
		},
		"a directory becomes a file": {"mkdir -p d/e; echo 1 > d/a; echo 2 > d/e/b; chmod 711 d/e", "rm -r d; echo file > d", nil},
		"a file becomes a directory": {"echo 1 > f; chmod 755 f", "rm f; mkdir -m 700 f; echo in > f/in", nil},
		"a directory becomes a link": {"mkdir d other; echo 1 > d/a; echo 2 > other/a", "rm -r d; ln -s other d; echo 3 > other/b", nil},
		"a link becomes a file":      {"echo 1 > a; ln -s a l", "rm l; echo 2 > l", nil},
		"a link becomes a directory": {"mkdir d; echo 1 > d/a; ln -s d l", "rm l; mkdir l; echo 2 > l/a", nil},
		"a dangling link moves":      {"ln -s nowhere l", "ln -sfn elsewhere l", nil},
		"mode bits alone":            {"echo 1 > a; chmod 640 a; mkdir d; chmod 750 d", "chmod 4755 a; chmod 1777 d", nil},
		"moved with its directory":   {"mkdir -p d/e; echo 1 > d/e/a", "mv d n; echo 2 >> n/e/a", nil},
		"two names change places":    {"echo 1 > a; echo 2 > b", "mv a t; mv b a; mv t b", nil},
		"empty files and directories": {
			": > a; mkdir d", "echo 1 > a; rmdir d; : > new; mkdir -p x/y", nil,
		},
		"the same content in a new file": {"echo 1 > a", "cp a b; rm a; cp b c", nil},
		"odd names": {
			"echo 1 > 'a b'; echo 2 > '-rf'; echo 3 > $'new\\nline'; echo 4 > 'quote\"'; echo 5 > 'back\\slash'",
			"for f in *; do echo x >> ./\"$f\"; done; echo n > $'tab\\t'", nil,
		},
		"too large to keep": {
			"head -c 5000000 /dev/zero > big; head -c 5000000 /dev/zero > gone; echo 1 > a",
			"echo more >> big; rm gone; head -c 6000000 /dev/zero > made; echo 2 > a",
			[]string{"/big", "/gone", "/made"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, providertest.New(t))
			v.shell(c.setup)
			begun := v.files()
			v.model.Add(providertest.Calls(shell(c.command)), providertest.Text("done"))
			_, client := v.open(protocol.Spec{})
			client.Say("go")
			for _, f := range protocoltest.Payloads[event.ToolFinished](client.Durable()) {
				if f.Status != event.StatusOK {
					t.Fatalf("%+v", f)
				}
			}
			changed := v.files()
			done := rewind(t, client, protocol.Rewind{To: users(client)[0], Conversation: true, Files: true})
			kept := map[string]bool{}
			for _, k := range done.Kept {
				kept[k.Path] = true
			}
			for _, end := range c.kept {
				path := filepath.ToSlash(v.workspace) + end
				if !kept[path] {
					t.Errorf("%s is not named: %+v", end, done.Kept)
				}
				delete(kept, path)
				delete(begun, strings.TrimPrefix(end, "/"))
				if text, ok := changed[strings.TrimPrefix(end, "/")]; ok {
					begun[strings.TrimPrefix(end, "/")] = text
				}
			}
			if len(kept) > 0 {
				t.Errorf("kept %+v", done.Kept)
			}
			v.same("taken back", begun)
			rewind(t, client, protocol.Rewind{To: done.Was, Conversation: true, Files: true})
			v.same("brought again", changed)
		})
	}
}

// shell runs bash in the workspace, as the user does.
func (v *victim) shell(script string) {
	v.t.Helper()
	cmd := v.command()
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", script}
	cmd.Env = os.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		v.t.Fatalf("%v\n%s", err, out)
	}
}

// Two sessions work in one directory. Each takes back its own, and what the other one
// changed since is named and stays.
func TestRewindBesideAnotherSession(t *testing.T) {
	v := newVictim(t, providertest.New(t))
	v.shell("echo 1 > both; echo 1 > first; echo 1 > second")
	v.model.Add(
		providertest.Calls(shell("echo by the first > both; echo by the first > first")), providertest.Text("done"),
		providertest.Calls(shell("echo by the second > both; echo by the second > second")), providertest.Text("done"),
	)
	_, one := v.open(protocol.Spec{})
	one.Say("go")
	_, two := v.open(protocol.Spec{})
	sayAs(t, two, "two")
	read := func() string {
		return string(v.read("both")) + string(v.read("first")) + string(v.read("second"))
	}
	done := rewind(t, one, protocol.Rewind{To: users(one)[0], Conversation: true, Files: true})
	if got := read(); got != "by the second\n1\nby the second\n" || len(done.Kept) != 1 || !strings.HasSuffix(done.Kept[0].Path, "/both") {
		t.Errorf("the first: %q, kept %+v", got, done.Kept)
	}
	done = rewind(t, two, protocol.Rewind{To: users(two)[0], Conversation: true, Files: true})
	if got := read(); got != "by the first\n1\n1\n" || len(done.Kept) != 0 {
		t.Errorf("the second: %q, kept %+v", got, done.Kept)
	}
}
