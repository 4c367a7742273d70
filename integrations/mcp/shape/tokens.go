package shape

import "reasonix/core/message"

// Tokens guesses what offering tools adds to every prompt, by the rule that the
// estimate of a conversation uses before an endpoint has counted: a quarter of a
// token per ASCII byte, 0.65 per Chinese character, and eight for what stands
// around each tool.
func Tokens(tools ...message.ToolSchema) int {
	const whole, around = 100, 800 // in hundredths of a token
	sum := 0
	for _, t := range tools {
		sum += worth(t.Name) + worth(t.Description) + worth(t.Parameters) + around
	}
	return (sum + whole - 1) / whole
}

func worth[T ~string | ~[]byte](text T) int {
	sum := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c < 0x80:
			sum += 25
		case c < 0xC0: // the rest of a character
		case c < 0xE0:
			sum += 50
		case c < 0xF0:
			sum += 65
		default:
			sum += 150
		}
	}
	return sum
}
