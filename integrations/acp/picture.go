package acp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"reasonix/core/event"
	"reasonix/core/i18n"
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
	lang string // of the person who looks at them
}

// picture is what is attached as an image block of at most room bytes, or else why it is
// none, in words for a person.
func (l album) picture(ctx context.Context, a message.Attachment, room int64) (block acpwire.Image, why string) {
	if a.Hash == "" || l.host.Catalog == nil {
		return block, i18n.T(l.lang, "acp.picture.unkept")
	}
	if a.Size > room {
		return block, i18n.T(l.lang, "acp.picture.large")
	}
	data, err := l.host.Attachment(ctx, l.of, a.Hash)
	if err != nil {
		return block, i18n.T(l.lang, "acp.picture.lost")
	}
	switch mime := http.DetectContentType(data); {
	case int64(len(data)) > room:
		return block, i18n.T(l.lang, "acp.picture.large")
	case mime == "image/png", mime == "image/jpeg", mime == "image/gif", mime == "image/webp":
		return acpwire.Image{Type: "image", Data: data, MIMEType: mime}, ""
	}
	return block, i18n.T(l.lang, "acp.picture.none")
}

// pictures are those of a call's result as its content. One that cannot be shown is named.
func (l album) pictures(ctx context.Context, attached []message.Attachment) (all []any) {
	room := int64(mostPicture)
	for _, a := range attached {
		block, why := l.picture(ctx, a, room)
		if why != "" {
			all = append(all, textContent(fmt.Sprintf("[%s: %s]", cmp.Or(a.Name, a.MIME, i18n.T(l.lang, "acp.attachment")), why)))
			continue
		}
		room -= int64(len(block.Data))
		all = append(all, acpwire.Picture{Type: "content", Content: block})
	}
	return all
}
