package permission_test

import (
	"os"
	"strings"
	"testing"

	"reasonix/core/permission"
)

// Whatever is set before a command may be what it starts, unless it is known to be
// harmless.
func TestOnlyAHarmlessVariableStandsBeforeACommand(t *testing.T) {
	for _, name := range strings.Fields("GOCACHEPROG GOAUTH PKG_CONFIG GCCGO FC GOWORK GOCACHE PYTEST_ADDOPTS PYTEST_PLUGINS PYTHONUSERBASE PYTHONPYCACHEPREFIX OPENSSL_CONF CURL_HOME RUSTUP_TOOLCHAIN DOCKER_CONFIG TF_CLI_CONFIG_FILE TF_CLI_ARGS_plan GH_BROWSER GH_CONFIG_DIR JAVA_HOME JAVACMD " +
		"MAVEN_ARGS RSYNC_CONNECT_PROG WGETRC DOTNET_STARTUP_HOOKS DOTNET_ROOT YARN_RC_FILENAME GNUPGHOME RUBYGEMS_GEMDEPS PHPRC NODE_PATH EMAIL SSH_AUTH_SOCK MYPY_CONFIG_FILE FOO npm_config_script_shell LS_COLORS A") {
		for _, command := range []string{"X=./evil go test", "env X=./evil go test", "timeout 5 env X=./evil go test", "X=./evil timeout 5 go test", "export X=./evil; go test", "declare -x X=./evil; go test", "X=./evil bash -c 'go test'", "X=./evil ls", "env X=./evil ls", "X=./evil pip3 --version", "export X; go test", "declare '-x' X=./evil; go test", `typeset -\gx X=./evil; go test`} {
			command = strings.ReplaceAll(command, "X", name)
			p := policy(t, "allow Bash(go test:*)")
			p.ReadOnlyCommands = true
			if got := p.Explain("bash", false, bash(command)); got.Decision != ask || !strings.Contains(reasons(got), name) {
				t.Errorf("%q: %v %s", command, got.Decision, reasons(got))
			}
		}
	}
	for _, name := range strings.Fields("GOCACHEPROG GOAUTH GOWORK PKG_CONFIG PYTHONUSERBASE OPENSSL_CONF DOCKER_CONFIG JAVA_HOME JAVACMD WGETRC DOTNET_ROOT GNUPGHOME npm_config_script_shell YARN_RC_FILENAME MAVEN_ARGS") {
		if got := policy(t, "allow Bash(go test:*)").Decide("bash", false, bash(name+"=./evil; go test")); got != ask {
			t.Errorf("%s may be in the environment, and is set: %v", name, got)
		}
	}
	for _, command := range []string{
		"LANG=C go test", "LC_ALL=en_US.UTF-8 go test", "env LANG=C go test", "env -u B CI=1 go test", "CGO_ENABLED=0 GOOS=linux go test", "export CI=true; go test", "GIT_AUTHOR_NAME='A B' GIT_TERMINAL_PROMPT=0 go test", "NO_COLOR=1 ls", "TZ=UTC date", "X=1; go test", "x=$(date); go test",
		"F=docs/a; echo $F", "TERM=dumb timeout 5 go test", "RUST_BACKTRACE=1 bash -c 'go test'", `LANG="$LANG" go test`, "for os in linux darwin; do GOOS=$os go test; done", "O=linux; GOOS=$O go test",
	} {
		p := policy(t, "allow Bash(go test:*)")
		p.ReadOnlyCommands = true
		if got := p.Explain("bash", false, bash(command)); got.Decision != allow {
			t.Errorf("%q: %v %s", command, got.Decision, reasons(got))
		}
	}
	for _, command := range []string{"LANG='$(touch x)' go test", "CI='${shell touch x}' make test", "CI='; touch x' make test", "L=$(evil); LANG=$L go test", "C='; touch x'; CI=$C make test", "for c in '; x'; do CI=$c make test; done"} {
		if got := policy(t, "allow Bash(go test:*); allow Bash(make test:*); allow Bash(evil)").Decide("bash", false, bash(command)); got != ask {
			t.Errorf("%q: %v", command, got)
		}
	}
}

func TestARuleMayNameWhatIsSet(t *testing.T) {
	for _, c := range []struct {
		rule, command string
		want          permission.Decision
	}{
		{"GOFLAGS=-race go test:*", "GOFLAGS=-race go test ./...", allow},
		{"GOFLAGS=-race go test:*", "LANG=C GOFLAGS=-race go test ./...", allow},
		{"GOFLAGS=-race go test:*", "env GOFLAGS=-race go test ./...", allow},
		{"GOFLAGS=-race go test:*", "GOFLAGS=-race timeout 5 go test ./...", allow},
		{"A=1 B=2 go test", "A=1 B=2 go test", allow},
		{"A=1 B=2 go test:*", "B=2 A=1 go test", allow},
		{"env A=1 go test:*", "env A=1 go test ./...", allow},
		{"CI=1 go test:*", "CI=1 go test ./...", allow},
		{"GOFLAGS=* go test:*", "GOFLAGS=-exec=x go test ./...", ask},
		{"GOFLAGS=-race go test:*", "GOFLAGS=-exec=x go test", ask},
		{"GOFLAGS=-race go test:*", "GOFLAGS=-race GOCACHEPROG=x go test", ask},
		{"GOFLAGS=-race go test:*", "GOFLAGS=$X go test", ask},
		{"GOFLAGS=-race go test:*", "go test", ask},
		{"GOFLAGS=-race go test:*", "GOFLAGS=-race go test -exec x", ask},
		{"GOFLAGS=-race go test:*", "GOFLAGS=-race bash -c 'go test'", ask},
		{"env A=1:*", "env A=1 LD_PRELOAD=x go test", ask},
		{"env go test:*", "env A=1 go test", ask},
	} {
		if got := policy(t, "allow Bash("+c.rule+")").Explain("bash", false, bash(c.command)); got.Decision != c.want {
			t.Errorf("[%s] %q: %v %s", c.rule, c.command, got.Decision, reasons(got))
		}
	}
}

// What a variable holds may be started, so a deny rule looks into it.
func TestADenyRuleLooksIntoWhatIsSet(t *testing.T) {
	for command, want := range map[string]permission.Decision{
		"GOCACHEPROG='rm -r d' go build": deny, "GOAUTH='rm -r d' go get x": deny, "RSYNC_CONNECT_PROG='rm -r d' rsync a::b c": deny, "PKG_CONFIG=rm go build": deny, "JAVACMD=rm mvn x": deny, "FOO='rm -r d' x": deny, "env FOO='rm -r d' x": deny, "export GOCACHEPROG='rm -r d'; go build": deny,
		"X='rm -r d'; GOCACHEPROG=$X go build": deny, "read X <<< 'rm -r d'; GOCACHEPROG=$X go build": fresh, "FOO=$(echo rm) x": fresh, "GOCACHEPROG=$X go build": fresh,
		"FOO=bar make": allow, "CFLAGS=\"$CFLAGS -O2\" make": allow, "export PATH=$PATH:/x; make": allow, "FOO=$BAR make": allow,
	} {
		got := policy(t, "mode allow; deny Bash(rm:*)").Explain("bash", false, bash(command))
		if got.Fresh {
			got.Decision = fresh
		}
		if got.Decision != want {
			t.Errorf("%q: %v %s", command, got.Decision, reasons(got))
		}
	}
}

// The page for people lists the same names.
func TestThePageListsTheHarmlessVariables(t *testing.T) {
	page, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	if names := strings.Join(permission.HarmlessNames(), " "); !strings.Contains(text, names) {
		t.Errorf("docs/permissions.md does not list %s", names)
	}
}
