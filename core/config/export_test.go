package config

// WithServer and WithoutServer are AddServer and RemoveServer for a text.
func WithServer(text []byte, p Plugin) ([]byte, error) { return withServer(text, "f", p) }

func WithoutServer(text []byte, name string) ([]byte, error) { return withoutServer(text, "f", name) }
