package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/permission"
	"reasonix/core/protocol"
	"reasonix/core/protocol/protocoltest"
	"reasonix/core/provider/providertest"
	"reasonix/core/tool"
)

// command is a bash that runs nothing.
type command struct {
	fn
	dir string
	ran *[]tool.Call
}

func (c command) Subject(args json.RawMessage) tool.Subject {
	return tool.Subject{Title: "a command", Kind: "execute", Reason: "the model's reason", Dir: c.dir}
}

func (c command) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	*c.ran = append(*c.ran, *tool.CallFrom(ctx))
	return "ok", nil
}

func bashWorld(t *testing.T) (*world, *[]tool.Call) {
	t.Helper()
	ran := &[]tool.Call{}
	return newWorld(t, command{fn{"bash", false, nil}, "/work/sub", ran}), ran
}

func bash(command string) providertest.Reply {
	args, _ := json.Marshal(map[string]string{"command": command})
	return providertest.Calls(providertest.Call{Name: "bash", Arguments: string(args)})
}

func asked(c *protocoltest.Client) []event.Question {
	var all []event.Question
	for _, a := range protocoltest.Payloads[event.Asked](c.Durable()) {
		all = append(all, a.Question)
	}
	return all
}

// ids are the options of a question.
func ids(q event.Question) string {
	var all []string
	for _, o := range q.Options {
		all = append(all, o.ID)
	}
	return strings.Join(all, " ")
}

func option(q event.Question, id string) event.Option {
	i := slices.IndexFunc(q.Options, func(o event.Option) bool { return o.ID == id })
	if i < 0 {
		return event.Option{}
	}
	return q.Options[i]
}

// PM-18: what is stored is what was shown, and no interpreter gets a prefix.
func TestPM18AlwaysStoresWhatWasShown(t *testing.T) {
	w, ran := bashWorld(t)
	var kept []string
	w.keep = func(_ context.Context, rules []string) (string, error) {
		kept = append(kept, rules...)
		return "/work/reasonix.toml", nil
	}
	w.model.Add(bash("python3 x.py"), bash("python3 x.py"), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_always"))
	if ended := c.Say("x"); ended.Outcome != event.Completed || len(*ran) != 2 {
		t.Fatalf("%+v, %d calls", ended, len(*ran))
	}
	questions := asked(c)
	if len(questions) != 1 {
		t.Fatalf("asked %d times", len(questions))
	}
	q := questions[0]
	if got := ids(q); got != "allow_once allow_session allow_always reject_once" {
		t.Errorf("offered %s", got)
	}
	if d := cmp.Diff(option(q, "allow_always").Rules, kept); d != "" || !slices.Equal(kept, []string{"Bash(python3 x.py)"}) {
		t.Errorf("shown and stored differ: -shown +stored\n%s", d)
	}
	want := event.Granted{Rule: "Bash(python3 x.py)", Scope: "project", File: "/work/reasonix.toml"}
	if granted := protocoltest.Payloads[event.Granted](c.Durable()); len(granted) != 1 || granted[0] != want {
		t.Errorf("granted %+v", granted)
	}
	started := protocoltest.Payloads[event.ToolStarted](c.Durable())
	if started[0].Rule != "allowed always: Bash(python3 x.py)" || started[1].Rule != "Bash(python3 x.py) (reasonix.toml)" || started[1].Held != "held in the test" {
		t.Errorf("started %+v", started)
	}
}

func TestAQuestionCarriesAllThatFrontEndsNeed(t *testing.T) {
	w, _ := bashWorld(t)
	w.policy.Allow = []permission.Rule{{Tool: "Bash", Spec: "go vet:*", Source: "user"}}
	w.keep = func(context.Context, []string) (string, error) { return "", errors.New("not called") }
	w.policy.Root = "/work"
	const chain = "go vet ./... && go test ./... > out.txt"
	w.model.Add(bash(chain), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("reject_once"))
	c.Say("x")
	q := asked(c)[0]
	if q.Body != chain || q.Reason != "the model's reason" || q.Dir != "/work/sub" || q.Sandbox != "held in the test" || q.Tool != "bash" {
		t.Errorf("question %+v", q)
	}
	if d := cmp.Diff([]string{"Bash(go test ./...)", "Edit(sub/out.txt)"}, option(q, "allow_always").Rules); d != "" {
		t.Errorf("one rule for each part that none covers: -want +got\n%s", d)
	}
	if p := option(q, "allow_always_prefix"); !slices.Contains(p.Rules, "Bash(go test:*)") || p.Example == "" {
		t.Errorf("by prefix: %+v", p)
	}
	if len(q.Parts) != 3 || q.Parts[0].Verdict != "allow" || q.Parts[1].Verdict != "ask" || q.Parts[1].Text != "go test ./..." {
		t.Errorf("parts %+v", q.Parts)
	}
	for _, o := range q.Options {
		if o.Kind == event.AllowAlways && len(o.Rules) == 0 {
			t.Errorf("%s does not say what it stores", o.ID)
		}
	}
}

func TestWhatCannotBeStoredHoldsForTheSession(t *testing.T) {
	w, ran := bashWorld(t)
	w.keep = func(context.Context, []string) (string, error) { return "", errors.New("the disk is full") }
	w.model.Add(bash("make"), bash("make"), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_always"))
	c.Say("x")
	granted := protocoltest.Payloads[event.Granted](c.Durable())
	if len(*ran) != 2 || len(asked(c)) != 1 || len(granted) != 1 || granted[0].Scope != "session" {
		t.Errorf("%d calls, asked %d times, granted %+v", len(*ran), len(asked(c)), granted)
	}
	if n := protocoltest.Wait[event.Notice](t, c.Collector, nil); n.Code != "grant_not_stored" || !strings.Contains(n.Text, "the disk is full") {
		t.Errorf("notice %+v", n)
	}
}

// Only a session's own grants come back with its journal: the others stand in a
// file, where they may have been taken out since.
func TestAStoredRuleIsNotAGrantOfTheSession(t *testing.T) {
	w, ran := bashWorld(t)
	w.keep = func(context.Context, []string) (string, error) { return "/home/config.toml", nil }
	w.model.Add(bash("make"), providertest.Text("done"), bash("make"), providertest.Text("done"))
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, protocoltest.Choose("allow_always"))
	c.Say("x")
	if g := protocoltest.Payloads[event.Granted](c.Durable()); len(g) != 1 || g[0].Scope != "user" {
		t.Errorf("granted %+v", g)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, protocoltest.NewClient(t, w.open(t, protocol.Spec{Session: s.ID(), Interactive: true}), protocoltest.Choose("reject_once")), "p2")
	if len(*ran) != 1 {
		t.Errorf("%d calls ran", len(*ran))
	}
}

func TestAFreshReviewIsAnsweredForOnce(t *testing.T) {
	w, ran := bashWorld(t)
	w.keep = func(context.Context, []string) (string, error) { t.Error("stored"); return "", nil }
	w.policy.Deny = []permission.Rule{{Tool: "Bash", Spec: "rm:*", Source: "user"}}
	w.model.Add(bash("$X a"), bash("$X a"), bash("$X a"), providertest.Text("done"))
	person := protocoltest.InTurn(protocoltest.Choose("allow_once"), protocoltest.Choose("allow_always"), protocoltest.Choose("allow_session"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true, Approval: "yolo"}), person)
	c.Say("x")
	if len(*ran) != 1 {
		t.Errorf("%d calls ran: what was not offered was taken for consent", len(*ran))
	}
	for _, q := range asked(c) {
		if !q.Fresh || q.Why == "" || ids(q) != "allow_once reject_once" || q.Rule != "" {
			t.Errorf("asked %+v", q)
		}
	}
	if g := protocoltest.Payloads[event.Granted](c.Durable()); len(g) > 0 {
		t.Errorf("granted %+v", g)
	}
}

func TestADenialTakesAWordToTheModel(t *testing.T) {
	w, _ := bashWorld(t)
	w.model.Add(bash("npm ci"), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Deny(" use pnpm "))
	if ended := c.Say("x"); ended.Outcome != event.Completed {
		t.Errorf("ended %+v", ended)
	}
	last := w.model.Requests()[1].Last().Content
	if !strings.HasPrefix(last, "denied: the user denied it: use pnpm\n") || !strings.Contains(last, "Do not try") {
		t.Errorf("the model read %q", last)
	}
}

// PM-13: what of a chain was refused is named, at once.
func TestPM13TheRefusedSegmentIsNamed(t *testing.T) {
	for _, c := range []struct {
		mode    permission.Decision
		reason  string
		outcome event.Outcome
		unasked bool
	}{
		{permission.Deny, "no rule allows `head`, and permissions.mode is deny", event.Completed, true},
		{permission.Ask, "an approval is needed for `head` and nobody can be asked (", event.Denied, false},
	} {
		w, ran := bashWorld(t)
		w.deny = !c.unasked
		w.policy = permission.Policy{Mode: c.mode, Allow: []permission.Rule{{Tool: "Bash", Spec: "npx:*", Source: "user"}}}
		w.model.Add(bash("npx tsc | head"), providertest.Text("done"))
		client := protocoltest.NewClient(t, w.open(t, protocol.Spec{}), nil)
		ended := client.Say("x")
		f := protocoltest.Payloads[event.ToolFinished](client.Durable())[0]
		if ended.Outcome != c.outcome || len(*ran) > 0 || !strings.HasPrefix(f.Reason, c.reason) {
			t.Errorf("mode %v: ended %s, %d calls, reason %q", c.mode, ended.Outcome, len(*ran), f.Reason)
		}
	}
}

// A grant answers an ask rule about the very thing it was given for, and no other.
func TestGrantsAndAskRules(t *testing.T) {
	w, ran := bashWorld(t)
	w.policy.Ask = []permission.Rule{{Tool: "Bash", Source: "user"}}
	w.model.Add(bash("make"), bash("make"), bash("make all"), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_session"))
	c.Say("x")
	if qs := asked(c); len(*ran) != 3 || len(qs) != 2 || qs[0].Why != "the rule Bash (user) asks" {
		t.Errorf("%d calls, asked %+v", len(*ran), qs)
	}

	w = newWorld(t, fn{"write_file", false, ok})
	w.policy.Ask = []permission.Rule{{Tool: "Edit", Spec: "secret/**", Source: "user"}}
	write := func(path string) providertest.Reply {
		return providertest.Calls(providertest.Call{Name: "write_file", Arguments: `{"path":"` + path + `"}`})
	}
	w.model.Add(write("a"), write("b"), write("secret/a"), write("secret/a"), write("secret/b"), providertest.Text("done"))
	c = protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("allow_session"))
	c.Say("x")
	var rules []string
	for _, q := range asked(c) {
		rules = append(rules, q.Rule)
	}
	if d := cmp.Diff([]string{"Edit", "Edit(secret/a)", "Edit(secret/b)"}, rules); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// Two calls that run at the same time are asked about one after the other, and the
// second not at all when the first answer covers it.
func TestParallelCallsAreAskedOneAtATime(t *testing.T) {
	both := providertest.Calls(providertest.Call{ID: "a", Name: "look"}, providertest.Call{ID: "b", Name: "look"})
	for choice, times := range map[string]int{"allow_once": 2, "allow_session": 1} {
		w := newWorld(t, fn{"look", true, ok})
		w.policy.Ask = []permission.Rule{{Tool: "look", Source: "user"}}
		w.model.Add(both, providertest.Text("done"))
		c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose(choice))
		c.Say("x")
		open, most := 0, 0
		for _, e := range c.Durable() {
			switch e.Payload.(type) {
			case event.Asked:
				open++
			case event.Answered:
				open--
			default: // no question
			}
			most = max(most, open)
		}
		if len(asked(c)) != times || most != 1 {
			t.Errorf("%s: asked %d times, %d at once", choice, len(asked(c)), most)
		}
	}
	// A turn that is stopped meanwhile asks no more.
	w := newWorld(t, fn{"look", true, ok})
	w.policy.Ask = []permission.Rule{{Tool: "look", Source: "user"}}
	w.model.Add(both)
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, nil)
	if err := s.Submit(t.Context(), protocol.Prompt{ID: "p", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	protocoltest.Wait[event.Asked](t, c.Collector, nil)
	if err := s.Submit(t.Context(), protocol.Cancel{}); err != nil {
		t.Fatal(err)
	}
	if ended := c.Ended("p"); ended.Outcome != event.Cancelled || len(asked(c)) != 1 {
		t.Errorf("ended %s, asked %d times", ended.Outcome, len(asked(c)))
	}
}

// previewing is an edit that can tell its change.
type previewing struct{ fn }

func (previewing) Subject(json.RawMessage) tool.Subject {
	return tool.Subject{Title: "Edit a", Kind: "edit", Preview: func(context.Context) []event.Diff {
		return []event.Diff{{Path: "/work/a", Unified: "-one\n+two\n"}}
	}}
}

func TestAnEditIsAskedAboutWithItsDiff(t *testing.T) {
	w := newWorld(t, previewing{fn{"edit_file", false, ok}})
	w.policy.Root = "/work"
	w.keep = func(_ context.Context, rules []string) (string, error) { return "/work/reasonix.toml", nil }
	w.model.Add(providertest.Calls(providertest.Call{Name: "edit_file", Arguments: `{"path":"/work/a"}`}), providertest.Text("done"))
	c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Interactive: true}), protocoltest.Choose("reject_once"))
	c.Say("x")
	q := asked(c)[0]
	if len(q.Diffs) != 1 || q.Body != "" || q.Sandbox != "" {
		t.Errorf("asked %+v", q)
	}
	if s, a := option(q, "allow_session"), option(q, "allow_always"); s.Detail != "Edit" || a.Detail != "Edit(a)" {
		t.Errorf("session %q, always %q", s.Detail, a.Detail)
	}
}

// A directory that an answer opened is known to the policy and to the next
// process, where somebody can be asked.
func TestAnOpenedDirectoryComesBack(t *testing.T) {
	w, _ := bashWorld(t)
	w.model.Add(bash("make"), providertest.Text("done"))
	s := w.open(t, protocol.Spec{Interactive: true})
	c := protocoltest.NewClient(t, s, protocoltest.Choose("allow_once"))
	if err := w.lent.Emit(event.Granted{Rule: event.GrantWrite + "/srv/cache", Scope: "session"}); err != nil {
		t.Fatal(err)
	}
	c.Say("x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, interactive := range []bool{true, false} {
		again := w.open(t, protocol.Spec{Session: s.ID(), Interactive: interactive})
		if got := len(w.lent.AllowWrite); got != map[bool]int{true: 1}[interactive] {
			t.Errorf("interactive %v: %v", interactive, w.lent.AllowWrite)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACallSaysWhyItRanUnasked(t *testing.T) {
	run := func(posture string, mode permission.Decision) string {
		w, _ := bashWorld(t)
		w.policy.Mode = mode
		w.model.Add(bash("make"), providertest.Text("done"))
		c := protocoltest.NewClient(t, w.open(t, protocol.Spec{Approval: posture}), nil)
		c.Say("x")
		return protocoltest.Payloads[event.ToolStarted](c.Durable())[0].Rule
	}
	for want, got := range map[string]string{
		"headless": run("ask", permission.Ask), "posture auto": run("auto", permission.Ask), "posture yolo": run("yolo", permission.Ask),
		"permissions.mode allow": run("ask", permission.Allow),
	} {
		if got != want {
			t.Errorf("ran because %q, want %q", got, want)
		}
	}
}
