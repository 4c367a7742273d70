package commands_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"reasonix/commands"
	"reasonix/core/protocol/protocoltest"
	_ "reasonix/core/provider/openai"
	"reasonix/core/provider/providertest"
	_ "reasonix/core/tool/file"
	_ "reasonix/core/tool/plan"
	_ "reasonix/core/tool/recall"
	_ "reasonix/core/tool/search"
	_ "reasonix/core/tool/shell"
	_ "reasonix/core/tool/skill"
	_ "reasonix/core/tool/vision"
	_ "reasonix/core/tool/web"
	"reasonix/sandbox"
)

// TestMain makes the test binary be reasonix itself when it is started under
// that name, and its helper processes.
func TestMain(m *testing.M) {
	if sandbox.Helper(os.Args) {
		return
	}
	testscript.Main(m, map[string]func(){"reasonix": func() {
		os.Exit(commands.Main("v0.0.0-test", os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}})
}

// TestScripts runs the behaviour of the binary, one file a behaviour, against a
// strict scripted model server. The commands beside testscript's own:
//
//	model FILE            start a server that plays FILE (see parseReplies) and
//	                      configure it as the default provider
//	exits CODE COMMAND... run COMMAND and check its exit code
//	requests N            the server got exactly N chat requests
//	[!] request N REGEXP  request N's body (from 1) matches
//	wait-requests N       wait until N requests have arrived
//	gone WORDS            wait until no process has the words in its command line
//	waitfile FILE         wait until FILE exists
//	stdout-line N REGEXP  line N of stdout (from 1, negative from the end)
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"model": modelCommand, "requests": requestsCommand, "request": requestCommand, "wait-requests": waitCommand,
			"stdout-line": lineCommand, "exits": exitsCommand, "gone": goneCommand, "waitfile": waitFileCommand,
		},
	})
}

// state is what a script's commands share.
type state struct {
	t     testing.TB
	model *providertest.Server
}

type stateKey struct{}

func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("REASONIX_HOME", home)
	env.Setenv("HOME", filepath.Join(env.WorkDir, "user"))
	env.Setenv("LANG", "C.UTF-8")
	env.Values[stateKey{}] = &state{t: env.T().(testing.TB)}
	for _, dir := range []string{home, filepath.Join(env.WorkDir, "user"), filepath.Join(env.WorkDir, "w")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// server is the script's model.
func server(ts *testscript.TestScript) *providertest.Server {
	s := stateOf(ts).model
	if s == nil {
		ts.Fatalf("no model was started")
	}
	return s
}

func stateOf(ts *testscript.TestScript) *state { return ts.Value(stateKey{}).(*state) }

func until(ts *testscript.TestScript, what string, cond func() bool) {
	protocoltest.Until(stateOf(ts).t, what, cond)
}

func modelCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	replies, err := parseReplies(ts.ReadFile(args[0]))
	ts.Check(err)
	s, err := providertest.Start(replies...)
	ts.Check(err)
	ts.Defer(func() {
		s.Close()
		if bad := s.Rejections(); len(bad) > 0 {
			ts.Fatalf("the strict server refused: %s", strings.Join(bad, "; "))
		}
	})
	stateOf(ts).model = s
	ts.Setenv("BASE_URL", s.BaseURL())
	config := filepath.Join(ts.Getenv("REASONIX_HOME"), "config.toml")
	if _, err := os.Stat(config); err == nil {
		return // the script has its own
	}
	ts.Check(os.WriteFile(config, fmt.Appendf(nil, `default_model = "scripted"

[[providers]]
name = "scripted"
kind = "openai"
base_url = %q
model = "one"
api_key_env = ""
`, s.BaseURL()), 0o600))
}

// parseReplies reads one reply a line:
//
//	text WORDS                      a whole answer
//	call NAME JSON [;; NAME JSON]   tool calls
//	say WORDS ;; NAME JSON          text and tool calls
//	status CODE BODY                an HTTP error
//	raw DATA                        an event stream as it is, \n for line ends
//	cut DATA                        the same, then the connection breaks
//	hold DATA                       the same, then silence
func parseReplies(text string) ([]providertest.Reply, error) {
	var replies []providertest.Reply
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseReply(line)
		if err != nil {
			return nil, fmt.Errorf("reply %q: %w", line, err)
		}
		replies = append(replies, r)
	}
	return replies, nil
}

func parseReply(line string) (providertest.Reply, error) {
	verb, rest, _ := strings.Cut(line, " ")
	data := strings.ReplaceAll(rest, `\n`, "\n")
	switch verb {
	case "text":
		return providertest.Text(data), nil
	case "call":
		return providertest.Calls(parseCalls(rest)...), nil
	case "say":
		words, cs, _ := strings.Cut(rest, ";;")
		return providertest.TextCalls(strings.TrimSpace(words), parseCalls(cs)...), nil
	case "status":
		code, body, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(code)
		return providertest.Status(n, body), err
	case "raw":
		return providertest.Raw(data), nil
	case "cut":
		return providertest.Raw(data).Abort(), nil
	case "hold":
		return providertest.Raw(data).Hold(), nil
	}
	return providertest.Reply{}, fmt.Errorf("unknown verb %s", verb)
}

func parseCalls(text string) []providertest.Call {
	var calls []providertest.Call
	for part := range strings.SplitSeq(text, ";;") {
		name, args, _ := strings.Cut(strings.TrimSpace(part), " ")
		calls = append(calls, providertest.Call{Name: name, Arguments: args})
	}
	return calls
}

func requestsCommand(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := len(server(ts).Requests()); (got == n) == neg {
		ts.Fatalf("%d requests", got)
	}
}

func requestCommand(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	all := server(ts).Requests()
	if n < 1 || n > len(all) {
		ts.Fatalf("there are %d requests", len(all))
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	if re.Match(all[n-1].Body) == neg {
		ts.Fatalf("request %d:\n%s", n, all[n-1].Body)
	}
}

func waitCommand(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	until(ts, fmt.Sprintf("%d requests", n), func() bool { return len(server(ts).Requests()) >= n })
}

func lineCommand(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	if n < 0 {
		n += len(lines) + 1
	}
	if n < 1 || n > len(lines) {
		ts.Fatalf("stdout has %d lines", len(lines))
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	if re.MatchString(lines[n-1]) == neg {
		ts.Fatalf("line: %s", lines[n-1])
	}
}

// exitsCommand runs a command and checks its exit code.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// goneCommand waits until no process of this script has the words in its command
// line.
func goneCommand(ts *testscript.TestScript, _ bool, args []string) {
	words, home := strings.Join(args, " "), ts.Getenv("REASONIX_HOME")
	until(ts, "no process "+words, func() bool { return !running(words, home) })
}

// running reports whether a process with words in its command line was started
// with this home: others may run the same tests at the same time.
func running(words, home string) bool {
	entries, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, e := range entries {
		line, err := os.ReadFile(e)
		if err != nil || !bytes.Contains(bytes.ReplaceAll(line, []byte{0}, []byte{' '}), []byte(words)) {
			continue
		}
		environ, err := os.ReadFile(filepath.Join(filepath.Dir(e), "environ"))
		if err == nil && bytes.Contains(environ, []byte("REASONIX_HOME="+home+"\x00")) {
			return true
		}
	}
	return false
}

func waitFileCommand(ts *testscript.TestScript, _ bool, args []string) {
	until(ts, "file "+args[0], func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil
	})
}
