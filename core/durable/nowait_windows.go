package durable

func (n *NoWait) read(p []byte) (int, error) {
	got, err := n.file.Read(p)
	return got, bare(err)
}
