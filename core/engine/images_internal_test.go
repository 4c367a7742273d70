package engine

import (
	"errors"
	"strings"
	"testing"

	"reasonix/core/protocol"
)

func TestPicturesNobodyCanLookAtAreRefused(t *testing.T) {
	png := func(size int) protocol.Image { return protocol.Image{MIME: "image/png", Data: make([]byte, size)} }
	for reason, images := range map[string][]protocol.Image{
		"":                       {png(1), png(maxImage)},
		"at most 20":             make([]protocol.Image, maxImages+1),
		"is empty":               {png(0)},
		"is larger than 20 MB":   {png(1), png(maxImage + 1)},
		`"text/plain" is no`:     {{MIME: "text/plain", Data: []byte("x")}},
		`"" is no type of an im`: {{Data: []byte("x")}},
	} {
		err := checkImages("Prompt", images)
		var bad *protocol.BadOp
		switch {
		case reason == "" && err != nil:
			t.Errorf("refused: %v", err)
		case reason != "" && (!errors.As(err, &bad) || bad.Field != "Images" || !strings.Contains(bad.Reason, reason)):
			t.Errorf("%s: %v", reason, err)
		}
	}
}
