//go:build unix

package acp_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

const twoModels = `default_model = "scripted/one"
[environment]
enabled = false
[[providers]]
name = "scripted"
kind = "openai"
base_url = %q
models = ["one", "two"]
api_key_env = ""
supported_efforts = ["low", "high"]
reasoning_protocol = "openai"
`

// startTwo is start with a choice of models.
func startTwo(t *testing.T, replies ...providertest.Reply) *process {
	t.Helper()
	model := providertest.New(t, replies...)
	p := prepare(t, fmt.Sprintf(twoModels, model.BaseURL()))
	p.model = model
	p.run(t, exec.Command(os.Args[0], "acp", "--permission-mode", "ask"))
	return p
}

// again ends the process and starts another in the same world.
func (p *process) again(t *testing.T, flags ...string) *process {
	t.Helper()
	p.in.Close()
	p.ends("")
	next := &process{t: t, home: p.home, dir: p.dir, model: p.model}
	next.run(t, exec.Command(os.Args[0], append([]string{"acp"}, flags...)...))
	return next
}

// openedSession is what a client learns of a session that it opens.
type openedSession struct {
	SessionID     string
	Models        struct{ CurrentModelID string }
	Modes         struct{ CurrentModeID string }
	ConfigOptions []configOption
	Meta          struct {
		Ours struct {
			Status sessionStatus
			Off    []string
		} `json:"reasonix.io"`
	} `json:"_meta"`
}

type configOption struct {
	ID, Category, CurrentValue string

	Options []struct{ Value string }
	Meta    object `json:"_meta"`
}

type setting struct {
	Effective string
	Queued    *string
}

type sessionStatus struct {
	State, Phase, Outcome, LastMessage, JournalPath, Cwd, LeaseHolder, Title, LastActivity string
	Sequence                                                                               int

	Model, Effort, Mode setting
	WorkMode            setting `json:"work_mode"`
	ToolApproval        setting `json:"tool_approval"`
	Plan                []struct{ Content, Status string }
	CurrentCall         *struct{ ID, Tool, Title, Since string }
	PendingRequest      *struct {
		Kind, Title, ToolCallID string
		Options                 []struct{ OptionID string }
	}
	Usage          struct{ InputTokens, OutputTokens int }
	BackgroundJobs []object
	ChildPids      []int
	Sandbox        object
}

func (p *process) status(session string) (s sessionStatus) {
	p.t.Helper()
	p.result("_reasonix.io/session/status", object{"sessionId": session}, &s)
	return s
}

func (p *process) set(session, option, value string) []configOption {
	p.t.Helper()
	var r struct{ ConfigOptions []configOption }
	p.result("session/set_config_option", object{"sessionId": session, "configId": option, "value": value}, &r)
	return r.ConfigOptions
}

func current(options []configOption) string {
	var all []string
	for _, o := range options {
		all = append(all, o.ID+"="+o.CurrentValue)
	}
	return strings.Join(all, " ")
}

func (p *process) load(method, session, cwd string) rpc {
	p.t.Helper()
	return p.call(method, object{"sessionId": session, "cwd": cwd, "mcpServers": []any{}})
}
