package commands_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/provider/providertest"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

var (
	crashSeed  = flag.Uint64("crash.seed", 0, "seed of the crash test; 0: from the clock")
	crashCount = flag.Int("crash.n", crashes, "how many processes the crash test kills")
)

const crashTest = `. ./calc.sh
echo run >> effects.log
got=$(add 2 3)
[ "$got" = 5 ] || { echo "expected 5, got $got"; exit 1; }
echo passed
`

// crashModel reads, edits, tests and fixes, one step a reply; which step it is
// follows from the conversation, so that it goes on after any resume.
func crashModel(r *providertest.Received) providertest.Reply {
	step := 0
	for _, m := range r.Messages {
		if len(m.ToolCalls) > 0 {
			step++
		}
	}
	switch step {
	case 0:
		return providertest.TextCalls("I look first.", read("calc.sh"), read("test.sh"))
	case 1:
		return providertest.Calls(edit("- $2", "* $2"), shell("sh test.sh"))
	case 2:
		return providertest.TextCalls("Still wrong.", read("calc.sh"), edit("* $2", "+ $2"))
	case 3:
		return providertest.Calls(shell("sh test.sh"))
	case 4:
		return providertest.TextCalls("One more look.", read("calc.sh"), read("test.sh"))
	}
	return providertest.Text("The test passes now, I have seen it pass.")
}

func read(path string) providertest.Call {
	return providertest.Call{Name: "read_file", Arguments: fmt.Sprintf(`{"path":%q}`, path)}
}

func edit(from, to string) providertest.Call {
	return providertest.Call{Name: "edit_file", Arguments: fmt.Sprintf(`{"path":"calc.sh","old_string":%q,"new_string":%q}`, from, to)}
}

func shell(command string) providertest.Call {
	return providertest.Call{Name: "bash", Arguments: fmt.Sprintf(`{"command":%q}`, command)}
}

// TestKillAnywhereLosesNothing kills runs with SIGKILL at a record or a request
// drawn from a seed that is printed, and holds the rest to the promise: what was
// told is in the journal, what was done has its call there, the session loads,
// and resuming it sends a history the strict server accepts.
func TestKillAnywhereLosesNothing(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (repeat with -crash.seed)", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range *crashCount {
		kill := killPoint{record: 1 + rng.IntN(46)}
		if i%3 == 0 {
			kill = killPoint{request: 1 + rng.IntN(6), late: time.Duration(rng.IntN(3)) * time.Millisecond}
		}
		t.Run(kill.String(), func(t *testing.T) {
			t.Parallel()
			crash(t, kill)
		})
	}
}

// killPoint is the moment of a kill: when the n-th durable event was told, or
// when the n-th request arrived.
type killPoint struct {
	record, request int
	late            time.Duration // behind the request's arrival
}

func (k killPoint) String() string {
	if k.request > 0 {
		return fmt.Sprintf("request %d plus %s", k.request, k.late)
	}
	return fmt.Sprintf("record %d", k.record)
}

// victim is one run in a world of its own.
type victim struct {
	t               *testing.T
	home, workspace string
	model           *providertest.Server
	told            []event.Envelope
	session         event.SessionID
}

func newVictim(t *testing.T, model *providertest.Server) *victim {
	v := &victim{t: t, home: t.TempDir(), workspace: t.TempDir(), model: model}
	v.write(filepath.Join(v.home, "config.toml"), v.configText())
	return v
}

// configText is a configuration with the scripted model alone.
func (v *victim) configText() string {
	return fmt.Sprintf(`default_model = "m"
[environment]
enabled = false
[[providers]]
name = "m"
kind = "openai"
base_url = %q
model = "one"
api_key_env = ""
`, v.model.BaseURL())
}

func crash(t *testing.T, kill killPoint) {
	v := newVictim(t, providertest.New(t))
	v.write(filepath.Join(v.workspace, "calc.sh"), "add() { echo $(($1 - $2)); }\n")
	v.write(filepath.Join(v.workspace, "test.sh"), crashTest)
	v.runAndKill(kill)
	if v.session == "" {
		return // killed before the prompt was accepted: there is nothing to lose
	}
	v.checkJournal()
	v.resume()
}

func (v *victim) write(path, text string) {
	v.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

func (v *victim) command(args ...string) *exec.Cmd {
	cmd := exec.Command("reasonix", args...) // the test binary, by testscript.Main
	cmd.Dir = v.workspace
	cmd.Env = append(os.Environ(), "REASONIX_HOME="+v.home)
	return cmd
}

func (v *victim) runAndKill(kill killPoint) {
	t := v.t
	cmd := v.command("run", "--output-format", "events", "make the test pass")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int32
	started := make(chan struct{})
	v.model.Respond(func(r *providertest.Received) providertest.Reply {
		if int(requests.Add(1)) == kill.request {
			time.AfterFunc(kill.late, func() { <-started; cmd.Process.Kill() })
		}
		return crashModel(r)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	v.follow(out, func(durable int) {
		if durable == kill.record {
			cmd.Process.Kill()
		}
	})
	cmd.Wait()
}

// follow keeps what the run told and calls back at every durable event.
func (v *victim) follow(out io.Reader, at func(durable int)) {
	durable := 0
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // the last line may be torn: it was not told
		}
		e, err := event.Decode(line)
		if err != nil {
			v.t.Fatalf("%v in %s", err, line)
		}
		if up, ok := e.Payload.(event.CaughtUp); ok {
			durable += int(up.Last)
		}
		if _, ok := e.Payload.(event.PromptQueued); ok {
			v.session = v.onlySession() // from its first prompt on
		}
		if e.Seq > 0 {
			v.told = append(v.told, e)
			durable++
		}
		at(durable)
	}
}

func (v *victim) store() *jsonl.Store {
	return jsonl.New(jsonl.Dir(v.home, v.workspace), jsonl.Options{})
}

func (v *victim) onlySession() event.SessionID {
	metas, err := v.store().List(v.t.Context(), session.Query{})
	if err != nil || len(metas) != 1 {
		v.t.Fatalf("%d sessions, %v", len(metas), err)
	}
	return metas[0].ID
}

func (v *victim) checkJournal() {
	t := v.t
	journal := map[event.Seq]string{}
	started := map[string]int{} // calls that began, by the command's or file's tool
	names := map[string]string{}
	for e, err := range v.store().Read(t.Context(), v.session, 0) {
		var damage *session.DamageError
		if errors.As(err, &damage) {
			continue // a torn tail
		}
		if err != nil {
			t.Fatalf("the journal does not load: %v", err)
		}
		journal[e.Seq] = encoded(t, e)
		switch p := e.Payload.(type) {
		case event.Replied:
			for _, c := range p.Message.ToolCalls {
				names[c.ID] = c.Name
			}
		case event.ToolStarted:
			started[names[p.Call]]++
		default: // no call
		}
	}
	for _, e := range v.told {
		if journal[e.Seq] != encoded(t, e) {
			t.Errorf("event %d was told and is not in the journal:\n told %s\n kept %s", e.Seq, encoded(t, e), journal[e.Seq])
		}
	}
	if runs := bytes.Count(v.read("effects.log"), []byte("run\n")); runs > started["bash"] {
		t.Errorf("%d commands ran and %d began according to the journal", runs, started["bash"])
	}
	edits := 0
	if code := string(v.read("calc.sh")); strings.Contains(code, "*") {
		edits = 1
	} else if strings.Contains(code, "+") {
		edits = 2
	}
	if edits > started["edit_file"] {
		t.Errorf("%d edits on disk and %d in the journal", edits, started["edit_file"])
	}
}

func encoded(t *testing.T, e event.Envelope) string {
	t.Helper()
	line, err := event.Append(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func (v *victim) read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(v.workspace, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		v.t.Fatal(err)
	}
	return data
}

// resume goes on until the model is done; the strict server fails the test when
// it does not like the history.
func (v *victim) resume() {
	v.model.Respond(crashModel)
	cmd := v.command("run", "--session", string(v.session), "--output-format", "json", "go on")
	out, err := cmd.Output()
	var res struct {
		Outcome string `json:"outcome"`
		Result  string `json:"result"`
	}
	if err == nil {
		err = json.Unmarshal(out, &res)
	}
	if err != nil || res.Outcome != "completed" || !strings.Contains(res.Result, "seen it pass") {
		v.t.Errorf("resume: %v\n%s", err, out)
	}
	if bad := v.model.Rejections(); len(bad) > 0 {
		v.t.Errorf("the strict server refused: %v", bad)
	}
}
