package cmdutil

// CatchPipe does nothing: a closed pipe is an ordinary error on Windows.
func CatchPipe() {}
