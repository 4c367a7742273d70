package permission_test

import (
	"testing"

	"reasonix/core/permission"
)

// PM-04: the options that stand before the verb of git.
func TestPM04GitOptionsBeforeTheVerb(t *testing.T) {
	for _, c := range []struct {
		policy, command string
		want            permission.Decision
	}{
		{"deny Bash(git push:*); mode allow", "git -C /x push", deny},
		{"deny Bash(git push:*); mode allow", "git --no-pager push", deny},
		{"deny Bash(git push:*); mode allow", "git --no-pager -C x -c a.b=c push origin", deny},
		{"deny Bash(git push:*); mode allow", "git --git-dir=/x/.git push", deny},
		{"deny Bash(git push:*); mode allow", "git --git-dir /x/.git push", deny},
		{"deny Bash(git push:*); mode allow", "git --unknown value push", deny},
		{"deny Bash(git push*); mode allow", "git -C x push --force", deny},
		{"deny Bash(git push:*); mode allow", "git -C push status", allow},
		{"deny Bash(git push --force:*); mode allow", "git push origin --force", allow}, // a rule's words stand at the beginning
		{"deny Bash(git push --force:*); mode allow", "git push --force origin", deny},
		{"allow Bash(git status:*)", "git -C sub status", allow},
		{"allow Bash(git status:*)", "git --no-pager -c color.ui=never status", allow},
		{"allow Bash(git status:*)", "git -c core.pager=x status", ask},
		{"allow Bash(git *)", "git -c core.pager=x status", ask},
		{"allow Bash(git *)", "git -c user.name=me commit -m x", allow},
		{"allow Bash(git *)", "git --exec-path=/x status", ask},
		{"allow Bash(git *)", "git -c alias.x='!rm -r d' x", ask},
		{"allow Bash(git *); deny Bash(rm *)", "git -c alias.x='!rm -r d' x", deny},
		{"allow Bash(git *); deny Bash(git push:*)", "git -c alias.x=push x", deny},
		{"allow Bash(git *); deny Bash(git push:*)", "git -c ALIAS.x='push -f' x", deny},
		{"mode allow; deny Bash(git push:*)", "git --config-env=alias.x=X x", ask},
		{"mode allow; deny Bash(git push:*)", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x", ask},
		{"mode allow; deny Bash(rm:*)", "ssh host uptime '; rm x'", deny},
		{"mode allow; deny Bash(rm:*)", "ssh -p 22 host 'a;' rm x", deny},
		{"mode allow; deny Bash(rm:*)", "expect -c 'spawn rm x'", deny},
		{"allow Bash(git *)", "git rebase --exec 'rm d' main", ask},
		{"allow Bash(git *); deny Bash(rm *)", "git rebase --exec 'rm d' main", deny},
		{"allow Bash(git *); deny Bash(rm *)", "git rebase -x'rm d' main", deny},
		{"allow Bash(git *); deny Bash(rm *)", "git bisect run rm d", deny},
		{"allow Bash(git *); deny Bash(rm *)", "git submodule foreach 'rm d'", deny},
		{"allow Bash(git *)", "git rebase main", allow},
		{"allow Bash(git *)", "git grep -Ovi x", ask},
		{"allow Bash(git *)", "git fetch --upload-pack='sh -c x' origin", ask},
		{"allow Bash(git *)", "git clone ext::sh", ask},
		{"deny Bash(docker rm:*); mode allow", "docker --context x rm y", deny},
		{"deny Bash(npm publish:*); mode allow", "npm --prefix x publish", deny},
		{"deny Bash(docker rm:*); mode allow", "docker ps rm", allow},
	} {
		if got := policy(t, c.policy).Decide("bash", false, bash(c.command)); got != c.want {
			t.Errorf("[%s] %q: %v, want %v", c.policy, c.command, got, c.want)
		}
	}
}

func TestGitCommandsThatWriteAConfigurationAreReviewed(t *testing.T) {
	const here, any = "fresh /work/.git/config", "mode allow; allow Bash"
	for command, want := range map[string]string{
		"git config user.name me":                   here,
		"git config set user.name me":               here,
		"git config --add x.y z":                    here,
		"git config --unset x.y":                    here,
		"git config unset x.y":                      here,
		"git config --replace-all x.y z":            here,
		"git config --remove-section x":             here,
		"git config -e":                             here,
		"git config --local core.hooksPath /x":      here,
		"git config --type=bool x.y true":           here,
		"git config --type bool x.y true":           here,
		"git config $X":                             here,
		"git config --get user.name":                "allow",
		"git config user.name":                      "allow",
		"git config get user.name":                  "allow",
		"git config -l":                             "allow",
		"git config --list --show-origin":           "allow",
		"git config --get-regexp 'x.*'":             "allow",
		"git config --type bool x.y":                "allow",
		"git config --global user.name me":          "deny",
		"git config --global --get user.name":       "allow",
		"git config --system x.y z":                 "deny",
		"git config --file /etc/x a.b c":            "deny",
		"git config -f sub/x a.b c":                 "allow",
		"git config -f .git/config a.b c":           here,
		"git config -f $X a.b c":                    "ask",
		"git remote add o url":                      here,
		"git remote set-url o url":                  here,
		"git remote rename a b":                     here,
		"git remote remove a":                       here,
		"git remote -v":                             "allow",
		"git remote show o":                         "allow",
		"git push -u origin main":                   here,
		"git push --set-upstream origin main":       here,
		"git push origin main":                      "allow",
		"git branch -u origin/main":                 here,
		"git branch --set-upstream-to=origin/main":  here,
		"git branch --unset-upstream":               here,
		"git branch -m a b":                         here,
		"git branch x":                              "allow",
		"git branch x origin/x":                     here,
		"git branch -D x":                           "allow",
		"git checkout -b x":                         "allow",
		"git checkout -b x main":                    "allow",
		"git checkout -b x origin/x":                here,
		"git checkout -b x --no-track origin/x":     "allow",
		"git checkout --track origin/x":             here,
		"git checkout -t origin/x":                  here,
		"git switch -c x origin/x":                  here,
		"git switch x":                              "allow",
		"git submodule add url":                     here,
		"git submodule init":                        here,
		"git submodule sync":                        here,
		"git submodule deinit x":                    here,
		"git submodule update --init":               here,
		"git submodule update":                      "allow",
		"git sparse-checkout set x":                 here,
		"git sparse-checkout list":                  "allow",
		"git commit -m 'git config x'":              "allow",
		"git worktree add ../x":                     "allow",
		"git init":                                  "fresh /work/.git/config /work/.git/hooks",
		"git init sub":                              "allow",
		"git clone url .":                           "fresh /work/.git/config /work/.git/hooks",
		"git clone url sub":                         "allow",
		"git clone url":                             "allow",
		"git -C sub config a.b c":                   here, // the repository that is known
		"git -C /extra config a.b c":                "fresh /extra/.git/config",
		"cd sub && git config a.b c":                here,
		"cd /extra && git config a.b c":             "fresh /extra/.git/config",
		"cd /extra && git -C x config a.b c":        "fresh /extra/x/.git/config",
		"A=1 git config a.b c":                      here,
		"env git config a.b c":                      here,
		"sh -c 'git config a.b c'":                  here,
		"git --no-pager config a.b c":               here,
		"/usr/bin/git config a.b c":                 here,
		"git status && git config a.b c && git log": here,
	} {
		if got := places(t, any).Explain("bash", false, bash(command)); outcome(got) != want {
			t.Errorf("%q: %s, want %s (%s)", command, outcome(got), want, got.Why)
		}
	}
	p := places(t, any)
	p.Places.Protected = append(p.Places.Protected, "/home/me/.gitconfig")
	if got := p.Explain("bash", false, bash("git config --global a.b c")); outcome(got) != "fresh /home/me/.gitconfig" {
		t.Errorf("the user's own where it is protected: %s", outcome(got))
	}
	if got := places(t, "mode deny").Explain("bash", false, bash("git config a.b c")); outcome(got) != "deny" {
		t.Errorf("mode deny: %s", outcome(got))
	}
}
