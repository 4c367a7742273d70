package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A process is one row of /proc.
type process struct {
	pid, parent, session int
	zombie               bool   // or a process whose first thread has ended
	born                 uint64 // in ticks since the system's start
}

// processes reads the table once. It is not a snapshot: a process that forks
// while we read may be missing, so callers look again until nothing is left.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var table []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readStat(pid); ok {
				table = append(table, p)
			}
		}
	}
	return table, nil
}

// readStat reads /proc/PID/stat: "pid (name) state ppid pgrp session ...", where
// the name may itself hold spaces and parentheses; the 22nd field is the start.
func readStat(pid int) (process, bool) {
	data, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return process{}, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	session, err2 := strconv.Atoi(string(fields[3]))
	born, err3 := strconv.ParseUint(string(fields[19]), 10, 64)
	return process{pid, parent, session, fields[0][0] == 'Z', born}, errors.Join(err1, err2, err3) == nil
}

// descendants lists every process below root, parents first.
func descendants(root int) []process {
	table, err := processes()
	if err != nil {
		return nil
	}
	return below(table, []process{{pid: root}})[1:]
}

// below returns roots and all of table that descends from them, parents first.
func below(table, roots []process) []process {
	children := map[int][]process{}
	for _, p := range table {
		children[p.parent] = append(children[p.parent], p)
	}
	listed := map[int]bool{}
	var found []process
	for todo := roots; len(todo) > 0; todo = todo[1:] {
		if p := todo[0]; !listed[p.pid] {
			listed[p.pid] = true
			found = append(found, p)
			todo = append(todo, children[p.pid]...)
		}
	}
	return found
}

// maxNames bounds how many processes are named.
const maxNames = 20

// commandLines names what is below root.
func commandLines(root int) []string {
	var names []string
	for _, p := range descendants(root) {
		name := commandLine(p.pid)
		if p.zombie || name == "" {
			continue
		}
		if len(names) == maxNames {
			return append(names, "and more")
		}
		names = append(names, name)
	}
	return names
}

// maxCommandLine bounds how a process is named, in bytes.
const maxCommandLine = 80

// commandLine names a process by its arguments, or by its kernel name when it
// has none; "" when it is gone.
func commandLine(pid int) string {
	data, err := os.ReadFile(procFile(pid, "cmdline"))
	if err != nil {
		return ""
	}
	line := string(bytes.TrimRight(bytes.ReplaceAll(data, []byte{0}, []byte{' '}), " "))
	if line == "" {
		name, _ := os.ReadFile(procFile(pid, "comm"))
		line = string(bytes.TrimSpace(name))
	}
	line = strings.Map(printable, line)
	if len(line) <= maxCommandLine {
		return line
	}
	cut := maxCommandLine
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "..."
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r == utf8.RuneError {
		return ' '
	}
	return r
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
