package permission_test

import (
	"strings"
	"testing"

	"reasonix/core/permission"
)

// Of git, the verb of a verb is the word behind it, or it may be the value of an
// option.
func TestAWordElsewhereIsNoVerb(t *testing.T) {
	only(t, false,
		"git stash -m list", "git stash --message list", "git stash -- list", "git stash -u -- show", "git stash -p list", "git worktree -x list", "git notes -f list", "git notes --ref x list", "git submodule --quiet status", "git remote -v get-url x", "git reflog --expire=now show", "git symbolic-ref -m x HEAD", "git tag -m x list", "git stash push list", "git stash",
	)
	only(t, true, "git stash list", "git stash show -p", "git worktree list", "git notes list", "git submodule status", "git remote get-url x", "git reflog show", "git remote -v")
}

// A directory below the workspace may be a repository with a configuration of its
// own, which starts programs.
func TestGitReadsOnlyAtTheTopOfAKnownRepository(t *testing.T) {
	only(t, false,
		"cd x && git status", "git -C x status", "cd sub3; git log", "git -C x/.. -C y diff", "cd x || true; git status", "cd $X && git status", "git -C $X status", "(cd x; git status)", "git -C ../other log", "pushd x; git log", "timeout 5 git -C x status", "cd /extra && git log", "find . -name x -execdir git status ;", "bash -c 'cd x; git status'",
	)
	only(t, true, "git status", "git -C . status", "git -C /work log", "cd x/.. && git status", "cd x && cd .. && git diff", "(cd x; ls); git status", "cd /repo && git log")
}

// What a glob reaches of secrets counts as if it were named, and words behind -C
// count from there.
func TestAGlobOfDirectoriesReachesSecrets(t *testing.T) {
	only(t, false,
		"grep -r KEY ../*", "cd .. && grep -R KEY *", "rg KEY ../h*", "rg KEY /*/me", "diff -r ../h* sub", "git -C sub diff ../../home/me/.ssh/id /dev/null", "git -C sub diff --no-index ../secret.txt a", "git grep --no-index -e KEY ..", "git -C .. grep --no-index KEY", "cat ~/.ssh/id", "cat ../h*/me/.ssh/id", `jq -n 'import "config" as $x {search:"/home/me/.docker"}; $x'`,
	)
	only(t, true, "grep -r KEY sub", "rg KEY sub/*", "diff -r sub other", "cat sub/*.go", "ls ../*")
	p := places(t, "mode ask")
	p.ReadOnlyCommands, p.Home = true, ""
	for _, script := range []string{"cat ~/.ssh/id", "cat $HOME/.netrc", "cd ~ && cat .netrc", "cd && cat .netrc"} {
		if got := p.Decide("bash", false, bash(script)); got == allow {
			t.Errorf("without a home %q is allowed", script)
		}
	}
}

// only checks whether commands count as ones that only read.
func only(t *testing.T, want bool, scripts ...string) {
	t.Helper()
	p := places(t, "mode ask")
	p.ReadOnlyCommands = true
	p.Places.Protected = append(p.Places.Protected, "/repo/.git")
	for _, script := range scripts {
		got := p.Explain("bash", false, bash(script))
		if (got.Decision == allow) != want {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
}

// A directory that is no repository of its own is in the one above, as long as nothing
// in the script can have changed that.
func TestGitReadsBelowAKnownRepository(t *testing.T) {
	p := places(t, "mode ask; allow Bash(cp:*); allow Edit(**); allow Bash(go test:*)")
	p.ReadOnlyCommands = true
	p.Places.Protected = append(p.Places.Protected, "/repo/.git")
	p.Resolve = func(name string) string {
		return strings.Replace(name, "/work/link", "/work/bare/in", 1)
	}
	p.Repository = func(dir string) string {
		for _, known := range []struct{ dir, top string }{
			{"/work/bare", ""}, {"/work/link", ""}, {"/work/module", "/work/module"}, {"/work/new", ""}, {"/work", "/work"}, {"/repo", "/repo"}, {"/elsewhere", "/elsewhere"},
		} {
			if dir == known.dir || strings.HasPrefix(dir, known.dir+"/") {
				return known.top
			}
		}
		return ""
	}
	for script, want := range map[string]permission.Decision{
		"cd sub && git status": allow, "git -C sub log --oneline": allow, "cd a/b; git diff; cd c; git log": allow, "(cd sub; git status) | head": allow, "pushd sub; git log": allow,
		"cd sub && git log 2>/dev/null": allow, "cd /repo/x && git status": allow, "cd sub && git -C .. status": allow, "bash -c 'cd sub; git status'": allow, "X=1; cd sub && git grep x": allow,
		"git -C ../work/sub status": allow, "cd a && cd .. && git log": allow, "cd a; cd ..; git log": ask,
		"cd module && git status": ask, "cd bare && git status": ask, "cd bare/in && git log": ask, "git -C bare/in log": ask, "cd new && git status": ask, "cd link && git status": ask,
		"cd /elsewhere && git log": ask, "cd $X && git status": ask, "git -C link/.. status": ask, "cd link && git -C .. status": ask, "git -C sub/../bare status": ask, "git -C link/../.. log": ask,
		"cp -r x sub && cd sub && git status": ask, "cd sub && git log > HEAD": ask, "cd sub && git log > x && git status": ask, "cd sub && git commit -m x": ask,
		"cd sub && git status; cp HEAD x": ask, "cd sub && git log --output=x": ask, "cd sub && git -c core.fsmonitor=x status": ask, "cd sub && GIT_DIR=x git status": ask,
	} {
		if got := p.Explain("bash", false, bash(script)); got.Decision != want {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
	p.Repository = nil
	if got := p.Decide("bash", false, bash("cd sub && git status")); got != ask {
		t.Errorf("without knowing: %v", got)
	}
}
