package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"reasonix/core/message"
	"reasonix/core/protocol"
)

// The most that a prompt may bring along in pictures.
const (
	maxImage  = 20 << 20 // bytes
	maxImages = 20
)

// checkImages refuses pictures that nobody can look at.
func checkImages(op string, images []protocol.Image) error {
	bad := func(reason string, args ...any) error {
		return &protocol.BadOp{Op: op, Field: "Images", Reason: fmt.Sprintf(reason, args...)}
	}
	if len(images) > maxImages {
		return bad("at most %d at once", maxImages)
	}
	for _, i := range images {
		switch {
		case !strings.HasPrefix(i.MIME, "image/"):
			return bad("%q is no type of an image", i.MIME)
		case len(i.Data) == 0:
			return bad("an image is empty")
		case len(i.Data) > maxImage:
			return bad("an image is larger than %d MB", maxImage>>20)
		}
	}
	return nil
}

// keepImages saves pictures that came with a prompt beside the journal, and names them
// behind the attachments. The first prompt of a session makes its journal here.
func (in *intake) keepImages(had []message.Attachment, images []protocol.Image) ([]message.Attachment, error) {
	if len(images) == 0 {
		return had, nil
	}
	if err := in.j.begin(); err != nil {
		return nil, err
	}
	all := slices.Clone(had)
	for _, i := range images {
		hash, _, err := in.save(bytes.NewReader(i.Data))
		if err != nil {
			return nil, fmt.Errorf("keep the image %s: %w", i.Name, err)
		}
		all = append(all, message.Attachment{MIME: i.MIME, Name: i.Name, Hash: hash, Size: int64(len(i.Data))})
	}
	return all, nil
}
