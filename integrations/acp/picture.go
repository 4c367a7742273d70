package acp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/protocol"
	"reasonix/integrations/internal/acpwire"
)

// mostPicture bounds the pictures in one message, in bytes: on the wire they are a third
// longer.
const mostPicture = 3 << 20

// album finds the pictures of a session.
type album struct {
	host protocol.Host
	of   event.SessionID
}

// picture is what is attached as an image block of at most room bytes, or else why it is
// none.
func (l album) picture(ctx context.Context, a message.Attachment, room int64) (block acpwire.Image, why string) {
	if a.Hash == "" || l.host.Catalog == nil {
		return block, "its bytes are not kept"
	}
	if a.Size > room {
		return block, "it is too large to be shown"
	}
	data, err := l.host.Attachment(ctx, l.of, a.Hash)
	if err != nil {
		return block, "its bytes are lost"
	}
	switch mime := http.DetectContentType(data); {
	case int64(len(data)) > room:
		return block, "it is too large to be shown"
	case mime == "image/png", mime == "image/jpeg", mime == "image/gif", mime == "image/webp":
		return acpwire.Image{Type: "image", Data: data, MIMEType: mime}, ""
	}
	return block, "it is no picture that clients show"
}

// pictures are those of a call's result as its content. One that cannot be shown is named.
func (l album) pictures(ctx context.Context, attached []message.Attachment) (all []any) {
	room := int64(mostPicture)
	for _, a := range attached {
		block, why := l.picture(ctx, a, room)
		if why != "" {
			all = append(all, textContent(fmt.Sprintf("[%s: %s]", cmp.Or(a.Name, a.MIME, "attachment"), why)))
			continue
		}
		room -= int64(len(block.Data))
		all = append(all, acpwire.Picture{Type: "content", Content: block})
	}
	return all
}
