package wire

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// children are the processes that this process started and that still run. What
// cannot be read is left out.
func children() []int {
	files, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is sound
	var pids []int
	for _, file := range files {
		text, err := os.ReadFile(file)
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
