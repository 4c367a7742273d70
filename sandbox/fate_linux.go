package sandbox

import (
	"io"
	"os"
	"strings"
	"time"
	"unicode"
)

// fate is how a supervisor ended, and its last word. All but learn is called when
// learn has returned.
type fate struct {
	stderr *os.File // what it says; nobody reads before its end
	state  *os.ProcessState
	word   string
}

// maxWord bounds how much of what a supervisor said is read, in bytes.
const maxWord = 4 << 10

// learn waits for the end of the supervisor. It is called once.
func (f *fate) learn(proc *os.Process) {
	f.state, _ = proc.Wait()
	defer f.stderr.Close()
	// A command that was about to start may hold the pipe for a moment more.
	_ = f.stderr.SetReadDeadline(time.Now().Add(endPatience))
	said, _ := io.ReadAll(io.LimitReader(f.stderr, maxWord))
	f.word = firstWords(string(said))
}

// firstWords returns the first line that has a letter: of a panic or a fatal
// signal that is the cause, and stacks and registers follow.
func firstWords(said string) string {
	for line := range strings.Lines(said) {
		if strings.ContainsFunc(line, unicode.IsLetter) {
			return strings.Map(printable, strings.TrimSpace(line))
		}
	}
	return ""
}

// orderly tells whether the supervisor ended as it should, nothing left.
func (f *fate) orderly() bool { return f.state != nil && f.state.Success() }

func (f *fate) String() string {
	how := "nobody knows how"
	if f.state != nil {
		how = f.state.String()
	}
	if f.word != "" {
		how += ": " + f.word
	}
	return how
}
