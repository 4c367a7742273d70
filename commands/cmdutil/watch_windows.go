package cmdutil

import "context"

// Gone is never closed here: a writer learns that its reader left at its next
// write.
func (p *PipeWriter) Gone(context.Context) <-chan struct{} { return make(chan struct{}) }
