package durable

// LockDir does nothing here: directories cannot be locked.
func LockDir(string) (release func() error, err error) { return func() error { return nil }, nil }
