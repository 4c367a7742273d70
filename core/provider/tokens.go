package provider

import (
	"bytes"

	"reasonix/core/message"
)

// What a piece of text is worth in hundredths of a token before any endpoint has
// counted. Tokenizers differ by a factor of two; a Meter learns which it is.
const (
	asciiByte   = 25  // four bytes a token
	narrowRune  = 50  // two bytes of UTF-8: Latin with accents, Greek, Cyrillic, Arabic
	wideRune    = 65  // three bytes: Chinese, Japanese, Korean, symbols
	rareRune    = 150 // four bytes: emoji and rare ideographs
	wholeToken  = 100
	oneImage    = 1000 * wholeToken
	oneMessage  = 4 * wholeToken // the role and what separates messages
	oneTool     = 8 * wholeToken // what stands around a schema
	frameLength = len(`{"role":"user","content":""},`)
)

// Estimate guesses how many tokens text is: a quarter of a token per ASCII byte,
// 0.65 per CJK character, 0.5 to 1.5 per other one. It allocates nothing.
func Estimate[T ~string | ~[]byte](text T) int { return tokens(worth(text)) }

// EstimateTools guesses what the schemas add to a prompt.
func EstimateTools(tools []message.ToolSchema) int {
	sum := 0
	for _, t := range tools {
		sum += worth(t.Name) + worth(t.Description) + worth(t.Parameters) + oneTool
	}
	return tokens(sum)
}

func tokens(hundredths int) int { return (hundredths + wholeToken - 1) / wholeToken }

// worth looks at eight bytes at a time as long as they are ASCII, which most of any
// conversation is.
func worth[T ~string | ~[]byte](text T) int {
	sum, i := 0, 0
	for i < len(text) {
		for ; i+8 <= len(text) && text[i]|text[i+1]|text[i+2]|text[i+3]|text[i+4]|text[i+5]|text[i+6]|text[i+7] < 0x80; i += 8 {
			sum += 8 * asciiByte
		}
		if i == len(text) {
			break
		}
		switch c := text[i]; {
		case c < 0x80:
			sum += asciiByte
		case c < 0xC0: // the rest of a character
		case c < 0xE0:
			sum += narrowRune
		case c < 0xF0:
			sum += wideRune
		default:
			sum += rareRune
		}
		i++
	}
	return sum
}

// worthOfWire is worth for encoded messages. The bytes of a message's frame count
// as its overhead, and an image by what vendors charge for one, not by its bytes.
// Inside a text the quotes looked for are escaped.
func worthOfWire(wire []byte) int {
	sum := bytes.Count(wire, []byte(`{"role":`)) * (oneMessage - frameLength*asciiByte)
	for {
		before, data, found := bytes.Cut(wire, []byte(`"url":"data:`))
		sum += worth(before)
		if !found {
			return max(0, sum)
		}
		sum += oneImage
		wire = data[max(0, bytes.IndexByte(data, '"')):]
	}
}

// Meter turns estimates into an endpoint's own tokens: it is told what requests
// were estimated at and what the endpoint counted. The zero Meter knows nothing
// and passes estimates on as they are. It belongs to one model and is not safe
// for concurrent use.
type Meter struct {
	scale float64 // reported by estimated; 0 before the first count
}

const (
	newest = 0.3 // how much the latest count says about the next
	// A count further off is not one of the same text: some gateways leave out what
	// the cache gave, or count something else.
	furthest = 5.0
	// Shorter prompts say more about a vendor's own preamble than about its tokens.
	shortest = 32
)

// Observe notes that a prompt estimated at so many tokens was counted as
// reported. Counts that cannot be true are passed over.
func (m *Meter) Observe(estimated, reported int) {
	if estimated < shortest || reported <= 0 {
		return
	}
	ratio := float64(reported) / float64(estimated)
	switch {
	case ratio > furthest || ratio < 1/furthest:
	case m.scale == 0:
		m.scale = ratio
	default:
		m.scale += newest * (ratio - m.scale)
	}
}

// Scale is an estimate in the endpoint's own tokens.
func (m *Meter) Scale(estimated int) int {
	if m.scale == 0 {
		return estimated
	}
	return int(float64(estimated)*m.scale + 0.5)
}

// Tokens guesses how many of the endpoint's tokens text is.
func (m *Meter) Tokens(text string) int { return m.Scale(Estimate(text)) }
