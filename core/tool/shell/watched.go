package shell

import "sync"

// watched are the calls whose results report a job's end if it comes while they
// last: it is not told again then.
type watched struct {
	mu    sync.Mutex
	calls int
	told  bool // the record of the end counts on them
}

// watch says that the caller reports the job's end if it comes before leave.
func (j *job) watch() {
	j.watched.mu.Lock()
	defer j.watched.mu.Unlock()
	j.watched.calls++
}

// leave ends a watch. When it returns true the record of the end counts on a
// call, the job is over, and the caller must report it.
func (j *job) leave() bool {
	j.watched.mu.Lock()
	j.watched.calls--
	told := j.watched.told
	j.watched.mu.Unlock()
	if told {
		<-j.done // follow is about to close it
	}
	return told
}

// settled decides whether the end is reported by a call.
func (j *job) settled() bool {
	j.watched.mu.Lock()
	defer j.watched.mu.Unlock()
	j.watched.told = j.watched.calls > 0
	return j.watched.told
}
