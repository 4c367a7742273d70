package sandbox

// identity names the file that is at path at present; nothing here needs it.
func identity(string) string { return "" }
