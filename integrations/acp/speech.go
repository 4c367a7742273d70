package acp

import (
	"cmp"
	"context"
	"strings"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/integrations/internal/acpwire"
)

// speech draws what is said: replies as they are written, and what the client's user
// did not say here.
type speech struct {
	*updates
	album    album
	turns    *turns // whose words the client knows
	shown    shown
	foreseen map[event.PromptID]bool // what the client saw before the model did
}

func (s *speech) wrote(p event.TextDelta) {
	s.chunk(acpwire.AgentMessage, p.Message, s.shown.text(p.Message, p.Offset, p.Text))
}

func (s *speech) thought(p event.ReasoningDelta) {
	s.chunk(acpwire.AgentThought, p.Message, s.shown.thought(p.Message, p.Offset, p.Text))
}

// replied brings what deltas did not.
func (s *speech) replied(m message.Message) {
	thought, text := s.shown.rest(m)
	s.shown.end()
	s.chunk(acpwire.AgentThought, m.ID, thought)
	s.chunk(acpwire.AgentMessage, m.ID, text)
}

// inFlight shows, once more, what was shown of the reply in flight.
func (s *speech) inFlight() {
	s.chunk(acpwire.AgentThought, s.shown.message, string(s.shown.thoughts))
	s.chunk(acpwire.AgentMessage, s.shown.message, string(s.shown.texts))
}

// heard notes what the model was told. What this client neither sent nor was shown, a
// prompt that an earlier process accepted for example, it is shown.
func (s *speech) heard(ctx context.Context, p event.UserSaid) {
	known := s.turns.read(p.Prompt) || s.foreseen[p.Prompt]
	delete(s.foreseen, p.Prompt)
	if p.Prompt != "" && !known {
		s.said(ctx, p.Message.ID, p.Display, p.Message.Attachments)
	}
}

// waits shows a prompt that waits for its turn.
func (s *speech) waits(ctx context.Context, p event.PromptQueued) {
	s.foreseen[p.ID] = true
	s.said(ctx, message.ID(p.ID), p.Display, p.Attachments)
}

// said shows what was said without this client's doing: what was typed, and what came
// with it, a picture as such where it can be, what else there is by name.
func (s *speech) said(ctx context.Context, id message.ID, text string, attached []message.Attachment) {
	s.chunk(acpwire.UserMessage, id, text)
	for _, a := range attached {
		u := acpwire.Speech{SessionUpdate: acpwire.UserMessage, MessageID: string(id)}
		if block, why := s.album.picture(ctx, a, mostPicture); why == "" {
			u.Content = block
		} else {
			u.Content = acpwire.Link{
				Type: "resource_link", URI: cmp.Or(a.Path, "attachment:"+a.Hash), Name: cmp.Or(a.Name, "attachment"), MIMEType: a.MIME, Size: a.Size,
			}
		}
		s.update(u)
	}
}

// shown is what of the reply in flight the client was sent. A slow reader may be owed
// deltas it never gets: text goes on where it was as soon as the whole is there.
type shown struct {
	message         message.ID
	texts, thoughts []byte
	over            message.ID // the reply before: nothing more of it is sent
}

// begin makes id the reply in flight; false when it is over.
func (s *shown) begin(id message.ID) bool {
	if s.message != id && s.over != id {
		*s = shown{message: id, over: s.over}
	}
	return s.message == id
}

// end lets go of the reply in flight: it is whole, or nothing will become of it.
func (s *shown) end() {
	if s.message != "" {
		*s = shown{over: s.message}
	}
}

func (s *shown) text(id message.ID, offset int, text string) string {
	if !s.begin(id) {
		return ""
	}
	return further(&s.texts, offset, text)
}

func (s *shown) thought(id message.ID, offset int, text string) string {
	if !s.begin(id) {
		return ""
	}
	return further(&s.thoughts, offset, text)
}

// rest is what of a whole reply was not sent. Its reasoning comes too late once text was.
func (s *shown) rest(m message.Message) (thought, text string) {
	if s.begin(m.ID) && len(s.texts) == 0 {
		var all strings.Builder
		for _, r := range m.Reasoning {
			all.WriteString(r.Text)
		}
		thought = s.thought(m.ID, 0, all.String())
	}
	return thought, s.text(m.ID, 0, m.Content)
}

// further is the part of text, which lies at offset, behind what was sent, and adds it to
// that. It is empty when bytes between them are missing.
func further(sent *[]byte, offset int, text string) string {
	skip := len(*sent) - offset
	if skip < 0 || skip >= len(text) {
		return ""
	}
	*sent = append(*sent, text[skip:]...)
	return text[skip:]
}
