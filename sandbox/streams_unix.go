//go:build unix

package sandbox

import (
	"os"
	"syscall"
	"time"
)

// pipeSize is more than an unread pipe can hold unless it was enlarged.
const pipeSize = 1 << 20

func setBlocking(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = syscall.SetNonblock(int(fd), false) })
	if err != nil {
		return err
	}
	return failed
}

// drain takes what is still in the pipe without waiting for more.
func (p *pump) drain(buf []byte) {
	_ = p.from.SetReadDeadline(time.Time{})
	raw, err := p.from.SyscallConn()
	if err != nil {
		return
	}
	for total := 0; total < pipeSize; {
		n := 0
		err := raw.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), buf)
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		p.write(buf[:n])
		total += n
	}
}

// finish waits for the end of the pipe, which a deadline guarantees.
func (p *pump) finish() error {
	<-p.done
	return p.err
}
