package wire

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// children are the processes that this process started and that still run. What
// cannot be read is left out.
func children() []int {
	const tasks = "/proc/self/task"
	dir, err := os.Open(tasks)
	if err != nil {
		return nil
	}
	threads, _ := dir.Readdirnames(-1)
	dir.Close()
	var pids []int
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + "/" + thread + "/children")
		if err != nil {
			continue // the thread ended
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	slices.Sort(pids)
	return pids
}
