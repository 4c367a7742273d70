package durable

import (
	"errors"
	"io"
)

func (n *NoWait) read(p []byte) (int, error) {
	got, err := n.file.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = n.failed(bare(err))
	}
	return got, err
}
