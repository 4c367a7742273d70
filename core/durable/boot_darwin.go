package durable

import (
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is the kernel's name for this boot.
var bootID = sync.OnceValue(func() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
})

// processStart is when a process began, in seconds and microseconds; "" when it
// cannot be known. It tells two processes of one number apart.
func processStart(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	at := info.Proc.P_starttime
	return strconv.FormatInt(int64(at.Sec), 10) + "." + strconv.FormatInt(int64(at.Usec), 10)
}
