package sandboxtest

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"reasonix/sandbox"
)

// work is what a confined command is to be able to do.
var work = []struct {
	name   string
	needs  string // a program without which the machine cannot show it
	script string
}{
	{"write in the workspace", "", `echo x >new; mkdir d; mv new d/; rm -r d; echo x >>main.txt; chmod 700 main.txt; touch -d 2001-01-01 main.txt`},
	{"write in the temporary directory", "", `f=$(mktemp); echo x >"$f"; [ -s "$f" ]; mkfifo "$TMPDIR/p"`},
	{"move between directories", "", `mkdir a b; echo x >a/f; mv a/f b/; ln b/f a/f; cp -r b c; mv sub/a.txt c/`},
	{"read elsewhere", "", `[ "$(cat "$O/file")" = outside ]; [ -e "$H/config.toml" ]; cat "$H/config.toml" out/file >/dev/null`},
	{"readable below hidden", "", `[ "$(cat "$H/projects/s/full-output/1.txt")" = "full output" ]`},
	{"list above hidden", "", `ls / "$B" "$H" .. >/dev/null`},
	{"devices", "", `echo x >/dev/null; head -c 4 /dev/urandom | wc -c | grep -q 4; head -c 1 /dev/zero >/dev/null`},
	{"processes of its own", "", `sleep 99 & kill $!; ! wait $!; (exit 3) || [ $? = 3 ]; cat /proc/self/status >/dev/null; ps >/dev/null 2>&1 || true`},
	{"pipes and here-documents", "", "cat <<E | grep -q b\na\nb\nE\n"},
	{"read protected files", "", `cat .git/config .git/hooks/mine reasonix.toml .reasonix/commands/a.md >/dev/null`},
	{"git", "git", `cd "$TMPDIR"; git init -q r; cd r; git config user.name n; git config user.email e; echo x >f; git add f; git commit -qm m; git log --oneline | grep -q m`},
	{
		"git in the workspace", "git",
		`echo x >f; git add f; git -c user.name=n -c user.email=e commit -qm m; git checkout -qb other; git gc -q; git status --short >/dev/null; git log --oneline | grep -q m`,
	},
	{
		"go build", "go",
		`export GOCACHE="$TMPDIR/cache" GOPATH="$TMPDIR/go" GOTOOLCHAIN=local GOFLAGS=-mod=mod GOTELEMETRY=off
mkdir p; cd p; printf 'module example.com/p\n\ngo 1.21\n' >go.mod; printf 'package p\n\nfunc F() int { return 1 }\n' >p.go; go build ./...; [ -d "$GOCACHE" ]`,
	},
	{
		"npm install of a local package", "npm",
		`mkdir dep app; printf '{"name":"dep","version":"1.0.0"}' >dep/package.json; cd app; printf '{"name":"app","version":"1.0.0"}' >package.json
npm install --offline --no-audit --no-fund ../dep >/dev/null; [ -e node_modules/dep/package.json ]`,
	},
	{"python", "python3", `python3 -c 'import os, tempfile, subprocess; tempfile.NamedTemporaryFile().write(b"x"); subprocess.run(["true"], check=True)'`},
}

func ordinaryWork(t *testing.T, r sandbox.Runner) {
	t.Run("ordinary", func(t *testing.T) { doWork(t, r) })
}

func doWork(t *testing.T, r sandbox.Runner) {
	for _, w := range work {
		if _, err := exec.LookPath(w.needs); w.needs != "" && err != nil {
			continue
		}
		for _, network := range []bool{true, false} {
			name := w.name
			switch {
			case !network:
				name += " without network"
			case w.needs != "" || raced: // to do it without is harder, and it takes its time
				continue
			}
			t.Run("work/"+name, func(t *testing.T) {
				t.Parallel()
				g := newGround(t)
				var out bytes.Buffer
				cmd := g.cmd(t, "set -e\n"+w.script, &out)
				cmd.Network = network
				// Landlock creates nothing in the directories above a hidden one.
				cmd.Hidden = slices.DeleteFunc(cmd.Hidden, func(path string) bool { return strings.HasPrefix(path, cmd.Dir) })
				exit := mustRun(t, r, cmd)
				if exit.Code != 0 || len(exit.Restored) > 0 {
					t.Errorf("got %+v:\n%s", exit, out.String())
				}
				if found := g.evidence(t, out.String()); len(found) > 0 {
					t.Errorf("it is no ordinary work: %s", strings.Join(found, "\n  "))
				}
			})
		}
	}
}
