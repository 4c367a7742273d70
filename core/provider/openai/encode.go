package openai

import (
	"encoding/base64"
	"fmt"
	"strings"

	"reasonix/core/message"
	"reasonix/core/provider"
)

// Encode appends batch as it stands inside "messages":[ ]. The bytes depend on
// the messages and the configuration alone. What strict endpoints refuse is made
// acceptable here, because a refused message would make every later request
// fail as well: arguments that are no JSON object are written as {}, names that
// are no tool names are cleaned, invalid UTF-8 becomes U+FFFD, and an empty
// message says that it is.
//
// Images that tools returned are gathered into one user message behind the
// results, the only place where endpoints accept them.
func (p *Provider) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	return p.encode(dst, batch, recall(p.key).noReplay)
}

func (p *Provider) encode(dst []byte, batch []message.Message, noReplay bool) ([]byte, error) {
	e := encoder{p: p, dst: dst, proto: p.proto}
	if noReplay {
		e.proto.replay = replayNever
	}
	for i := range batch {
		m := &batch[i]
		if m.Role != message.ToolRole {
			e.returned()
		}
		if err := e.message(m); err != nil {
			return dst, fmt.Errorf("encode message %d of %d: %w", i+1, len(batch), err)
		}
	}
	e.returned()
	return e.dst, nil
}

// encoder writes one batch.
type encoder struct {
	p      *Provider
	dst    []byte
	proto  protocol
	images []message.Attachment // of the tool results before
}

func (e *encoder) put(s string)    { e.dst = append(e.dst, s...) }
func (e *encoder) string(s string) { e.dst = appendString(e.dst, s) }

func (e *encoder) separate() {
	if len(e.dst) > 0 {
		e.put(",")
	}
}

func (e *encoder) message(m *message.Message) error {
	switch m.Role {
	case message.System, message.User:
		e.separate()
		e.said(string(m.Role), m)
	case message.Assistant:
		e.separate()
		e.assistant(m)
	case message.ToolRole:
		e.separate()
		e.result(m)
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	return nil
}

// said is a message of the user or the system, with what is attached to it.
func (e *encoder) said(role string, m *message.Message) {
	text, images := e.split(m)
	e.put(`{"role":"` + role + `","content":`)
	if len(images) == 0 {
		e.string(orEmpty(text))
	} else {
		e.parts(text, images)
	}
	e.put("}")
}

// split is a message's text, with a line for every attachment that cannot be
// sent as itself, and the images that can.
func (e *encoder) split(m *message.Message) (text string, images []message.Attachment) {
	if len(m.Attachments) == 0 {
		return m.Content, nil
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for _, a := range m.Attachments {
		if e.visible(a) {
			images = append(images, a)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.inWords(a))
	}
	return b.String(), images
}

// visible reports whether the model can be shown a.
func (e *encoder) visible(a message.Attachment) bool {
	return e.p.vision && e.p.blob != nil && isImage(a) && a.Hash != ""
}

func isImage(a message.Attachment) bool { return strings.HasPrefix(a.MIME, "image/") }

// inWords stands for an attachment that cannot be sent.
func (e *encoder) inWords(a message.Attachment) string {
	name := a.Name
	if name == "" {
		name = a.Path
	}
	switch {
	case isImage(a) && a.Path == "":
		return fmt.Sprintf("[image %s (%s, %d bytes): this model is shown no images]", name, a.MIME, a.Size)
	case isImage(a):
		return fmt.Sprintf("[image file: %s]", a.Path)
	case a.Path != "":
		return fmt.Sprintf("[file: %s]", a.Path)
	}
	return fmt.Sprintf("[attachment %s (%s, %d bytes)]", name, a.MIME, a.Size)
}

// parts writes list-valued content.
func (e *encoder) parts(text string, images []message.Attachment) {
	e.put("[")
	if text != "" {
		e.put(`{"type":"text","text":`)
		e.string(text)
		e.put("},")
	}
	for i, a := range images {
		if i > 0 {
			e.put(",")
		}
		e.image(a)
	}
	e.put("]")
}

// image writes one image as a data URL. Bytes that are gone do not end the
// session: the model is told.
func (e *encoder) image(a message.Attachment) {
	data, err := e.p.blob(a.Hash)
	if err != nil {
		e.put(`{"type":"text","text":`)
		e.string(fmt.Sprintf("[image %s is no longer available]", a.Name))
		e.put("}")
		return
	}
	e.put(`{"type":"image_url","image_url":{"url":`)
	head := appendString(nil, "data:"+a.MIME+";base64,")
	e.dst = append(e.dst, head[:len(head)-1]...)
	e.dst = base64.StdEncoding.AppendEncode(e.dst, data)
	e.put(`"}}`)
}

func (e *encoder) assistant(m *message.Message) {
	text, _ := e.split(m)
	e.put(`{"role":"assistant","content":`)
	switch {
	case text == "" && len(m.ToolCalls) > 0:
		e.put("null")
	default:
		e.string(orEmpty(text))
	}
	e.dst = e.proto.appendReasoning(e.dst, m)
	for i, c := range m.ToolCalls {
		if i == 0 {
			e.put(`,"tool_calls":[`)
		} else {
			e.put(",")
		}
		e.call(c)
	}
	if len(m.ToolCalls) > 0 {
		e.put("]")
	}
	e.put("}")
}

// call writes one call. Arguments the model got wrong are written as {}: strict
// endpoints refuse anything but the text of an object, and what was wrong is said
// in the result.
func (e *encoder) call(c message.ToolCall) {
	args, ok := provider.ValidArguments(c.Arguments)
	if !ok {
		args = "{}"
	}
	e.put(`{"id":`)
	e.string(callID(e.p.profile.CallIDs, c.ID))
	e.put(`,"type":"function","function":{"name":`)
	e.string(toolName(c.Name))
	e.put(`,"arguments":`)
	e.string(args)
	e.put("}}")
}

// toolName makes a name the model invented acceptable.
func toolName(name string) string {
	const most = 64
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && (wordByte(byte(r)) || r == '-') {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), most)]
}

func (e *encoder) result(m *message.Message) {
	text, images := e.split(m)
	e.images = append(e.images, images...)
	e.put(`{"role":"tool","content":`)
	e.string(text)
	e.put(`,"tool_call_id":`)
	e.string(callID(e.p.profile.CallIDs, m.ToolCallID))
	e.put("}")
}

// returned writes the images of the results before.
func (e *encoder) returned() {
	if len(e.images) == 0 {
		return
	}
	e.separate()
	e.put(`{"role":"user","content":`)
	e.parts("Images returned by the tools above:", e.images)
	e.put("}")
	e.images = nil
}

// orEmpty stands for nothing where endpoints want something.
func orEmpty(text string) string {
	if text == "" {
		return "(empty)"
	}
	return text
}
