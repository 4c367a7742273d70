package durable

// exists is not asked here: a handle of a killed process is closed with it.
func exists(int) bool { return true }
