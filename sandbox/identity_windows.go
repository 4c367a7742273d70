package sandbox

import "io/fs"

// identity tells the file of info from others; nothing here needs it.
func identity(fs.FileInfo) string { return "" }
