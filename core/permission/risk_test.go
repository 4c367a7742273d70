package permission_test

import (
	"strings"
	"testing"

	"reasonix/core/permission"
)

// A prefix that is offered for one command covers no other that runs a program its
// arguments name.
func TestAPrefixCoversNoOptionThatRunsAProgram(t *testing.T) {
	for prefix, commands := range map[string][]string{
		"git fetch:*": {
			"git fetch --upload-pack='python3 evil.py' .", "git fetch --upload-p=x .", "git fetch --upload-pack x .", "git fetch ext::sh", "git fetch -- 'ext::sh -c x'", "git -C sub fetch --upload-pack=x .",
			"timeout 5 git fetch --upload-pack=x .", "bash -c 'git fetch --upload-pack=x .'", "U=--upload-pack=x; git fetch $U .", "U=x; git fetch --upload-pack=$U .", "for u in --upload-pack=x; do git fetch $u .; done",
			"git fetch $(echo --upload-pack=x) .", "read U; git fetch $U .", "echo --upload-pack=x | xargs git fetch", `bash -c 'git fetch "$1" .' _ --upload-pack=x`, `set -- --upload-pack=x; git fetch "$@" .`,
			"git fetch {--upload-pack=x,.}", "git fetch ${U:---upload-pack=x} .", "A=--upload-pack; B=$A=x; git fetch $B .", "git fetch $BASH_EXECUTION_STRING # --upload-pack=x", "git -c alias.x=!cmd fetch",
			"git fetch * .", "git fetch ext*", "git fetch -q e*",
		},
		"git pull:*":        {"git pull --upload-pack=x", "git pull ext::sh"},
		"git push:*":        {"git push --receive-pack=x .", "git push --exec=x ."},
		"git clone:*":       {"git clone -u x .", "git clone --config core.fsmonitor=x url", "git clone -c a.b=c url", "git clone --template=x url", "git clone ext::sh"},
		"git rebase:*":      {"git rebase --exec x", "git rebase -x x", "git rebase -ix x"},
		"git bisect:*":      {"git bisect run x"},
		"git submodule:*":   {"git submodule foreach x", "git submodule --quiet foreach x"},
		"git *":             {"git rebase --exec x", "git bisect run x", "git submodule foreach x", "git fetch --upload-pack=x .", "git difftool", "git filter-branch x", "git archive --remote=x HEAD"},
		"git diff:*":        {"git diff --output=x", "git diff --outp x", "git diff --ext-diff"},
		"git log:*":         {"git log -p --output=.git/hooks/pre-commit", "git log --textconv"},
		"git grep:*":        {"git grep -Ovim x", "git grep -nO x"},
		"go test:*":         {"go test -exec x", "go test --exec=x", "go test -toolexec=x ./...", "go test -ldflags '-extld=x'", "go test $(echo -exec=x)", "go test -vettool x"},
		"go build:*":        {"go build -toolexec x"},
		"go vet:*":          {"go vet -vettool=x ./..."},
		"npm test:*":        {"npm test --script-shell=x", "npm test --node-options=--require=x"},
		"npm run lint:*":    {"npm run lint --script-shell x"},
		"cargo test:*":      {"cargo test --config target.x.runner=y"},
		"tar:*":             {"tar xf a --to-command=x", "tar xf a --checkpoint=1 --checkpoint-action=exec=x", "tar -I x -xf a", "tar xIf x a"},
		"rsync:*":           {"rsync -e x a b", "rsync -ave x a b", "rsync --rsh=x a b", "rsync --rsync-path=x a b"},
		"make test:*":       {"make test SHELL=x", "make test CC=x", "make test --eval=x", "make test .SHELLFLAGS=x"},
		"sort:*":            {"sort --compress-program=x a"},
		"ssh host:*":        {"ssh host -o ProxyCommand=x", "ssh host -oProxyCommand=x", "ssh host -F x"},
		"curl:*":            {"curl -K x", "curl --config x"},
		"wget:*":            {"wget -e use_askpass=x", "wget --use-askpass=x"},
		"rg:*":              {"rg --pre x y"},
		"pytest:*":          {"pytest -p evil", "pytest -c x"},
		"eslint:*":          {"eslint --rulesdir x", "eslint -f ./x.js"},
		"eval ls:*":         {"eval ls ';' rm x"},
		"xargs git fetch:*": {"xargs git fetch --upload-pack=x", "xargs git fetch"},
		"kubectl get:*":     {"kubectl get --kubeconfig=x pods"},
		"mvn test:*":        {"mvn test -Dmaven.ext.class.path=x"},
		"gradle:*":          {"gradle -I x build", "gradle --init-script=x build"},
		"rake:*":            {"rake -rx", "rake -f x"},
		"ninja:*":           {"ninja -f x"},
		"meson test:*":      {"meson test --wrapper x", "meson test --wrap=x"},
		"rspec:*":           {"rspec -r ./x", "rspec --require=x", "rspec -I lib -rx"},
		"phpunit:*":         {"phpunit --bootstrap x", "phpunit -c x"},
		"mocha:*":           {"mocha --require ./x", "mocha -r x"},
		"playwright test:*": {"playwright test -c x"},
		"tox:*":             {"tox -c x"},
		"just:*":            {"just -f x", "just --shell x"},
		"ant:*":             {"ant -f x", "ant -lib x"},
		"zip:*":             {"zip -T -TT x a b"},
		"gcc:*":             {"gcc @x", "gcc -o a @x a.c"},
		"git p:*":           {"git --config-env=alias.p=X p", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p"},
	} {
		p := policy(t, "allow Bash("+prefix+"); allow Bash(echo:*)")
		p.ReadOnlyCommands = true
		for _, command := range commands {
			if got := p.Decide("bash", false, bash(command)); got != ask {
				t.Errorf("[%s] %q: %v", prefix, command, got)
			}
			for _, rule := range p.Suggest("bash", bash(command)).Prefix.Rules {
				if strings.Contains(rule, ":*") {
					t.Errorf("%q: the prefix %s is offered", command, rule)
				}
			}
		}
	}
}

func TestARuleThatSpellsItOutCoversIt(t *testing.T) {
	for _, c := range []struct{ rule, command string }{
		{"git fetch --upload-pack=x:*", "git fetch --upload-pack=x ."},
		{"git rebase --exec:*", "git rebase --exec 'go test' main"},
		{"git rebase --exec 'go test' main", "git rebase --exec 'go test' main"},
		{"git bisect run:*", "git bisect run make"},
		{"git diff --output=*", "git diff --output=x"},
		{"go test -exec:*", "go test -exec x ./..."},
		{"go test:*", "go test -run x -v ./..."},
		{"go test:*", "go test $PKG"},
		{"go test:*", `P=./a; go test "$P"`},
		{"go test:*", `for p in a b; do go test "./$p"; done`},
		{"go build:*", "go build -o bin/x"},
		{"git log:*", "git log $(date)"},
		{"git commit:*", "git commit -m 'use std::string --exec'"},
		{"npm test:*", "npm test -- --config x"},
		{"git fetch:*", "git fetch origin"},
		{"git fetch:*", "git fetch ssh://[::1]/x"},
		{"git rebase:*", "git rebase main"},
		{"make test:*", "make test V=1"},
		{"xargs grep:*", "xargs grep x"},
		{"find . -exec grep:*", "find . -exec grep x {} +"},
		{"sudo apt install:*", "sudo apt install x"},
		{"gradle:*", "gradle test --tests A -q"},
		{"rspec:*", "rspec spec/a_spec.rb:3"},
		{"gcc:*", "gcc -O2 -o a a.c"},
		{"just:*", "just build x"},
	} {
		p := policy(t, "allow Bash("+c.rule+"); allow Bash(date)")
		if got := p.Explain("bash", false, bash(c.command)); got.Decision != allow {
			t.Errorf("[%s] %q: %v %s", c.rule, c.command, got.Decision, got.Why)
		}
	}
}

func TestAnUncoveredOptionIsNamed(t *testing.T) {
	got := policy(t, "allow Bash(git fetch:*)").Explain("bash", false, bash("git fetch --upload-pack=x ."))
	if got.Decision != permission.Ask || !strings.Contains(got.Why, "--upload-pack") {
		t.Errorf("got %+v", got)
	}
}
