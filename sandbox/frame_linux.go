package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// The two sides of a supervisor's socket exchange frames: four bytes of length,
// then a list of strings, each with its length as a varint. Strings, not JSON:
// arguments and environments are bytes, not text. Descriptors ride on the four
// bytes. The first string is the verb.
const (
	verbReady   = "ready"   // supervisor: can serve; or an error text follows
	verbRun     = "run"     // owner: dir, number of arguments, arguments, environment
	verbStarted = "started" // supervisor: process id, which is the session id too
	verbFailed  = "failed"  // supervisor: errno of a start that failed
	verbCancel  = "cancel"  // owner: end the running command
	verbExit    = "exit"    // supervisor: wait status, whether all is gone, what was left behind
	verbCut     = "cut"     // supervisor: 0, whether all is gone; the command did not end by itself
)

// maxFrame bounds a frame. The kernel refuses arguments and environments far
// smaller than this.
const maxFrame = 64 << 20

var errFrame = errors.New("malformed frame")

func writeFrame(c *net.UnixConn, list []string, fds ...int) error {
	body := encodeList(list)
	if len(body) > maxFrame {
		return fmt.Errorf("frame of %d bytes: %w", len(body), syscall.E2BIG)
	}
	var oob []byte
	if len(fds) > 0 {
		oob = syscall.UnixRights(fds...)
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	if _, _, err := c.WriteMsgUnix(head, oob, nil); err != nil {
		return err
	}
	_, err := c.Write(body)
	return err
}

// readFrame returns the next frame and the descriptors that came with it, all
// close-on-exec. io.EOF means that the other side is gone.
func readFrame(c *net.UnixConn) (list []string, fds []int, err error) {
	list, came, err := receive(c)
	return list, came.fds, err
}

// A control is what comes with a frame besides its text.
type control struct {
	fds []int
	pid int // of the sender as we see it; 0 unless the socket tells
}

func receive(c *net.UnixConn) (list []string, came control, err error) {
	var head [4]byte
	oob := make([]byte, syscall.CmsgSpace(4*4)+syscall.CmsgSpace(syscall.SizeofUcred))
	n, oobn, _, _, err := c.ReadMsgUnix(head[:], oob)
	if err != nil {
		return nil, came, err
	}
	if n == 0 {
		return nil, came, io.EOF
	}
	if came, err = parseControl(oob[:oobn]); err != nil {
		return nil, came, err
	}
	if _, err = io.ReadFull(c, head[n:]); err != nil {
		return nil, came, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrame {
		return nil, came, errFrame
	}
	body := make([]byte, size)
	if _, err = io.ReadFull(c, body); err != nil {
		return nil, came, err
	}
	list, err = decodeList(body)
	return list, came, err
}

func parseControl(oob []byte) (came control, err error) {
	if len(oob) == 0 {
		return came, nil
	}
	msgs, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return came, err
	}
	for i := range msgs {
		if msgs[i].Header.Type == syscall.SCM_CREDENTIALS {
			cred, err := syscall.ParseUnixCredentials(&msgs[i])
			if err != nil {
				return came, err
			}
			came.pid = int(cred.Pid)
			continue
		}
		got, err := syscall.ParseUnixRights(&msgs[i])
		if err != nil {
			return came, err
		}
		came.fds = append(came.fds, got...)
	}
	return came, nil
}

func encodeList(list []string) []byte {
	size := 0
	for _, s := range list {
		size += len(s) + binary.MaxVarintLen32
	}
	body := make([]byte, 0, size)
	for _, s := range list {
		body = binary.AppendUvarint(body, uint64(len(s)))
		body = append(body, s...)
	}
	return body
}

func decodeList(body []byte) ([]string, error) {
	var list []string
	for len(body) > 0 {
		size, n := binary.Uvarint(body)
		if n <= 0 || size > uint64(len(body)-n) {
			return nil, errFrame
		}
		body = body[n:]
		list = append(list, string(body[:size]))
		body = body[size:]
	}
	if len(list) == 0 {
		return nil, errFrame
	}
	return list, nil
}
