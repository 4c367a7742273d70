package event

import "reasonix/core/message"

// FilesChanged says what a call did to files, so that it can be taken back.
type FilesChanged struct {
	Call  string `json:"call,omitzero"`
	Files []File `json:"files,omitzero"`
	// More is how many further files changed that are not named and cannot be put back.
	More int `json:"more,omitzero"`
}

// File is what a call did to one path: the SHA-256 of a file's content or of a link's
// target, and kind and permissions in octal as git writes them (100644 a file, 120000 a
// link, 040755 a directory), before and after. Without a mode nothing is there.
type File struct {
	Path    string `json:"path,omitzero"` // absolute; quoted as in Go when it is no UTF-8
	Before  string `json:"before,omitzero"`
	After   string `json:"after,omitzero"`
	ModeWas string `json:"mode_was,omitzero"`
	Mode    string `json:"mode,omitzero"`
	// Seen says that it was found by looking, around a command: it changed while that ran,
	// be it by somebody else's hand.
	Seen bool   `json:"seen,omitzero"`
	Lost string `json:"lost,omitzero"` // why a rewind leaves it: what was before is not kept, or this may be the only copy
}

// Rewinding says what a Rewound is about to do to files, before the first is touched. A
// process that ends in between leaves it alone in the journal; the next one goes on
// with it.
type Rewinding struct {
	Head  message.ID `json:"head,omitzero"` // of the Rewound
	Was   message.ID `json:"was,omitzero"`
	Files []File     `json:"files,omitzero"` // After is what they are put back to
	Kept  []Kept     `json:"kept,omitzero"`  // what is left in any case
}

// Rewound moves the end of the conversation to Head, which is its last message now;
// empty: nothing is said yet. Nothing is cut: to Was, the last message before, it can
// be moved back.
type Rewound struct {
	Head  message.ID `json:"head,omitzero"`
	Was   message.ID `json:"was,omitzero"`
	Files []File     `json:"files,omitzero"` // what was put back
	Kept  []Kept     `json:"kept,omitzero"`  // what was not, because somebody else changed it say
}

// Kept is a path that a Rewind left as it is; without a path, a gap in what is known.
type Kept struct {
	Path   string `json:"path,omitzero"`
	Reason string `json:"reason,omitzero"`
}

func (FilesChanged) payload() {}
func (Rewinding) payload()    {}
func (Rewound) payload()      {}
