package acp_test

import (
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/acp"
)

// What a person reads at the editor is in their language, where it is ours.
func TestPeopleReadTheirLanguage(t *testing.T) {
	d := &deciding{playing: &playing{told: make(chan event.Payload), closed: make(chan struct{})}}
	s := serveWith(t, nil, protocol.Host{Opener: d}, acp.Options{Lang: "zh-CN"})
	if m := s.call("initialize", object{"protocolVersion": 1}); !strings.Contains(m.raw, "在终端运行 reasonix setup") {
		t.Error(m.raw)
	}
	s.open(t.TempDir())
	failed := &event.Failure{Text: "x"}
	for _, c := range []struct {
		told event.Payload
		want []string
	}{
		{event.Offered{Models: []string{"a/one"}, Efforts: []string{"high"}, WorkModes: []string{"economy"}, Approvals: []string{"ask"}}, []string{
			`"name":"模型"`, `"name":"自动"`, "模型自带的强度", `"name":"高"`, `"name":"节约"`, "少量工具", `"name":"权限"`, `"name":"询问"`,
		}},
		{event.ServerChanged{Name: "m", State: event.ServerFailed}, []string{"MCP 服务器 m 没有运行"}},
		{event.ServerChanged{Name: "m", State: event.ServerUntrusted}, []string{"等待允许"}},
		{event.Phase{Name: event.PhaseWorkspace}, []string{"另一个会话正在写入"}},
		{event.Phase{Name: event.PhaseWorkspace, Holder: "pid 7"}, []string{"当前由 pid 7 占用"}},
		{event.Retrying{Attempt: 2, After: time.Second, Failure: *failed}, []string{"1s 后重新发送（第 2 次）"}},
		{event.Retrying{Attempt: 2, Of: 3, After: time.Second, Failure: *failed}, []string{"（第 2 次，共 3 次）"}},
		{event.Folded{Stage: "summary", Before: 9, After: 3}, []string{"之前约 9 个 token，之后 3 个。"}},
		{event.Folded{Failure: failed}, []string{"压缩失败"}},
		{event.ToolFinished{Call: "c", Status: event.StatusOK, Message: message.Message{Attachments: []message.Attachment{{Name: "a.png"}}}}, []string{"[a.png: 没有保存它的内容]"}},
		{event.Asked{Question: event.Question{
			ID: "q", Kind: event.AskPermission, Title: "make", Parts: []event.Part{{Text: "make", Verdict: "ask"}},
			Options: []event.Option{{ID: "allow_once", Label: "Allow once", Kind: event.AllowOnce, Example: "ls"}},
		}}, []string{"允许这一次（还包括：ls）", "询问: `make`"}},
		{event.Asked{Question: event.Question{ID: "r", Kind: event.AskQuestion, Options: []event.Option{{ID: "q1:1", Label: "red"}}}}, []string{`"name":"red"`, `"name":"忽略"`}},
		{event.Asked{Question: event.Question{ID: "m", Kind: event.AskQuestion, Multi: true, Options: []event.Option{{ID: "q1:1", Label: "red"}}}}, []string{"完成：一项都不选", `"name":"忽略"`}},
	} {
		d.told <- c.told
		s.next("it is told", func(m rpc) bool {
			for _, want := range c.want {
				if !strings.Contains(m.raw, want) {
					return false
				}
			}
			return true
		})
	}
}
