package protocol

import "reasonix/core/message"

// Rewind moves the end of the conversation to the message To, or puts files back to
// what they were when the conversation was there, or both. A message of the user means
// the state before it; any other, which must have been the last of a turn, the state
// behind it. It is refused with ErrBusy while a turn runs. Rewound says what was done.
// Nothing is cut: Rewind to its Was undoes it, files too.
//
// A file that is not as the session last left it is somebody else's work: it stays, and
// Rewound names it.
type Rewind struct {
	To                  message.ID
	Conversation, Files bool
}

func (Rewind) op() {}
