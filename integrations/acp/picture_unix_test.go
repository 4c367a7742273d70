//go:build unix

package acp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/core/provider/providertest"
	"reasonix/integrations/acp"
)

// aPicture is a small PNG file.
func aPicture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// imagesIn is the pictures in updates of a kind, decoded and by their type.
func imagesIn(t *testing.T, all []rpc, kind string) (pictures []string) {
	t.Helper()
	var find func(v any)
	find = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				find(one)
			}
		case object:
			if v["type"] == "image" {
				data, err := base64.StdEncoding.DecodeString(v["data"].(string))
				if err != nil {
					t.Error(err)
				}
				pictures = append(pictures, v["mimeType"].(string)+" "+string(data))
			}
			find(v["content"])
		}
	}
	for _, m := range all {
		if m.Method == "session/update" {
			if u := m.update(t).Update; u.SessionUpdate == kind {
				find(u.Content)
			}
		}
	}
	return pictures
}

// A picture that a tool shows the model is shown to the client, also when the session is
// loaded, as is one that came with a prompt.
func TestPicturesAreShown(t *testing.T) {
	look := providertest.Call{ID: "c", Name: "view_image", Arguments: `{"path":"a.png"}`}
	host := engineWith(t, t.TempDir(), providertest.New(t, providertest.Calls(look), providertest.Text("Grey.")), "vision = true\n")
	s, dir, picture := serveWith(t, nil, host, acp.Options{}), t.TempDir(), aPicture(t)
	if err := os.WriteFile(filepath.Join(dir, "a.png"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
	session, want := s.open(dir), []string{"image/png " + string(picture)}
	s.stopped(s.send("session/prompt", object{"sessionId": session, "prompt": []object{
		{"type": "text", "text": "and that one?"}, {"type": "image", "mimeType": "image/png", "data": base64.StdEncoding.EncodeToString(picture)},
	}}))
	if diff := cmp.Diff(imagesIn(t, s.all(), "tool_call_update"), want); diff != "" {
		t.Errorf("live: %s", diff)
	}
	s.forget()
	s.response(s.send("session/load", object{"sessionId": session, "cwd": dir, "mcpServers": []any{}}))
	for _, kind := range []string{"tool_call_update", "user_message_chunk"} {
		if diff := cmp.Diff(imagesIn(t, s.all(), kind), want); diff != "" {
			t.Errorf("loaded, %s: %s", kind, diff)
		}
	}
}

// keeping is a catalogue of attachments alone.
type keeping struct {
	protocol.Catalog
	kept map[string][]byte
}

func (keeping) Facts(context.Context, event.SessionID) (protocol.Facts, error) {
	return protocol.Facts{}, nil
}

func (k keeping) Attachment(_ context.Context, _ event.SessionID, hash string) ([]byte, error) {
	if data, ok := k.kept[hash]; ok {
		return data, nil
	}
	return nil, errors.New("it is gone")
}

// Of the pictures of a call only as many are sent as one message has room for, and the
// rest is named with the reason.
func TestPicturesThatCannotBeShownAreNamed(t *testing.T) {
	large := append(aPicture(t), make([]byte, 2<<20)...)
	kept := map[string][]byte{"one": large, "two": large, "small": aPicture(t), "text": []byte("no picture at all")}
	var attached []message.Attachment
	for _, hash := range []string{"one", "two", "small", "text", "gone"} {
		attached = append(attached, message.Attachment{Name: hash + ".png", Hash: hash, MIME: "image/png", Size: int64(len(kept[hash]))})
	}
	attached = append(attached, message.Attachment{MIME: "image/png", Hash: "vast", Size: 1 << 40})
	turn := []event.Payload{
		event.ToolFinished{Call: "c", Status: event.StatusOK, Message: message.Message{Content: "six", Attachments: attached}},
		event.TurnEnded{Outcome: event.Completed},
	}
	p := &playing{turn: turn, told: make(chan event.Payload, 3), closed: make(chan struct{})}
	p.told <- event.Offered{}
	s := serveHost(t, nil, protocol.Host{Opener: p, Catalog: keeping{kept: kept}})
	s.open(t.TempDir())
	s.stopped(s.prompt("s", "x"))
	if got := imagesIn(t, s.all(), "tool_call_update"); len(got) != 2 || len(got[0]) < len(large) || len(got[1]) > 200 {
		t.Errorf("%d pictures", len(got))
	}
	for _, want := range []string{
		"[two.png: it is too large to be shown]", "[text.png: it is no picture that clients show]",
		"[gone.png: its bytes are lost]", "[image/png: it is too large to be shown]",
	} {
		if m := fmt.Sprint(s.all()); !strings.Contains(m, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
