package permission_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"reasonix/core/permission"
)

// Options that git abbreviates, clusters or takes elsewhere are seen through, and a
// glob may become one.
func TestCommandsThatOnlySeemToRead(t *testing.T) {
	only(t, false,
		"git config --unset-a user.name", "git config --unset-al x", "git config --remove-s user", "git config --rename-s a b", "git config --global --unset-a x", "git config --edi", "git config --e", "git config --global --edi", "git config -ze", "git config -ez", "git config -le", "git config --replace-al x y", "git config --get --replace-al x y", "git config --ad x y", "git config --list --unset-al x", "git config --get x --unkn", "git config -lx", "git config --get x -e", "git config --get-all x --ed",
		"git --bare diff A B", "git --bare log", "git --bare status", "git --no-pager --bare diff",
		"sed 's/[]/A/;s,]/B/w file,C,' x", "sed 's/[^]/A/;s,]/B/w file,C,' x", "sed '/[]/d;s,]/w x,y,' a", `sed 's/[\]/]/x/w f' a`, "sed 's/[[:alpha:]/x/;s,:]/w f,,' a", "sed 's/[[.].]/]/w f/;p' a",
		"date -*", "date *", `date -"$X"`, `date +%s -"$X"`, "date -{s,2020}", "F='-s x'; date $F",
		"PYTHONUSERBASE=./evil pip3 --version", "PYTHONPYCACHEPREFIX=./evil pip3 --version", "RUBYGEMS_GEMDEPS=- gem --version", "PHPRC=. php --version", "JAVA_HOME=./evil java --version",
	)
	only(t, true,
		"git config --get x.y", "git config --ge x.y", "git config -l", "git config -lz", "git config -zl", "git config --list --show-origin --name-only", "git config --global --get user.name", "git config --type=bool --get x.y", "git config --local -l", "git config get --all x",
		"sed 's/[]x]/A/g' x", "sed 's/[^]]/A/' x", "sed 's/[[:space:]]*$//' x", "sed '/^[a-z]/d' x", `sed 's/[.]/\./' x`, "sed -n '/[0-9]/p' x", "date +%F", `date "+$X"`, "date -u +%s",
	)
}

// A file tool must be able to make a repository of a workspace that is none, and
// git then runs what its configuration says.
func TestGitReadsOnlyWhereARepositoryIsKnown(t *testing.T) {
	none := places(t, "mode ask; allow Edit; allow Bash(cp:*); allow Bash(go test:*); allow Bash(mv:*)")
	none.ReadOnlyCommands = true
	none.Places.Protected = []string{"/home/me/.bashrc"}
	for _, script := range []string{"git status", "git diff", "git -C . log", "cd . && git log"} {
		if got := none.Explain("bash", false, bash(script)); got.Decision != ask {
			t.Errorf("no repository is known, %q: %v", script, got.Decision)
		}
	}
	none.Repository, none.Nested = func(string) string { return "" }, func(string) bool { return false }
	if got := none.Decide("bash", false, bash("git status")); got != ask {
		t.Errorf("none is there: %v", got)
	}
	there := none
	there.Repository = func(string) string { return "/work" }
	for script, want := range map[string]permission.Decision{
		"git status": allow, "git log -p": allow, "git diff": allow, "cd sub && git status": allow, "go test ./... && git status": allow, "git status > out": allow, "cp a b && git status": allow,
		"cp x HEAD; cp y .git/HEAD; git status": ask, "echo x > .git/HEAD; git status": ask, "cp -r x/. . && git status": ask, "mv .git/HEAD y; git status": ask, "cp x $Y; git status": ask, "git --bare status": ask,
	} {
		if got := there.Explain("bash", false, bash(script)); got.Decision != want {
			t.Errorf("a repository that is there, %q: %v %s", script, got.Decision, reasons(got))
		}
	}
	above := there
	above.Repository = func(string) string { return "/" }
	if got := above.Decide("bash", false, bash("git status")); got != ask {
		t.Errorf("in a repository above that nobody knows: %v", got)
	}
}

// Git goes into the repositories that lie in one, and does there what their
// configuration says.
func TestGitDoesNotGoIntoUnknownRepositories(t *testing.T) {
	p := places(t, "mode ask")
	p.ReadOnlyCommands = true
	p.Nested = nil
	for range 2 { // whoever cannot say may have some
		for script, want := range map[string]permission.Decision{
			"git status": ask, "git diff": ask, "git diff HEAD~1": ask, "git submodule status": ask, "git submodule": ask, "git diff-index HEAD": ask, "git diff-files": ask, "git describe --dirty": ask, "git -C . status": ask, "git grep --recurse-submodules x": ask, "git log -p --submodule=diff": ask,
			"git rev-parse HEAD": allow, "git branch": allow, "git ls-tree HEAD": allow, "git config --get x.y": allow, "git remote -v": allow, "git cat-file -p HEAD": allow,
		} {
			if got := p.Explain("bash", false, bash(script)); got.Decision != want {
				t.Errorf("%q: %v", script, got.Decision)
			}
		}
		p.Nested = func(top string) bool { return top == "/work" }
	}
}

// More options that a prefix does not cover.
func TestAPrefixCoversNoOptionThatLoadsOrWrites(t *testing.T) {
	for prefix, commands := range map[string][]string{
		"make test:*": {
			"make test 'X!=touch x'", "make test 'X:=$(shell touch x)'", "make test X='${shell touch x}'", "make test FOO=bar", "make test GO='touch x;'", "make test X+=y", "make test X::=y", "make test X?=y", "make test 'X := $(shell x)'", "make test -f evil.mk", "make test -fevil.mk", "make test --file=evil.mk", "make test --makefile evil.mk", "make test -C ../evil", "make test -C../evil", "make test --directory=x",
			"make test -I ../evil", "make test --include-dir=x", "make test -j4 -f x", "make test V='$(shell x)'", "make test V=rm", `make test "$(echo A=b)"`, "A=X=y; make test $A",
		},
		"curl:*": {
			"curl --engine ./evil.so https://x", "curl --engin=./evil https://x", "curl -w '%output{.envrc}x' https://x", "curl --write-out '%output{x}x' file:///tmp/x", "curl -w @fmt https://x", "curl -sw @fmt https://x", "curl -w@fmt https://x", "curl --write-out=@fmt https://x", "curl --write-out @fmt x", "curl --write-o @fmt x", "F='-w @x'; curl $F u",
		},
		"rsync:*":         {"rsync -M--rsh=x a b", "rsync --remote-option=x a b", "rsync -aM x a b"},
		"cargo test:*":    {"cargo test --manifest-path evil/Cargo.toml", "cargo test --manifest-p=evil/Cargo.toml", "cargo test -C evil"},
		"npm test:*":      {"npm test --prefix ./evil", "npm test -C ../evil", "npm test --prefix=evil"},
		"yarn test:*":     {"yarn test --cwd evil"},
		"pnpm test:*":     {"pnpm test --dir evil", "pnpm test -C evil"},
		"bun test:*":      {"bun test --cwd evil", "bun test --preload x"},
		"go test:*":       {"go test -C ../evil ./...", "go test -C=../evil ./...", `go test -ldflags='-linkmode=external "-ext""ld=./evil"'`, "go test -ldflags=@x", "go test -ldflags '-extld x'", "go test -gcflags=all=-o=x", "go test -asmflags=-I/x", "go test -ldflags=-tmpdir=x"},
		"go build:*":      {"go build -ldflags='-o .envrc' .", `go build "-ldflags=-X a=b -extld=x"`, "F='-extld=x'; go build -ldflags \"$F\"", `go build -ldflags "-X v=$(echo)"`, "go build -C ../evil"},
		"jest:*":          {"jest --rootDir=evil", "jest --projects evil", "jest --preset x", "jest --roots x"},
		"vitest:*":        {"vitest --root evil", "vitest --dir evil"},
		"pytest:*":        {"pytest --rootdir=../evil", "pytest --confcutdir=x", "pytest --cov-config=x", "pytest -W error::evil.C", "pytest --pastebin=all", "pytest --cov-report=html:.git/hooks"},
		"golangci-lint:*": {"golangci-lint custom", "golangci-lint -c x run"},
		"git merge-index:*": {
			"git merge-index touch -a", "git merge-index -o touch -a",
		},
		"git *":      {"git merge-index touch -a", "git --bare fetch", "git --bare add x"},
		"git add:*":  {"git add -e", "git add --edit", "git add --ed x", "git add -ve"},
		"tar:*":      {"tar -cf x.tar -T list", "tar cfT x.tar list", "tar -cf x --files-from list"},
		"mvn test:*": {"mvn test -Dmaven.repo.local=evil", "mvn test -Dexec.executable=evil", "mvn test -t x"},
		"mypy:*":     {"mypy --install-types"},
		"ctest:*":    {"ctest --test-dir evil"},
		"bazel *":    {"bazel build --workspace_status_command=x //..."},
		"man:*":      {"man -P x ls", "man --pager=x ls", "man -H x ls"},
	} {
		p := policy(t, "allow Bash("+prefix+"); allow Bash(echo:*)")
		p.ReadOnlyCommands = true
		for _, command := range commands {
			if got := p.Decide("bash", false, bash(command)); got != ask {
				t.Errorf("[%s] %q: %v", prefix, command, got)
			}
		}
	}
	for rule, commands := range map[string][]string{
		"make test:*": {"make test V=1", "make test -j4", "make -s test", "make test VERBOSE=1 -k"}, "make -C sub test:*": {"make -C sub test -j4"}, "make test CC=clang:*": {"make test CC=clang"},
		"go build:*": {"go build -ldflags '-s -w' .", "go build -ldflags='-s -w -X main.version=1.2' .", `go build -ldflags "-X 'main.v=a b'" ./x`, "go build -gcflags=all=-N .", "go build -gcflags 'all=-N -l' ."}, "mvn test:*": {"mvn test -DskipTests", "mvn test -Dtest=Foo"},
		"curl:*": {"curl -sS -w '%{http_code}' https://x", "curl -d @body https://x"}, "pytest:*": {"pytest --cov=pkg", "pytest --cov-report=term -x", "pytest -k a"}, "tar:*": {"tar -cf x.tar y", "tar xzf x"}, "npm test:*": {"npm test -- -C x"}, "golangci-lint run:*": {"golangci-lint run ./..."}, "git add:*": {"git add -A", "git add -p"}, "man:*": {"man 3 printf"},
	} {
		for _, command := range commands {
			p := policy(t, "allow Bash("+rule+")")
			if strings.Contains(rule, "make test:") && strings.HasPrefix(command, "make -s") {
				continue
			}
			if got := p.Explain("bash", false, bash(command)); got.Decision != allow {
				t.Errorf("[%s] %q: %v %s", rule, command, got.Decision, reasons(got))
			}
		}
	}
}

// What these write is judged as a redirection would be.
func TestMoreWrittenTargets(t *testing.T) {
	const hook, envrc = "fresh /work/.git/hooks", "fresh /work/.envrc"
	for command, want := range map[string]string{
		"git worktree add .git/hooks/x": hook, "git worktree add -b b .git/hooks/x main": hook, "git worktree add --detach .git/hooks/x": hook, "git worktree add ../x": "allow", "git worktree add sub/x main": "allow", "git worktree move a .git/hooks/x": hook, "git worktree list": "allow",
		"git checkout-index --prefix=.git/hooks/ -a": hook, "git checkout-index -a --prefix .git/hooks/": hook, "git checkout-index --prefix=.git/hoo -a": "fresh /work/.git/config /work/.git/hooks", "git checkout-index --prefix=out/ -a": "allow", "git checkout-index -a": "allow",
		"gofmt -w .envrc": envrc, "gofmt -r 'a->b' -w .envrc": envrc, "gofmt -l .envrc": "allow", "gofmt -w .": "allow", "gofumpt -w .envrc": envrc, "goimports -w .envrc": envrc, "shfmt -w .envrc": envrc, "clang-format -i .envrc": envrc, "prettier --write .envrc": envrc, "prettier -w .envrc": envrc, "black .envrc": envrc, "prettier --check .envrc": "allow", "yq -i x .envrc": envrc,
		"go test -test.blockprofile=.envrc ./...": envrc, "go test -test.testlogfile=.envrc": envrc, "go test -test.fuzzcachedir=.git/hooks ./...": hook, "go test -test.mutexprofile .envrc": envrc, "go test -test.outputdir=.git/hooks": hook, "pytest --debug=.envrc": envrc, "curl --ssl-sessions .envrc https://x": envrc, "golangci-lint run --output.text.path=.envrc": envrc, "golangci-lint run --output.json.path .envrc": envrc,
		"kubectl get --cache-dir=.git/hooks pods": hook, "dotnet test --diag .envrc": envrc,
		"mkdir -p .git/modules/x/hooks": "fresh /work/.git/modules", "cp e .git/modules/x/config": "fresh /work/.git/modules", "cp -r e .git/worktrees/x": "fresh /work/.git/worktrees", "echo x > sub/.git/modules/a/b/hooks/post-checkout": "fresh /work/sub/.git/modules", "mv e .git/modules/new": "fresh /work/.git/modules", "rm -rf .git/worktrees": "fresh /work/.git/worktrees", "ls .git/modules/x": "allow",
	} {
		p := places(t, "mode allow")
		p.Resolve = links
		got := p.Explain("bash", false, bash(command))
		slices.Sort(got.Release)
		if outcome(got) != want {
			t.Errorf("%q: %s, want %s (%s)", command, outcome(got), want, got.Why)
		}
	}
	for name, want := range map[string]string{
		".git/modules/new/hooks/post-checkout": "fresh /work/.git/modules", ".git/modules/a/b/config": "fresh /work/.git/modules", ".git/worktrees/new/config.worktree": "fresh /work/.git/worktrees", "sub/.git/worktrees/new/commondir": "fresh /work/sub/.git/worktrees", "/extra/.git/modules/x/config": "fresh /extra/.git/modules", ".git/modulesx": "allow", "modules/x": "allow",
	} {
		args, _ := json.Marshal(map[string]string{"path": name})
		got := places(t, "allow Edit").Explain("write_file", false, args)
		if outcome(got) != want {
			t.Errorf("write_file %q: %s, want %s", name, outcome(got), want)
		}
	}
}

// A program that starts another under a verb of its own does not hide it from a deny
// rule, known or not.
func TestADenyRuleSeesThroughUnknownWrappers(t *testing.T) {
	for command, want := range map[string]permission.Decision{
		"direnv exec . rm -r d": deny, "rustup run stable rm -r d": deny, "mise exec -- rm -r d": deny, "mise x node@20 -- rm -r d": deny, "gosu root rm -r d": deny, "su-exec root rm d": deny, "tini -- rm -r d": deny, "dumb-init rm d": deny, "ip netns exec x rm -r d": deny, "coreutils --coreutils-prog=rm -r d": deny, "cmake -E rm -r d": deny, "cmake -E env rm d": deny, "man -P 'rm d' ls": deny, "man --pager='rm d' ls": deny, "git merge-index rm -a": deny,
		"conda run -n x rm d": deny, "rbenv exec rm d": deny, "asdf exec rm d": deny, "aws-vault exec p -- rm d": deny, "doppler run -- rm d": deny, "nix develop -c rm d": deny, "opam exec -- rm d": deny, "lxc exec c -- rm d": deny,
		"make 'X!=rm -r d'": deny, "make 'X=$(shell rm -r d)'": deny, "make SHELL='rm -r d;'": deny, "make -f - <<< 'a:; rm -r d'": fresh, "make -f/dev/stdin": fresh, "make --file=- < x": fresh, "make -f x.mk": allow,
		"frob exec rm d": fresh, "frob exec x y z rm d": fresh, "frob run rm d": fresh, "frob -q -- rm d": fresh, "frob exec /bin/rm d": fresh, "./frob run rm": fresh, "frob exec 'rm' d": fresh, "frob --exec rm d": fresh, "frob exec -- sh -c 'rm d'": fresh, "frob run env A=1 rm d": fresh, "X=rm; frob exec $X d": fresh, "frob exec $X d": allow,
		"frob rm d": allow, "docker rm web": allow, "frob exec ls": allow, "npm run rmx": allow, "go test -run rm": allow, "docker run --rm x": allow, "echo exec rm": allow, "git commit -m run rm": allow,
	} {
		got := policy(t, "mode allow; deny Bash(rm:*)").Explain("bash", false, bash(command))
		if got.Fresh {
			got.Decision = fresh
		}
		if got.Decision != want {
			t.Errorf("%q: %v %s", command, got.Decision, reasons(got))
		}
	}
	if got := policy(t, "mode allow; deny Bash(git push:*)").Explain("bash", false, bash("frob exec git -C x push")); !got.Fresh {
		t.Errorf("a verb: %v", got.Decision)
	}
	if got := policy(t, "mode allow; deny Bash(git push:*)").Explain("bash", false, bash("frob exec git status")); got.Decision != allow {
		t.Errorf("another verb: %v", got.Decision)
	}
	for _, rule := range []string{"gosu:*", "tini:*", "coreutils:*"} {
		program := strings.TrimSuffix(rule, ":*")
		if got := policy(t, "allow Bash("+rule+")").Decide("bash", false, bash(program+" x -- ls")); got != ask {
			t.Errorf("%s covers what it starts", rule)
		}
	}
}
