//go:build unix

package cmdutil

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// watchPatience is how long a watch sleeps before it looks whether it is still
// wanted, in milliseconds.
const watchPatience = 250

// Gone is closed when the reader of a pipe has left, which a writer otherwise
// learns only at its next write. The watch ends with ctx; what is no pipe is
// never left.
func (p *PipeWriter) Gone(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	f, ok := p.w.(*os.File)
	if !ok {
		return gone
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return gone
	}
	go func() {
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(f.Fd())}} // errors are always reported
			n, err := unix.Poll(fds, watchPatience)
			if err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
				p.broken.Store(true)
				close(gone)
				return
			}
		}
	}()
	return gone
}
