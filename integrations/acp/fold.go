package acp

import (
	"fmt"

	"reasonix/core/event"
	"reasonix/integrations/internal/acpwire"
)

// folded says that the conversation was compacted. The protocol has no word for it;
// a thought is shown and is part of no answer.
func (s *session) folded(f event.Folded) {
	text := fmt.Sprintf("Compacted the conversation (%s): about %d tokens before, %d after.", f.Stage, f.Before, f.After)
	if f.Failure != nil {
		text = "Compaction failed, the conversation is as it was: " + f.Failure.Text
	}
	s.update(acpwire.Chunk{SessionUpdate: acpwire.AgentThought, Content: acpwire.TextBlock(text + "\n")})
}
