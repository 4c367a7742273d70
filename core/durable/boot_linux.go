package durable

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// bootID is the kernel's name for this boot.
var bootID = sync.OnceValue(func() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
})

// processStart is when a process began, in clock ticks since the boot; "" when it
// cannot be known. It tells two processes of one number apart.
func processStart(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The second field, a name in parentheses, may hold anything.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const at = 22 - 3 // of the fields behind the name, which is the second
	if len(fields) <= at {
		return ""
	}
	return fields[at]
}
