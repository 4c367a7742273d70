package protocol

import (
	"reasonix/core/event"
	"reasonix/core/message"
)

// Rewind moves the end of the conversation to the message To, or puts files back to
// what they were when the conversation was there, or both. A message of the user means
// the state before it; any other, which must have been the last of a turn, the state
// behind it. It is refused with ErrBusy while a turn runs. Rewound says what was done.
// Nothing is cut: Rewind to its Was undoes it, files too; with its record as Since also
// when others came behind it.
//
// A file that is not as the session last left it is somebody else's work: it stays, and
// Rewound names it.
type Rewind struct {
	To message.ID
	// Since puts files back to what they were before this record, if that is earlier.
	Since               event.Seq
	Conversation, Files bool
}

func (Rewind) op() {}
