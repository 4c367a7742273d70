package permission_test

import (
	"slices"
	"strings"
	"testing"

	"reasonix/core/permission"
)

func TestCommandsThatOnlyReadDoNotAsk(t *testing.T) {
	p := places(t, "ask Bash(git push:*)")
	p.ReadOnlyCommands = true
	for _, command := range []string{
		"ls", "ls -la src", "ls *.go", "cat a b", "cat < a", "head -n 20 a", "tail -f a", "wc -l a", "pwd", "echo $HOME", `printf '%s\n' "$X"`, "true", ":",
		"cd sub", "cd sub && ls", "cd .. ; pwd", "which go", "command -v go", "type ls", "whoami", "uname -a", "date", "date +%s", "date -u", "sleep 1",
		"git status", "git status --short", "git -C . status", "cd /work && git log", "git --no-pager log --oneline -5", "git diff", "git diff --stat HEAD~1", "git show HEAD:a", "git log --format=%H -- a",
		"git branch", "git branch -a", "git branch --list 'x*'", "git branch --show-current", "git branch --contains HEAD", "git tag", "git tag -l 'v*'", "git remote -v", "git remote get-url origin",
		"git stash list", "git stash show -p", "git worktree list", "git rev-parse --show-toplevel", "git rev-list --count HEAD", "git blame a", "git config --get x.y", "git config -l", "git reflog", "git reflog -5",
		"git ls-files", "git cat-file -p HEAD", "git grep -n x sub", "git describe --tags", "git symbolic-ref --short HEAD", "git --version", "git submodule status",
		"grep -n x a", "rg x src", "rg -n 'a b' sub", "find . -name '*.go' -type f", "find . -maxdepth 2", "sort a", "sort -u a | uniq -c | sort -rn", "uniq a", "cut -d: -f1 a", "tr a b",
		"sed -n 1,5p a", "sed -n '/x/p' a", "sed 's/a/b/g' a", "sed -e 's|a|b|' -e '$d' a", "sed -n '1p;5p' a", "sed -n '/a/,/b/p' a", "stat a", "file a", "du -sh .", "df -h", "tree -L 2", "diff a b", "diff -u a b", "jq .x a", "jq -r '.a[]' a",
		"basename a/b", "dirname $X", "realpath a", "readlink -f a", "[ -f a ]", "test -d a && ls a", `[ "$X" = y ] && echo y`, "[ $X -eq 1 ] && echo y", "node --version", "go version", "go env GOPATH", "go doc fmt", "md5sum a", "ps -ef", "ps aux", "hostname -f",
		"ls | wc -l", "for f in a b; do echo $f; done", "if [ -f a ]; then cat a; fi", "X=1; echo $X", "export LANG=C && ls", "LANG=C ls", "timeout 5 ls", "nohup ls", "time ls", "ls 2>/dev/null", "ls 2>&1 | head", "bash -c 'ls && pwd'", "set -euo pipefail; ls", "cat <<'E'\nx\nE", "echo a | xargs echo",
		`cat "$PWD/a"`, "cat ~/notes.txt", "exit 1", "ls; exit", "while true; do date; sleep 1; break; done", "( ls )", "! ls", "ls & wait", "echo $(pwd)", "echo `date`",
	} {
		got := p.Explain("bash", false, bash(command))
		if got.Decision != allow || got.Source != permission.OnlyReads || got.Explicit {
			t.Errorf("%q: %v by %q: %+v", command, got.Decision, got.Source, got.Parts)
		}
	}
}

func TestCommandsThatMayWriteAskStill(t *testing.T) {
	p := places(t, "ask Bash(git push:*)")
	p.ReadOnlyCommands = true
	for _, command := range []string{
		"find . -delete", "find . -exec ls {} +", "find . -execdir ls ';'", "find . -ok ls ';'", "find . -fprint x", "find . -fprintf x %p", "find . -fls x", "find . $X", "find *",
		"git branch x", "git branch -D x", "git branch -m a b", "git branch --edit-description", "git branch $X", "git tag v1", "git tag -d v1", "git tag -v v1", "git diff --output=x", "git diff --outp=x", "git log --output x", "git log --ext-diff -p", "git log $X", "git log \"$X\"",
		"git -c core.pager=x log", "git -c core.fsmonitor=x status", "git -c a.b=c status", "git --exec-path=/x status", "git --git-dir=x status", "git -C /elsewhere status", "git -C ../x status", "git -C $X status", "git --work-tree=x status",
		"git grep -O x", "git grep -Ovim x", "git grep --open-files-in-pager=vi x", "git stash", "git stash pop", "git stash drop", "git remote add a b", "git config a.b c", "git config", "git reflog expire --all", "git reflog delete x", "git worktree add x", "git submodule update", "git submodule foreach ls", "git symbolic-ref HEAD x", "git cat-file --filters HEAD:x", "git add .", "git fetch", "git checkout x", "git restore x", "git notes add", "git",
		"sed -i s/a/b/ a", "sed -ni 1p a", "sed --in-place 1p a", "sed 's/a/b/e' a", "sed 's/a/b/w x' a", "sed '1w x' a", "sed '1e ls' a", "sed -f x a", "sed 's/a/b/;w x' a", "sed '1r x' a", "sed \"$X\" a", "sed -n $X a", "sed 's/[/]/x/e;p' a", "sed 1p\\\nw\\ x a",
		"sort -o x a", "sort -uo x a", "sort --output=x a", "sort --outp=x a", "sort --compress-program=x a", "sort a -o a", "uniq a b", "uniq *", "uniq ~/*", "locale -m", "tree -o x", "file -C -m x", "rg --pre x y", "rg --pre=x y", "rg --hostname-bin=x y", "rg -z x", "base64 -o x a", "date -s x", "date --set=x", "date 0101", "hostname x",
		"cat ~root/x", "arch -x86_64 x", "ps auxe", "ps -E", "hostname -Fx", "go doc -http", "yarn --version", "cargo --version", "less a", "more a", "man ls", "vi a", "awk '{print}' a", "xxd -r a b", "env", "env X", "printenv", "printf -v X a", "printf $X", "test -v X", "[ -v X ]", "[ $X ]", "command ls -l; rm x",
		"cat $X", `cat "$F"`, "cat $(ls)", "wc -l $X", "head -n $N a", "cat a | xargs cat", "ls > x", "cat a >> b", "ls | tee x", "./ls", "/tmp/ls", "ls; rm x", "ls && go test", "PATH=. ls", "LD_PRELOAD=x ls", "GIT_PAGER=x git log", "export PATH=.; ls", "bash x", "sh -c 'ls; rm x'", "ls() { rm x; }; ls", "eval \"$X\"", "$X a", "source x", "sudo ls", "go list ./...", "go env -w A=b", "python --version x", "python x", "node -v x", "jq . $X", "tee x", "cp a b", "touch a", "mkdir a", "kill 1",
		"git push", "curl x", "wget x", "command rm x", "echo $((X))", "echo ${X@P}", "echo ${!X}", "cd x; rm y", "pushd x; make",
		"alias ls=rm; ls", "trap 'rm x' EXIT; ls", "coproc rm x", "read X", "let X=1", "((X=1)); ls", "for PATH in .; do ls; done", "ls <(rm x)", "echo ${PATH:=x}",
	} {
		got := p.Explain("bash", false, bash(command))
		if got.Decision == allow {
			t.Errorf("%q is allowed: %+v", command, got.Parts)
		}
	}
}

func TestReadingCommandsUnderOtherRules(t *testing.T) {
	for _, c := range []struct {
		policy, command string
		off             bool
		want            permission.Decision
		source          string
	}{
		{"ask Bash", "ls", false, ask, "test"},
		{"ask Bash(ls:*)", "ls", false, ask, "test"},
		{"deny Bash(ls:*)", "ls", false, deny, "test"},
		{"mode deny", "ls", false, deny, permission.Fallback},
		{"mode allow", "ls", false, allow, permission.Fallback},
		{"mode ask", "ls", true, ask, permission.Fallback},
		{"mode ask", "ls", false, allow, permission.OnlyReads},
		{"allow Bash(go test:*)", "cd sub && go test ./... | tail -5", false, allow, "test"},
		{"allow Bash(go test:*)", "cd sub && go vet ./... | tail -5", false, ask, permission.Fallback},
	} {
		p := policy(t, c.policy)
		p.ReadOnlyCommands = !c.off
		if got := p.Explain("bash", false, bash(c.command)); got.Decision != c.want || got.Source != c.source {
			t.Errorf("[%s] %q: %v by %q, want %v by %q", c.policy, c.command, got.Decision, got.Source, c.want, c.source)
		}
	}
	p := policy(t, "mode ask")
	p.ReadOnlyCommands, p.PowerShell = true, true
	if got := p.Decide("bash", false, bash("sort a")); got != ask {
		t.Errorf("PowerShell has other programs of these names: %v", got)
	}
}

// A search through a directory that holds secrets reads them.
func TestASearchThatReachesSecretsAsks(t *testing.T) {
	p := places(t, "mode ask")
	p.ReadOnlyCommands = true
	for command, want := range map[string]permission.Decision{
		"rg key ~": fresh, "grep -r key ~": fresh, "grep -r key /": fresh, "cd ~ && rg key": fresh, "rg key ~/src": allow, "ls ~": allow, "find ~ -name id": allow,
		"git diff --no-index /tmp/empty ~": fresh, "git diff /tmp/empty ~": ask, "git diff HEAD~1 -- a": allow, "cd ~ && git grep --no-index X": fresh, "cd ~ && git grep X": fresh, "git grep X": ask, "git grep X src": allow,
		"diff -N ~ /tmp/empty": fresh, "diff ~ x": fresh, "diff ~ .netrc": fresh, "cd ~ && diff . /tmp/empty": fresh, "diff --from-file=~ x": ask, "diff a b": allow,
		`printf '..\0' | sort --files0-from=-`: ask, "wc --files0-from=x": ask, "wc --files0=x": ask, "du --files0-from=-": ask, "find -files0-from -": ask, "file -f x": ask, "file -bf x": ask, "file -m x a": ask,
		"jq -L ~ . a": ask, "jq -L x . a": ask, "jq -f x a": ask, `jq -n 'import "config" as $c {search:"/home/me/.docker"}; $c'`: ask, `jq 'include "x"; y' a`: ask, "date -f x": ask, "date --file=x": ask, "cd /elsewhere && git status": ask,
		"wc -l *.go": allow, "du -sh sub": allow,
		"rg key":     ask, // vault lies below
		"rg key src": allow, "grep key a": allow, "diff -r a ~": fresh,
	} {
		got := p.Explain("bash", false, bash(command))
		if got.Fresh {
			got.Decision = fresh
		}
		if got.Decision != want {
			t.Errorf("%q: %v, want %v", command, got.Decision, want)
		}
	}
}

func TestTheTableIsListedForPeople(t *testing.T) {
	list := permission.ReadOnlyCommands()
	seen := map[string]bool{}
	for _, line := range list {
		names, _, _ := strings.Cut(line, ": ")
		for name := range strings.FieldsSeq(names) {
			if seen[name] {
				t.Errorf("%s is in the table twice", name)
			}
			seen[name] = true
		}
	}
	if !seen["ls"] || !seen["git"] || !slices.ContainsFunc(list, func(l string) bool { return strings.HasPrefix(l, "find: without -delete") }) {
		t.Errorf("got %q", list)
	}
}
