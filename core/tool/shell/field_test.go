//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"reasonix/core/tool"
)

// gone waits until the processes that a command noted in file have ended.
func (s *shell) gone(file string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, file))
	if err != nil {
		s.t.Fatal(err)
	}
	for field := range strings.FieldsSeq(string(data)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			s.t.Fatal(err)
		}
		until(s.t, "process "+field+" is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

// until polls a condition of another process.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("not in time: %s", what)
			return
		}
	}
}

// atMost fails the test when it takes longer than limit.
func atMost(t *testing.T, limit time.Duration) func() {
	start := time.Now()
	return func() {
		t.Helper()
		if took := time.Since(start); took > limit {
			t.Errorf("took %v, want at most %v", took, limit)
		}
	}
}

func TestSH01QuietBackgroundChildDoesNotHoldTheCall(t *testing.T) {
	s := open(t)
	defer atMost(t, 2*time.Second)()
	s.want("sleep 300 & echo $! >pid; echo up", "up\nexit code 0\n[ended with the call: sleep 300]")
	s.gone("pid")
}

func TestSH03TimeoutKillsTheTree(t *testing.T) {
	s := open(t)
	defer atMost(t, 4*time.Second)()
	r := s.call(t.Context(), args{"command": `echo before
(sh -c 'echo $$ >>pids; while :; do :; done' | sh -c 'echo $$ >>pids; while :; do :; done; cat') & echo $! >>pids
sleep 600 | cat`, "timeout_ms": 1000})
	if r.err == nil || !strings.Contains(r.err.Error(), "timed out after 1s") || !strings.Contains(r.err.Error(), "output so far:\nbefore") {
		t.Errorf("got %v", r.err)
	}
	if r.call.Exit != nil {
		t.Errorf("exit code %d of a command that did not end", *r.call.Exit)
	}
	s.gone("pids")
}

func TestSH05DaemonInItsOwnSessionEndsWithTheCall(t *testing.T) {
	s := open(t)
	r := s.run(`setsid sh -c 'echo $$ >pid; exec sleep 600' & while [ ! -s pid ]; do sleep 0.01; done; echo up`)
	if want := "up\nexit code 0\n[ended with the call: sleep 600]"; r.text != want {
		t.Errorf("got %q, want %q", r.text, want)
	}
	s.gone("pid")
}

func TestSH06StdinIsAtItsEnd(t *testing.T) {
	s := open(t)
	defer atMost(t, 10*time.Second)()
	s.want("cat", "exit code 0")
	s.want(`read -p "y? " a || echo "no answer"`, "no answer\nexit code 0")
	s.want("cat & wait; echo done", "done\nexit code 0")
	if got := s.run("read a </dev/tty").text; !strings.Contains(got, "/dev/tty") || !strings.HasSuffix(got, "exit code 1") {
		t.Errorf("terminal: got %q", got)
	}
	if d := s.tool.Description(); !strings.Contains(d, "no terminal") {
		t.Errorf("the model is not told: %q", d)
	}
}

func TestSH07HeredocIntoAWrapperEndsWithTheChild(t *testing.T) {
	open(t).want("env sh -c 'exec sh -c \"cat; echo got it\"' <<'END'\nsome input\nEND", "some input\ngot it\nexit code 0")
}

func TestSH08AskedForTimeoutIsHonoured(t *testing.T) {
	s := open(t, func(set *tool.Settings) { set.BashTimeout = 100 * time.Millisecond })
	r := s.call(t.Context(), args{"command": "sleep 0.4; echo done", "timeout_ms": 60_000})
	if r.err != nil || r.text != "done\nexit code 0" {
		t.Errorf("longer: got %q, %v", r.text, r.err)
	}
	r = s.call(t.Context(), args{"command": "sleep 600"})
	if r.err == nil || !strings.Contains(r.err.Error(), "timed out after 100ms") {
		t.Errorf("default: got %q, %v", r.text, r.err)
	}
	s = open(t, func(set *tool.Settings) { set.BashTimeout = time.Hour })
	r = s.call(t.Context(), args{"command": "sleep 600", "timeout_ms": 50})
	if r.err == nil || !strings.Contains(r.err.Error(), "timed out after 50ms") {
		t.Errorf("shorter: got %q, %v", r.text, r.err)
	}
	r = open(t).call(t.Context(), args{"command": "sleep 0.2", "timeout_ms": int64(1) << 62})
	if r.err != nil {
		t.Errorf("enormous: got %v", r.err)
	}
}

func TestSH09ChineseOutputIsPerfectInEveryLocale(t *testing.T) {
	for _, lang := range []string{"", "C", "C.UTF-8"} {
		s := open(t, func(set *tool.Settings) {
			var env []string
			for _, kv := range set.Environ {
				if !strings.HasPrefix(kv, "LANG=") && !strings.HasPrefix(kv, "LC_") {
					env = append(env, kv)
				}
			}
			if lang != "" {
				env = append(env, "LANG="+lang)
			}
			set.Environ = env
		})
		if err := os.WriteFile(filepath.Join(s.dir, "中文文件.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		const lines = "printf '第一行：你好\\n'; printf '第二行：世界\\n'; echo 结束"
		const want = "中文文件.txt\n第一行：你好\n第二行：世界\n结束\nexit code 0"
		s.want("ls -N 2>/dev/null || ls; "+lines, want)
		s.want("(ls -N 2>/dev/null || ls; "+lines+") & wait", want)
		s.want("mkdir 目录 && cd 目录 && export 甲=1 A=值 2>/dev/null; export A=值", "exit code 0")
		if got := s.run(`echo "$A"; pwd`).text; !strings.HasPrefix(got, "值\n") || !strings.Contains(got, "/目录\n") {
			t.Errorf("LANG=%s: carried over as %q", lang, got)
		}
	}
}

func TestSH10NULAndBadUTF8AreSpelledOut(t *testing.T) {
	s := open(t)
	r := s.run(`printf 'a\0b\377c'`)
	if want := `a\x00b\xffc` + "\nexit code 0"; r.text != want || !utf8.ValidString(r.text) {
		t.Errorf("got %q, want %q", r.text, want)
	}
	if data, err := json.Marshal(r.text); err != nil || strings.Contains(string(data), "ufffd") {
		t.Errorf("as JSON: %s, %v", data, err)
	}
	s.want(`printf '\033[1;31mred\033[0m \033]0;title\007\033(Bplain\r\n10%%\r50%%\r100%%\nN\bNo\n'`, "red plain\n100%\nNo\nexit code 0")
}

// mostKept is how much output a call's file takes, in bytes.
const mostKept = 64 << 20

func TestSH12FloodIsBoundedAndKept(t *testing.T) {
	s := open(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	raw, _ := json.Marshal(args{"command": fmt.Sprintf("echo first; yes | head -c %d; echo last", flood)})
	var live discard
	call := &tool.Call{Out: &live}
	text, err := s.tool.Execute(tool.WithCall(t.Context(), call), raw)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if grown := int64(after.Sys) - int64(before.Sys); grown > 50<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	if len(text) > 16000 || !strings.HasPrefix(text, "first\ny\n") || !strings.HasSuffix(text, "y\nlast\nexit code 0") {
		t.Errorf("got %d bytes: %.60q ... %q", len(text), text, text[max(0, len(text)-60):])
	}
	const size = flood + len("first\nlast\n")
	if !strings.Contains(text, fmt.Sprintf("of %d bytes and %d lines in all", size, flood/2+2)) {
		t.Errorf("no counts in %q", text[7000:9000])
	}
	_, rest, _ := strings.Cut(text, "in all; full output")
	limited, rest, _ := strings.Cut(rest, ": ")
	if told := strings.Contains(limited, "the rest was not kept"); told != (size > mostKept) {
		t.Errorf("the result says %q of the full output", limited)
	}
	path, _, _ := strings.Cut(rest, "]")
	info, err := os.Stat(path)
	if err != nil || info.Size() != min(int64(size), mostKept) {
		t.Errorf("full output %q: %v, %v", path, info, err)
	}
	if live.n > 2<<20 {
		t.Errorf("%d bytes shown live", live.n)
	}
}

type discard struct{ n int }

func (d *discard) Write(p []byte) (int, error) { d.n += len(p); return len(p), nil }

func TestSH12EndlessFloodIsTimedOut(t *testing.T) {
	s := open(t)
	raw, _ := json.Marshal(args{"command": "yes", "timeout_ms": 500})
	_, err := s.tool.Execute(t.Context(), raw)
	if err == nil || !strings.Contains(err.Error(), "timed out after 500ms") || !strings.Contains(err.Error(), "bytes left out here") {
		t.Errorf("got %.300v", err)
	}
}

func TestSH13DirectoryAndVariablesCarryOver(t *testing.T) {
	s := open(t, func(set *tool.Settings) { set.Environ = append(set.Environ, "GIVEN=1", "odd.name=kept") })
	if err := os.MkdirAll(filepath.Join(s.dir, "sub", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.want("cd sub; export A=1 B='two\nlines $x `y` \"q\"'; unset GIVEN; hidden=1", "exit code 0")
	s.want(`pwd; echo "$A|$B|${GIVEN-unset}|${hidden-unset}"; env | grep odd`,
		s.dir+"/sub\n1|two\nlines $x `y` \"q\"|unset|unset\nodd.name=kept\nexit code 0")

	r := s.call(t.Context(), args{"command": "cd deep; export A=2; sleep 600", "timeout_ms": 300})
	if r.err == nil || !strings.Contains(r.err.Error(), "the next call starts in "+s.dir+"/sub ") {
		t.Errorf("the model is not told the directory: %v", r.err)
	}
	s.want(`pwd; echo $A`, s.dir+"/sub\n1\nexit code 0")
	s.want("cd - >/dev/null; cd sub/deep; cd ..; exit 5", "exit code 5")
	s.want("pwd", s.dir+"/sub\nexit code 0")
}

func TestSH13DirectoryThatIsGoneFallsBack(t *testing.T) {
	s := open(t)
	s.run("mkdir gone; cd gone; rmdir ../gone")
	s.want("pwd", s.dir+"\nexit code 0\n[the directory "+s.dir+"/gone is gone; this ran in "+s.dir+"]")
	s.want("pwd", s.dir+"\nexit code 0")
}

func TestSH13CarryOverSurvivesWhatACommandDoesToItsShell(t *testing.T) {
	for command, want := range map[string]string{
		"set -e; export X=1; false; echo no":                "exit code 1",
		"set -eu; export X=1; false":                        "exit code 1",
		"set -x; export X=1":                                "++ export X=1\n++ X=1\nexit code 0",
		"set -C; set -f; set -o posix; export X=1":          "exit code 0",
		"trap 'echo bye' EXIT; export X=1":                  "bye\nexit code 0",
		"trap 'echo D' DEBUG; export X=1":                   "D\nexit code 0",
		"trap 'echo E' ERR; export X=1; false":              "E\nexit code 1",
		"printf() { echo mine; }; pwd() { :; }; export X=1": "exit code 0",
		"exec >&- 2>&-; export X=1":                         "exit code 0",
		"IFS=0123456789; export X=1; exit 30":               "exit code 30",
		"export X=1; exit":                                  "exit code 0",
		"export X=1; (exit 4)":                              "exit code 4",
		"export X=1; echo \"open":                           "bash: eval: line 1: unexpected EOF while looking for matching `\"'\nexit code 2",
		"export X=1 # a comment":                            "exit code 0",
		"export X=1; echo a \\":                             "a \\\nexit code 0",
		"ulimit -n 8; export X=1":                           "exit code 0",
		"umask 777; export X=1":                             "exit code 0",
		"set -- a b c; shift; export X=1":                   "exit code 0",
	} {
		t.Run(command, func(t *testing.T) {
			s := open(t)
			s.want(command, want)
			x := "1"
			if strings.Contains(command, `"open`) {
				x = "" // the whole line is not run
			}
			s.want(`echo "$X|$#|$-"`, x+"|0|hBc\nexit code 0")
		})
	}
}

func TestSH13ExecKeepsTheStateOfBefore(t *testing.T) {
	s := open(t)
	s.run("export X=1")
	s.want("export X=2; exec echo replaced", "replaced\nexit code 0")
	s.want("echo $X", "1\nexit code 0")
}

func TestSH13OtherShellsCarryOverToo(t *testing.T) {
	s := open(t, func(set *tool.Settings) { set.ShellPath = "/bin/sh" })
	s.want("mkdir sub; cd sub; export A=\"it's\n\\\"odd\\\"\"; exit 3", "exit code 3")
	s.want(`pwd; echo "$A"`, s.dir+"/sub\nit's\n\"odd\"\nexit code 0")
	s.want("cd ..; unset A", "exit code 0")
	s.want(`pwd; echo "${A-unset}"`, s.dir+"\nunset\nexit code 0")
}

func TestVariablesTooLargeToStartAProgramAreForgotten(t *testing.T) {
	s := open(t)
	s.run("export KEEP=1; export BIG=$(head -c 200000 /dev/zero | tr '\\0' x)")
	r := s.call(t.Context(), args{"command": "echo $KEEP"})
	if r.err == nil || !strings.Contains(r.err.Error(), "variables are back") {
		t.Fatalf("got %q, %v", r.text, r.err)
	}
	s.want("echo ${#BIG}", "0\nexit code 0")
}

func TestSH14QuotingSurvives(t *testing.T) {
	s := open(t)
	body := "import os\ns = \"$HOME `date` \\n 'x' \\\\ %s 中文 \\x00\"\n\tprint(f'{s!r}')\n"
	s.want("cat > p.py <<'PY'\n"+body+"PY", "exit code 0")
	got, err := os.ReadFile(filepath.Join(s.dir, "p.py"))
	if err != nil || string(got) != body {
		t.Errorf("got %q, %v", got, err)
	}
	s.want("sh -c 'cat' <<'E1'; cat <<E2\n$HOME \"a\" 'b'\nE1\n`echo sub` \\$x\nE2", "$HOME \"a\" 'b'\nsub $x\nexit code 0")
	s.want("printenv REASONIX_SCRIPT; echo ${REASONIX_SCRIPT-unset} $0 $#", "unset bash 0\nexit code 0")
}

func TestSH15ServerEndsWithTheCallAndIsNamed(t *testing.T) {
	s := open(t)
	r := s.run(`sh -c 'echo $$ >pid; trap "" HUP; while :; do sleep 600; done' server & while [ ! -s pid ]; do sleep 0.01; done; echo started`)
	if !strings.Contains(r.text, "started\nexit code 0\n[ended with the call: sh -c ") {
		t.Errorf("got %q", r.text)
	}
	s.gone("pid")
	if d := s.tool.Description(); !strings.Contains(d, "Processes end with the call unless run_in_background") {
		t.Errorf("the rule is not told: %q", d)
	}
}

func TestSH16StopWhileACommandRuns(t *testing.T) {
	s := open(t)
	stop := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	raw, _ := json.Marshal(args{"command": "echo $$ >pid; echo begun; trap '' TERM INT; sleep 600 & wait; sleep 600"})
	var done func()
	call := &tool.Call{Out: writer(func(p []byte) {
		if strings.Contains(string(p), "begun") {
			done = atMost(t, 2*time.Second)
			cancel(stop)
		}
	})}
	text, err := s.tool.Execute(tool.WithCall(ctx, call), raw)
	done()
	if !errors.Is(err, stop) || text != "begun\ninterrupted" {
		t.Errorf("got %q, %v", text, err)
	}
	s.gone("pid")
	s.want("echo on", "on\nexit code 0")
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }
