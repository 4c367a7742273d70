package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/view"
)

func TestARewoundConversationEndsAtItsHeadAndComesBack(t *testing.T) {
	said := func(id message.ID) event.UserSaid {
		return event.UserSaid{Prompt: event.PromptID(id), Display: string(id), Message: message.Message{ID: id, Role: message.User}}
	}
	reply := func(id message.ID) event.Replied {
		return event.Replied{Message: message.Message{ID: id, Role: message.Assistant, Content: "x"}}
	}
	before := fold(view.State{}, script(said("u1"), reply("m1"), said("u2"), reply("m2"))...)
	back := fold(view.State{}, script(said("u1"), reply("m1"), said("u2"), reply("m2"), event.Rewound{Head: "m1", Was: "m2"})...)
	if len(back.Messages) != 2 || back.Messages[1].ID != "m1" {
		t.Errorf("messages %+v", back.Messages)
	}
	undone := fold(view.State{}, script(said("u1"), reply("m1"), said("u2"), reply("m2"),
		event.Rewound{Head: "m1", Was: "m2"}, event.Rewound{Head: "m2", Was: "m1"})...)
	if d := cmp.Diff(before.Messages, undone.Messages); d != "" {
		t.Errorf("undone (-want +got):\n%s", d)
	}
}
